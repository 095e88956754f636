"""Mail that was dealt with without a person having been asked."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import exists, select

from email_assistant.journal.database import Database
from email_assistant.journal.failing import sender_and_subject
from email_assistant.journal.records import MailStatus
from email_assistant.journal.tables import MAIL, REVIEWS

LIMIT = 500


@dataclass(frozen=True, slots=True)
class UnaskedMail:
    """One mail as one graph has settled it."""

    key: int
    """Its row in the journal."""
    graph: str
    outcome: str
    """What was done, in the graph's word: "ignored", "labeled", "replied" …"""
    reason: str
    sender: str
    subject: str
    at: datetime
    can_come_back: bool
    """Whether the journal has the mail, so that it can be asked about."""


async def settled_unasked(database: Database, since: datetime) -> list[UnaskedMail]:
    """What was settled since, and no card was shown of; the latest first, 500 at most."""
    c = MAIL.c
    asked = exists().where(
        REVIEWS.c.run_thread_id == c.run_thread_id, REVIEWS.c.last_shown_at >= c.claimed_at
    )
    settled = c.status.in_((MailStatus.done, MailStatus.ignored))
    query = select(c.id, c.graph, c.outcome, c.reason, c.email_input, c.updated_at)
    query = query.where(settled, c.outcome != "", c.updated_at >= since, ~asked)
    async with database.read() as connection:
        rows = (await connection.execute(query.order_by(c.updated_at.desc(), c.id).limit(LIMIT))).all()
    return [
        UnaskedMail(
            row.id,
            row.graph,
            row.outcome,
            row.reason,
            *sender_and_subject(row.email_input),
            row.updated_at,
            row.email_input is not None,
        )
        for row in rows
    ]
