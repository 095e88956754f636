"""Which graph owns which mail, and one look that follows it."""

from pathlib import Path

import pytest

from email_assistant.adapters.importer import bring_in
from email_assistant.app import ingesting
from email_assistant.app.accounts import local_mailbox
from email_assistant.app.assistant import deps_of
from email_assistant.errors import ConfigError
from email_assistant.ingest.intake import Ownership
from email_assistant.ingest.look import Look
from email_assistant.mail.address import Address
from email_assistant.mail.message import Message
from email_assistant.settings import load_settings
from tests.contract.mailbox_contract import mail
from tests.support.deployment import Deployment

OWN = frozenset({"robin@example.com"})
RULES = (("orders@shop.example", "order_desk"), ("@claims.example", "claims_desk"))
NOW = {"EMAIL_ASSISTANT_NOW": "2026-11-20T08:00:00+00:00"}
"""The first look is at the days before."""
SETTINGS = NOW | {
    "EMAIL_ASSISTANT_EMAIL": "robin@example.com",
    "EMAIL_ASSISTANT_GRAPHS": "Orders@Shop.example = order_desk, @claims.example=claims_desk",
}


def message(to: str, *, cc: str = "", sender: str = "ana@example.org") -> Message:
    """A message to these."""
    copied = (Address(cc),) if cc else ()
    return Message("1", "t", Address(sender), "Mugs", "How much?", to=(Address(to),), cc=copied)


@pytest.mark.parametrize(
    ("messages", "owner"),
    [
        ([message("robin@example.com")], "email_assistant"),
        ([message("ORDERS@shop.example")], "order_desk"),
        ([message("robin@example.com", cc="anybody@claims.example")], "claims_desk"),
        ([message("orders@shop.example.evil.example")], "email_assistant"),
        ([message("x@sub.claims.example")], "email_assistant"),
        ([message("orders@shop.example", sender="robin@example.com"), message("robin@example.com")], "email_assistant"),
    ],
)  # fmt: skip
def test_a_conversation_belongs_to_the_address_it_began_with(messages: list[Message], owner: str) -> None:
    """To and Cc count, whole addresses and whole domains; an answer to the user's own address changes no owner."""
    assert Ownership("email_assistant", RULES, follows=True).owner(messages, OWN) == owner


def test_the_settings_say_it(tmp_path: Path) -> None:
    """A default and rules; a graph that is named for a look takes all mail."""
    house = deps_of(load_settings(SETTINGS | {"EMAIL_ASSISTANT_GRAPH": "reply_pipeline"}, tmp_path))
    assert ingesting.ownership(house.settings, None) == Ownership("reply_pipeline", RULES, follows=True)
    assert ingesting.ownership(house.settings, None).graphs == ("reply_pipeline", "order_desk", "claims_desk")
    assert ingesting.ownership(house.settings, "inbox_organizer") == Ownership("inbox_organizer")


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("EMAIL_ASSISTANT_GRAPH", "order-desk", "EMAIL_ASSISTANT_GRAPH must be one of email_assistant, .*; 'order-desk' is none"),
        ("EMAIL_ASSISTANT_GRAPHS", "orders@shop.example", "EMAIL_ASSISTANT_GRAPHS must be rules like orders@shop.example=order_desk"),
        ("EMAIL_ASSISTANT_GRAPHS", "a@b.example=order_desk, A@b.example=claims_desk", "EMAIL_ASSISTANT_GRAPHS must name each address once"),
    ],
)  # fmt: skip
def test_a_wrong_rule_is_one_line_that_names_the_setting(
    tmp_path: Path, name: str, value: str, told: str
) -> None:
    """And says how to mend it."""
    with pytest.raises(ConfigError, match=told) as error:
        load_settings({name: value}, tmp_path)
    assert "\n" not in str(error.value)


async def test_one_look_gives_each_mail_to_its_owner(tmp_path: Path) -> None:
    """Two graphs own different mail of one mailbox; each mail is taken up once, by one of them, however often one looks."""
    house = deps_of(load_settings(SETTINGS | {"EMAIL_ASSISTANT_DATA_DIR": str(tmp_path)}, tmp_path))
    deployment = Deployment()
    raws = [mail(1), mail(2).replace(b"To: ", b"To: orders@shop.example, ", 1)]
    ids = [(await bring_in(local_mailbox(house), raw, OWN)).id for raw in raws]
    for started in (2, 0):
        tally = await ingesting.ingestion(house, deployment.client, None).run(Look())
        assert tally.counts["started"] == started
    assert deployment.started() == ids
    name = house.mailbox.name
    for message_id, graph in zip(ids, ("email_assistant", "order_desk"), strict=True):
        assert await house.mail_log.known(name, ids, graph) == {message_id}
    moved = deps_of(
        load_settings(
            {
                "EMAIL_ASSISTANT_DATA_DIR": str(tmp_path),
                "EMAIL_ASSISTANT_NOW": SETTINGS["EMAIL_ASSISTANT_NOW"],
            },
            tmp_path,
        )
    )
    tally = await ingesting.ingestion(moved, deployment.client, None).run(Look())
    assert tally.counts["started"] == 0, "a mail that its owner has dealt with changes hands with a setting"
    await house.database.close()
    await moved.database.close()
