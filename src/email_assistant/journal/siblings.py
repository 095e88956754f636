"""Cards that wait although another run thread has done something about the same message meanwhile."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from email_assistant.journal.database import Database
from email_assistant.journal.records import OutboxStatus
from email_assistant.journal.tables import OUTBOX, REVIEWS, RUNS
from email_assistant.journal.trace_reads import UNANSWERED


@dataclass(frozen=True, slots=True)
class Sibling:
    """A run thread with an unanswered card, and an effect of another one that began with the same message."""

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
    return [Sibling(*row[:-1]) for row in rows]
