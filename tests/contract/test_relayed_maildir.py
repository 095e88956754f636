"""A Maildir whose letters go out over SMTP. How it is cut short and raced for: test_sending_kills.py; what else a Maildir does: its own."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from email import message_from_bytes
from pathlib import Path

import pytest

from email_assistant.adapter_registry import RELAYS
from email_assistant.adapters.importer import deliver
from email_assistant.adapters.relayed_maildir import RelayedMaildir
from email_assistant.adapters.smtp import Relay as SmtpRelay
from email_assistant.app.accounts import mailbox_of
from email_assistant.app.journal import journal_deps
from email_assistant.clock import FixedClock
from email_assistant.errors import ConfigError, NotFoundError, ProviderError
from email_assistant.journal.database import Database
from email_assistant.mail.mailbox import MailQuery
from email_assistant.mail_accounts import Account, Server
from email_assistant.review.action import Action
from email_assistant.settings import Settings
from email_assistant.tools.mail_tools import SendEmailArguments
from email_assistant.tools.tool import AskAgain, Done
from tests.contract.mailbox_contract import mail, reply, sends_over, turn_on
from tests.support.mail_servers import KEPT, LOCAL, LOST, Relay, relay

CLOCK = FixedClock(datetime(2026, 11, 20, 12, tzinfo=UTC))


@pytest.fixture(scope="module")
def sending() -> Iterator[Relay]:
    """One relay for all."""
    with relay() as server:
        yield server


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """What is on record."""
    made = Database(f"sqlite:///{tmp_path / 'journal.db'}", tables=RELAYS["smtp"].tables)
    yield made
    await made.close()


@pytest.fixture
def mailbox(tmp_path: Path, sending: Relay, database: Database) -> RelayedMaildir:
    """Empty."""
    sending.accepted.clear()
    server = Server(host=LOCAL, port=sending.port, security="none")
    return RelayedMaildir(tmp_path / "mail", CLOCK, SmtpRelay(server, "robin", lambda: "x"), database)


async def test_a_letter_goes_out_once_and_is_filed(mailbox: RelayedMaildir, sending: Relay) -> None:
    """As it was among the drafts, which has it no more; a second try finds nothing to send."""
    draft = await mailbox.save_draft(reply())
    sent = await mailbox.send_draft(draft.id)
    ((people, raw),) = sending.accepted
    assert people == ["ana@example.org"]
    assert message_from_bytes(raw)["Message-ID"] == draft.message.message_id
    assert (await mailbox.find_sent(draft.message.message_id), await mailbox.draft(draft.id)) == (sent, None)
    with pytest.raises(NotFoundError):
        await mailbox.send_draft(draft.id)
    assert len(sending.accepted) == 1


async def test_what_is_refused_stays_a_draft(mailbox: RelayedMaildir, sending: Relay) -> None:
    """It is not in Sent, and can be sent later."""
    draft = await mailbox.save_draft(reply())
    sending.fault = "550 5.7.1 no"
    with pytest.raises(ProviderError, match=r"^not sent: 127\.0\.0\.1: 550 5\.7\.1 no$"):
        await mailbox.send_draft(draft.id)
    assert await mailbox.inbox(MailQuery(sent=True)) == []
    assert await mailbox.send_draft(draft.id)


@pytest.mark.parametrize("fault", [KEPT, LOST])
async def test_what_nobody_can_tell_is_asked(
    mailbox: RelayedMaildir, sending: Relay, tmp_path: Path, database: Database, fault: str
) -> None:
    """It is not sent again by itself; who accepts again sends it again, under the same Message-ID."""
    message = await mailbox.fetch((await deliver(mailbox, mail(1)))[0])
    sends = sends_over(mailbox, database)
    action = await sends.prepare(SendEmailArguments(body="Tomorrow at ten."), turn_on(message))
    assert isinstance(action, Action)
    sending.fault = fault
    again = await sends.perform(action, acknowledged=frozenset())
    assert isinstance(again, AskAgain)
    assert again.problem.startswith("This may have been sent: ")
    handed_over = len(sending.accepted)
    assert isinstance(await sends.perform(action, acknowledged=frozenset()), AskAgain)
    assert len(sending.accepted) == handed_over
    assert isinstance(await sends.perform(again.action, acknowledged=frozenset(again.concerns)), Done)
    ids = {message_from_bytes(raw)["Message-ID"] for _, raw in sending.accepted}
    assert (len(sending.accepted), len(ids)) == (handed_over + 1, 1)
    assert len(await mailbox.inbox(MailQuery(sent=True))) == 1


def test_the_samples_are_sent_to_nobody(tmp_path: Path) -> None:
    """Whatever the settings name."""
    account = Account(email="robin@example.com", smtp=Server(host="smtp.example.com", port=465))
    settings = Settings.model_validate(
        {
            "accounts": {"home": account},
            "EMAIL_ASSISTANT_SMTP": "smtp:home",
            "EMAIL_ASSISTANT_DATA_DIR": tmp_path,
            "EMAIL_ASSISTANT_NOW": "2026-11-20T08:00+00:00",
        }
    )
    with pytest.raises(ConfigError, match="sends no mail of the samples"):
        mailbox_of(journal_deps(settings))
