"""Which mail a desk drafts no answer to."""

from dataclasses import replace

import pytest

from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline.triage import unanswerable

OWN = frozenset({"robin@vale.example"})
ME = Address("robin@vale.example")
ASKS = Message("1", "t", Address("ana@example.org"), "Mugs", "How much is one?", to=(ME,))
NEWS = {"list-id": "<news.shop.example>", "list-unsubscribe": "<https://shop.example/leave>"}
GROUP = {
    "list-id": "<orders.shop.example>",
    "list-post": "<mailto:orders@shop.example>",
    "precedence": "list",
}
PAY = "Please pay the invoice of 400 EUR today."


@pytest.mark.parametrize(
    ("message", "in_doubt", "becomes"),
    [
        (ASKS, True, None),
        (replace(ASKS, headers=NEWS), False, "ignore"),
        (replace(ASKS, headers=GROUP), False, None),
        (replace(ASKS, text="Buy now! Limited offer, 50% off, shop now, unsubscribe any time."), False, None),
        (replace(ASKS, sender=Address("no-reply@shop.example"), text="Thank you."), False, "ignore"),
        (replace(ASKS, sender=Address("alerts@bank.example"), subject="Your card was blocked"), False, "notify"),
        (replace(ASKS, sender=Address("noreply@forms.example"), reply_to=(ASKS.sender,)), False, None),
        (replace(ASKS, headers={"auto-submitted": "auto-replied"}), False, "ignore"),
        (replace(ASKS, sender=Address("MAILER-DAEMON@mx.example"), headers={"auto-submitted": "auto-replied"}), False, "notify"),
        (replace(ASKS, text=PAY), False, None),
        (replace(ASKS, text=PAY), True, "notify"),
        (replace(ASKS, text="Please verify your account password at once."), True, "notify"),
    ],
)  # fmt: skip
def test_headers_tell_what_nobody_waits_for(message: Message, in_doubt: bool, becomes: str | None) -> None:
    """Words alone drop nobody's mail; a doubtful sender who wants money or access is shown to a person."""
    found = unanswerable(Conversation(message), own=OWN, in_doubt=in_doubt)
    assert (found.classification if found else None) == becomes
    assert found is None or found.reasoning.endswith(".")


def test_a_ticket_system_that_goes_on_with_the_users_mail_is_answered() -> None:
    """A list's mail in a conversation that the user took part in is no mailing."""
    mine = replace(ASKS, id="0", sender=ME)
    assert unanswerable(Conversation(replace(ASKS, headers=NEWS), (mine,)), own=OWN, in_doubt=False) is None
