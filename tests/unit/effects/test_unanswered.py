"""Questions that were sent and are not answered, found in what the outbox has sent, on both databases."""

from datetime import timedelta
from typing import Any

import pytest

from email_assistant.clock import FixedClock
from email_assistant.effects.intent import Doer, Intent
from email_assistant.effects.outbox import NotHappened, Outbox, Reconciled
from email_assistant.journal.attention import unanswered_questions
from email_assistant.journal.database import Database
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord


class Sent:
    """Messages that were sent an hour apart, each on a conversation of its own."""

    def __init__(self, database: Database, clock: FixedClock) -> None:
        self.database, self.began = database, clock.now()
        self.hours = 0

    @property
    def clock(self) -> FixedClock:
        """This hour."""
        return FixedClock(self.began + timedelta(hours=self.hours))

    async def mail(self, key: str, conversation: str) -> None:
        """A mail comes in."""
        self.hours += 1
        await MailLog(self.database, self.clock).claim(
            MailRecord("box", key, "email_assistant", conversation, f"run {conversation}")
        )

    async def message(self, conversation: str, body: str, kind: str = "send") -> None:
        """A message is sent on it."""
        self.hours += 1
        args = {"to": f"Ana <{conversation}@example.com>", "subject": f"About {conversation}", "body": body}
        action_id, by = f"{kind} {conversation} {self.hours}", Doer(f"run {conversation}", "email_assistant")
        intent = Intent(action_id, kind, conversation, {"args": args, "facts": {}}, by)
        await Outbox(self.database, self.clock).perform(intent, _done, _unknown)

    async def waiting(self, hours: int = 1_000) -> list[str]:
        """The subjects of what is not answered, of so many hours."""
        since = self.clock.now() - timedelta(hours=hours)
        return [each.subject for each in await unanswered_questions(self.database, "send", since)]


async def _done() -> dict[str, Any]:
    return {}


async def _unknown() -> Reconciled:
    return NotHappened()


@pytest.fixture
def sent(database: Database, clock: FixedClock) -> Sent:
    """Nothing yet."""
    return Sent(database, clock)


async def test_a_question_waits_until_mail_comes_in_on_its_conversation(sent: Sent) -> None:
    """Whatever has come before, and whatever comes elsewhere; what asks nothing waits for nobody."""
    for name in ("a", "b", "c"):
        await sent.mail(f"first {name}", name)
    await sent.message("a", "Would Monday do?")
    await sent.message("b", "Thank you.")
    await sent.message("c", "Which oak?")
    await sent.message("c", "Which?", kind="draft")
    assert await sent.waiting() == ["About a", "About c"]
    await sent.mail("second a", "a")
    assert await sent.waiting() == ["About c"]
    await sent.message("a", "And Tuesday?")
    assert await sent.waiting() == ["About c", "About a"]


@pytest.mark.parametrize(
    "body",
    [
        "Thank you for your message about “Lobby: can we meet Thursday?”. I will.",
        "1. Does the price include the old shelves? — Yes.\n2. Oiled? – Yes.",
        "Yes.\n\n> Would Monday do?\n> Or Tuesday?",
        "Sie schreiben „Passt Montag?“: ja.",
        'You wrote "Would Monday do?" – it would.',
    ],
)
async def test_a_question_of_theirs_that_we_quote_is_not_waited_for(sent: Sent, body: str) -> None:
    """Until we ask one ourselves."""
    await sent.mail("first", "a")
    await sent.message("a", body)
    assert await sent.waiting() == []
    await sent.message("a", f"{body}\nWould Tuesday suit you?")
    assert await sent.waiting() == ["About a"]


async def test_what_was_asked_long_ago_is_not_waited_for(sent: Sent) -> None:
    """Only what was sent since."""
    await sent.mail("first", "a")
    await sent.message("a", "Would Monday do?")
    sent.hours += 10
    assert (await sent.waiting(9), await sent.waiting(11)) == ([], ["About a"])
