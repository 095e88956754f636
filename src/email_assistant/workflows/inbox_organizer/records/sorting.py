"""Where the organizer's mail is, read off the journal."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, func, select

from email_assistant.journal.database import Database
from email_assistant.journal.records import MailStatus
from email_assistant.journal.tables import MAIL

GRAPH = "inbox_organizer"
LABELED, NOT_LABELED = "labeled", "not_labeled"
"""The ends of a run of the organizer, as the mail table keeps them."""

_NAMES = {
    MailStatus.claimed: "processing",
    MailStatus.processing: "processing",
    MailStatus.waiting_review: "pending_approval",
    MailStatus.needs_review: "needs_review",
    MailStatus.dead_letter: "dead_letter",
    MailStatus.superseded: "superseded",
    MailStatus.ignored: "closed",
}


@dataclass(frozen=True, slots=True)
class OrganizerMail:
    """Numbers of mails by their place. Each counts once: all others add up to `mails`."""

    mails: int = 0
    processing: int = 0
    """Claimed, or a run works on it."""
    labeled: int = 0
    """At its end, with the label of its category."""
    pending_approval: int = 0
    """A card waits for a person: about the label, or about what else the mail brings."""
    needs_review: int = 0
    """A run failed; it will be tried again."""
    dead_letter: int = 0
    """Every attempt failed; a person decides."""
    not_labeled: int = 0
    """At its end without a label: the person wanted none."""
    superseded: int = 0
    """A newer message of the conversation took its place."""
    closed: int = 0
    """Settled without being sorted to the end: the user had written last, or marked it as resolved."""


async def organizer_mail(database: Database) -> OrganizerMail:
    """The counts of all mail that the organizer has taken up, in one query."""
    c = MAIL.c
    statement = (
        select(c.status, c.outcome, func.count()).where(c.graph == GRAPH).group_by(c.status, c.outcome)
    )
    async with database.read() as connection:
        rows = (await connection.execute(statement)).all()
    counts: Counter[str] = Counter()
    for row in rows:
        counts[_name(row)] += row[2]
    return OrganizerMail(mails=counts.total(), **counts)


def _name(row: Row[Any]) -> str:
    status = MailStatus(row.status)
    if status is MailStatus.done:
        return row.outcome if row.outcome in {LABELED, NOT_LABELED} else "closed"
    return _NAMES[status]
