"""Where the organizer's mail is, in its users' words."""

from collections import Counter
from dataclasses import asdict

import pytest

from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.workflows.inbox_organizer.status import organizer_mail

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

NAMES = {
    (MailStatus.claimed, ""): "processing",
    (MailStatus.processing, ""): "processing",
    (MailStatus.waiting_review, ""): "pending_approval",
    (MailStatus.done, "labeled"): "labeled",
    (MailStatus.done, "not_labeled"): "not_labeled",
    (MailStatus.done, ""): "closed",
    (MailStatus.done, "of another time"): "closed",
    (MailStatus.ignored, ""): "closed",
    (MailStatus.superseded, ""): "superseded",
    (MailStatus.needs_review, ""): "needs_review",
    (MailStatus.dead_letter, ""): "dead_letter",
}


def a_mail(number: int, status: MailStatus, outcome: str, graph: str = "inbox_organizer") -> MailRecord:
    """One that is in this condition."""
    return MailRecord("box", f"m{number}", graph, "t", "r", status=status, outcome=outcome)


async def test_nothing_is_lost(database: Database, clock: FixedClock) -> None:
    """Every condition there is has a word, the words add up to all, and other graphs' mail is not counted."""
    assert {status for status, _ in NAMES} == set(MailStatus)
    mails = [a_mail(number, *condition) for number, condition in enumerate([*NAMES, *NAMES])]
    others = [a_mail(number, *condition, "email_assistant") for number, condition in enumerate(NAMES)]
    await MailLog(database, clock).claim_all([*mails, *others])
    counts = asdict(await organizer_mail(database))
    assert counts.pop("mails") == len(mails)
    assert {name: n for name, n in counts.items() if n} == {
        name: 2 * n for name, n in Counter(NAMES.values()).items()
    }
