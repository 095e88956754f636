"""Cards that wait although another run thread has done something about the same message meanwhile."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Select, and_, select

from email_assistant.journal.database import Database
from email_assistant.journal.records import MailStatus, OutboxStatus
from email_assistant.journal.tables import MAIL, OUTBOX, REVIEWS, RUNS
from email_assistant.journal.trace_reads import UNANSWERED

SEEN: Final = "seen"
"""Stands in place of an effect's kind: a person has seen the mail, and wanted nothing done."""
NOT_WANTED = ("dismissed", "rejected")
"""The outcomes that say so."""


@dataclass(frozen=True, slots=True)
class Sibling:
    """A run thread with an unanswered card, and an effect of another one that began with the same message, or `SEEN`."""

    run_thread_id: str
    graph: str
    message_id: str
    action_id: str
    """Of the effect."""
    kind: str
    subject_key: str
    done_by: str
    """The graph that has done it, or ""."""


async def siblings(database: Database, done_since: datetime) -> list[Sibling]:
    """Of each effect that was done at or after an instant, the run threads whose cards may ask about the same, oldest first.

    Whether they do, their states tell: a card may be about anything.
    """
    done, began, other = OUTBOX.alias("done"), RUNS.alias("began"), RUNS.alias("other")
    statement = (
        select(
            other.c.run_thread_id,
            other.c.graph,
            other.c.message_id,
            done.c.action_id,
            done.c.kind,
            done.c.subject_key,
            done.c.graph.label("done_by"),
        )
        .join(began, began.c.run_thread_id == done.c.run_thread_id)
        .join(other, other.c.message_id == began.c.message_id)
        .join(REVIEWS, REVIEWS.c.run_thread_id == other.c.run_thread_id)
        .where(
            done.c.updated_at >= done_since,
            done.c.status == OutboxStatus.done,
            done.c.run_thread_id != "",
            other.c.run_thread_id != done.c.run_thread_id,
            UNANSWERED,
        )
        .order_by(done.c.id, other.c.run_thread_id)
        .distinct()
        .add_columns(done.c.id)
    )
    async with database.read() as connection:
        rows = (await connection.execute(statement)).all()
        seen = (await connection.execute(_seen(done_since))).all()
    return [Sibling(*row[:-1]) for row in rows] + [
        Sibling(r[0], r[1], r[2], "", SEEN, "", r[3]) for r in seen
    ]


def _seen(since: datetime) -> Select[Any]:
    """Mail that waits in one graph, and that a person has settled in another one at or after an instant, with nothing done."""
    seen, other = MAIL.alias("seen"), MAIL.alias("other")
    same = and_(other.c.mailbox == seen.c.mailbox, other.c.message_id == seen.c.message_id)
    return (
        select(other.c.run_thread_id, other.c.graph, other.c.message_id, seen.c.graph)
        .join(seen, and_(same, other.c.graph != seen.c.graph))
        .where(other.c.status == MailStatus.waiting_review, seen.c.status == MailStatus.done)
        .where(seen.c.outcome.in_(NOT_WANTED), seen.c.updated_at >= since)
        .order_by(other.c.id)
    )
