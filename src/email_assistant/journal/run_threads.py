"""Run threads, as the journal alone knows them.

What one has done of which the server keeps nothing any more, and what a stop of the server cut off.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import Clock
from email_assistant.journal.database import Database
from email_assistant.journal.deferred import UNANSWERED
from email_assistant.journal.engines import one_read
from email_assistant.journal.records import ENDED, OPEN, WAITING, MailRecord, OutboxStatus
from email_assistant.journal.sql import chunks
from email_assistant.journal.tables import MAIL, OUTBOX, REVIEWS, RUNS

RESPONSE = "response"
"""The decision that is words: `review.action` is above the journal."""


@dataclass(frozen=True, slots=True)
class Past:
    """What a thread had done before a message came."""

    rounds: int
    """How many messages it had taken up."""
    actions: tuple[str, ...]
    """Ids of the effects it had begun."""
    words: str = ""
    """What a person has said about drafts for the message itself, of which a server that lost its state has none."""


@dataclass(frozen=True)
class ThreadPast:
    """Reads what threads have done."""

    database: Database

    @one_read
    async def finished(self, run_thread_ids: Collection[str]) -> frozenset[str]:
        """Those of up to a few hundred threads that have dealt with mail, all of it over, and neither ask nor are at anything."""
        ids = list(run_thread_ids)
        mail = select(MAIL.c.run_thread_id).where(MAIL.c.run_thread_id.in_(ids))
        begun = select(OUTBOX.c.run_thread_id).where(OUTBOX.c.status == OutboxStatus.started)
        asking = select(REVIEWS.c.run_thread_id).where(REVIEWS.c.run_thread_id.in_(ids), UNANSWERED)
        async with self.database.read() as connection:
            known = {row.run_thread_id for row in await connection.execute(mail.distinct())}
            for busy in (mail.where(MAIL.c.status.in_(OPEN)), begun, asking):
                known -= {row.run_thread_id for row in await connection.execute(busy)}
        return frozenset(known)

    @one_read
    async def before(self, records: Sequence[MailRecord]) -> list[Past | None]:
        """What the thread of each had done before the message was claimed (or until now); None when it is the thread's first."""
        async with self.database.read() as connection:
            return [await _before(connection, record) for record in records]


async def _before(connection: AsyncConnection, record: MailRecord) -> Past | None:
    thread, until = record.run_thread_id, record.claimed_at
    others = (
        MAIL.c.run_thread_id == thread,
        MAIL.c.graph == record.graph,
        MAIL.c.message_id != record.message_id,
    )
    earlier = select(func.count()).select_from(MAIL).where(*others)
    effects = select(OUTBOX.c.action_id, OUTBOX.c.round).where(OUTBOX.c.run_thread_id == thread)
    if until is not None:
        earlier = earlier.where(MAIL.c.claimed_at <= until)
        effects = effects.where(OUTBOX.c.started_at < until)
    messages = (await connection.execute(earlier)).scalar_one()
    rows = (await connection.execute(effects.order_by(OUTBOX.c.id))).all()
    words = await _words(connection, record)
    if not messages and not rows and not words:
        return None
    rounds = max([messages, *(row.round or 1 for row in rows)])
    return Past(rounds, tuple(row.action_id for row in rows), words)


async def _words(connection: AsyncConnection, record: MailRecord) -> str:
    reviews = select(REVIEWS.c.answers).where(REVIEWS.c.run_thread_id == record.run_thread_id)
    since = record.claimed_at.isoformat() if record.claimed_at else ""
    answers = [each for row in await connection.execute(reviews) for each in row.answers]
    said = [each for each in answers if each["decision"] == RESPONSE and each["decided_at"] >= since]
    return "\n".join(each["answer"]["text"] for each in sorted(said, key=lambda each: each["decided_at"]))


@dataclass(frozen=True)
class CutOff:
    """What a stop of the server cut off: runs whose end the server has forgotten."""

    database: Database
    clock: Clock

    async def ended_runs(self, run_ids: Collection[str]) -> set[str]:
        """Those of the runs that came to their end, or to a card."""
        found: set[str] = set()
        for some in chunks(run_ids):
            query = select(RUNS.c.run_id).where(RUNS.c.run_id.in_(some), RUNS.c.status.in_((ENDED, WAITING)))
            async with self.database.read() as connection:
                found |= {row.run_id for row in await connection.execute(query)}
        return found
