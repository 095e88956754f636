"""What a stop of the server cut off: answers that nobody took, and runs whose end the server has forgotten."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from sqlalchemy import exists, select

from email_assistant.clock import Clock
from email_assistant.journal.database import Database
from email_assistant.journal.one_go import one_write
from email_assistant.journal.statements import upsert
from email_assistant.journal.tables import RECEIVED_ANSWERS, REVIEWS, RUNS
from email_assistant.journal.trace import ENDED
from email_assistant.journal.traces import WAITING

CHUNK = 500
"""Ids asked for at once; old SQLite takes no more than 999 parameters."""


@dataclass(frozen=True)
class CutOff:
    """Compares what was begun with what came of it."""

    database: Database
    clock: Clock

    @one_write
    async def answer_received(self, run_thread_id: str) -> None:
        """An answer for the thread's card is here, and the run that takes it is about to be made."""
        row = {"run_thread_id": run_thread_id, "received_at": self.clock.now()}
        async with self.database.begin() as connection:
            await upsert(connection, RECEIVED_ANSWERS, row, keys=("run_thread_id",), update=("received_at",))

    async def lost_answers(self, run_thread_ids: Collection[str]) -> dict[str, datetime]:
        """Those of the threads whose last answer was never taken, and when it came."""
        table = RECEIVED_ANSWERS.c
        taken = exists().where(
            REVIEWS.c.run_thread_id == table.run_thread_id, REVIEWS.c.decided_at >= table.received_at
        )
        found: dict[str, datetime] = {}
        for some in _chunks(run_thread_ids):
            query = select(table.run_thread_id, table.received_at).where(
                table.run_thread_id.in_(some), ~taken
            )
            async with self.database.read() as connection:
                found |= {row.run_thread_id: row.received_at for row in await connection.execute(query)}
        return found

    async def ended_runs(self, run_ids: Collection[str]) -> set[str]:
        """Those of the runs that came to their end, or to a card."""
        found: set[str] = set()
        for some in _chunks(run_ids):
            query = select(RUNS.c.run_id).where(RUNS.c.run_id.in_(some), RUNS.c.status.in_((ENDED, WAITING)))
            async with self.database.read() as connection:
                found |= {row.run_id for row in await connection.execute(query)}
        return found


def _chunks(ids: Iterable[str]) -> Iterator[list[str]]:
    left = iter(ids)
    while some := list(islice(left, CHUNK)):
        yield some
