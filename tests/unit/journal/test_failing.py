"""What fails is told by cause, each mail once, by sender and subject."""

from datetime import UTC, datetime, timedelta

import pytest

from email_assistant.clock import FixedClock
from email_assistant.journal.attention import failing_ever, failing_now, failing_since
from email_assistant.journal.database import Database
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord, MailStatus

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

NOW = datetime(2026, 11, 20, 8, tzinfo=UTC)
NONSENSE = "triage: openai:x did not answer in the form asked for: "


class Mails:
    """A mail log at an hour of its own for each step."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.hour = 0

    @property
    def log(self) -> MailLog:
        """The log at this hour."""
        return MailLog(self.database, FixedClock(NOW + timedelta(hours=self.hour)))

    async def take(self, name: str, graph: str = "email_assistant") -> None:
        """Claim a mail."""
        mail = {"from": f"{name} Petrova <{name}@example.com>", "subject": f"About {name}"}
        await self.log.claim(MailRecord("box", name, graph, "t", name, email_input=mail))

    async def fail(
        self, name: str, reason: str, *, attempts: int = 3, graph: str = "email_assistant"
    ) -> None:
        """A run on a new mail fails, an hour after the last step."""
        self.hour += 1
        await self.take(name, graph)
        await self.log.fail("box", name, graph, reason, attempts)

    async def work(self, name: str) -> None:
        """A run on a new mail comes to a card, an hour after the last step."""
        self.hour += 1
        await self.take(name)
        await self.log.set_status("box", name, "email_assistant", MailStatus.waiting_review)


@pytest.fixture
def mails(database: Database) -> Mails:
    """No mail yet."""
    return Mails(database)


async def test_one_cause_has_one_line_however_the_details_differ(mails: Mails) -> None:
    """The call, the numbers and what was wrong with an answer are details; the key and the answers are two causes."""
    await mails.fail("Ana", NONSENSE + "Verdict was not called")
    await mails.fail("Ben", "categorize: " + NONSENSE[8:] + "confidence: must be a number")
    await mails.fail("Cem", "openai:x cannot be reached at the moment (429, it asks to wait 17 s)")
    await mails.fail("Dee", "openai:x cannot be reached at the moment (429, it asks to wait 21 s)")
    await mails.fail("Eva", NONSENSE + "Verdict was not called")
    first, second = (await failing_now(mails.database)).causes
    assert (first.reason, first.number) == ("openai:x did not answer in the form asked for", 3)
    assert first.named == ("Ana Petrova: About Ana", "Ben Petrova: About Ben", "Eva Petrova: About Eva")
    assert second.number == 2


async def test_a_mail_of_several_graphs_counts_once(mails: Mails) -> None:
    """Where it fails, and where mails are counted by their condition: there it is where it most needs somebody."""
    await mails.fail("Ana", "busy")
    await mails.fail("Ana", "busy", graph="inbox_organizer")
    await mails.work("Ben")
    await mails.take("Ben", "inbox_organizer")
    await mails.log.set_status("box", "Ben", "inbox_organizer", MailStatus.done, outcome="labeled")
    assert (await failing_now(mails.database)).number == 1
    assert await mails.log.count_by_status() == {MailStatus.needs_review: 1, MailStatus.waiting_review: 1}


async def test_everything_fails_until_something_works(mails: Mails) -> None:
    """Mail that was merely closed proves nothing; what was given up before is told by the dead letters alone."""
    nothing = await failing_now(mails.database)
    assert (nothing.number, nothing.everything, nothing.causes) == (0, False, ())
    await mails.fail("Ana", "busy", attempts=1)
    mails.hour += 1
    await mails.log.claim(MailRecord("box", "own", "email_assistant", "t", "o", status=MailStatus.done))
    failing = await failing_now(mails.database)
    assert (failing.number, failing.given_up, failing.everything) == (1, 1, True)
    await mails.work("Ben")
    assert (await failing_now(mails.database)).number == 0
    assert (await failing_ever(mails.database)).given_up == 1
    await mails.fail("Cem", "busy")
    failing = await failing_now(mails.database)
    assert (failing.number, failing.everything) == (1, True)


async def test_of_a_look_everything_fails_when_none_of_it_worked(mails: Mails) -> None:
    """One mail that works is enough, also when others failed after it."""
    await mails.fail("Ana", "busy")
    assert (await failing_since(mails.database, NOW)).everything
    await mails.work("Ben")
    await mails.fail("Cem", "busy")
    failing = await failing_since(mails.database, NOW)
    assert (failing.number, failing.everything) == (2, False)
    assert (await failing_since(mails.database, NOW + timedelta(hours=3))).number == 1
