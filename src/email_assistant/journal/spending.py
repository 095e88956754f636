"""What the work on certain messages has cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import and_, case, func, select

from email_assistant.journal.database import Database
from email_assistant.journal.one_go import one_read
from email_assistant.journal.rows import dollars
from email_assistant.journal.tables import MAIL, MODEL_CALLS, RUNS

CHUNK = 500
"""Ids asked for at once; old SQLite takes no more than 999 parameters."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Of some messages' model calls."""

    cost_usd: Decimal = Decimal(0)
    """US dollars; calls of unknown price count 0."""
    unpriced: int = 0
    """Calls that were answered by a model whose price is not known."""
    runs: int = 0
    """Runs that asked a model."""

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(self.cost_usd + other.cost_usd, self.unpriced + other.unpriced, self.runs + other.runs)

    @property
    def mean_usd(self) -> Decimal | None:
        """What a run costs on average; None when there was none."""
        return self.cost_usd / self.runs if self.runs else None


@dataclass(frozen=True)
class Spending:
    """Reads the record of one graph's runs for one mailbox."""

    database: Database
    mailbox: str
    graph: str

    async def on(self, message_ids: Sequence[str], since: datetime) -> Spent:
        """What the runs for these messages have cost since then."""
        spent = Spent()
        for start in range(0, len(message_ids), CHUNK):
            spent += await self._on(message_ids[start : start + CHUNK], since)
        return spent

    @one_read
    async def _on(self, message_ids: Sequence[str], since: datetime) -> Spent:
        ours = and_(
            MAIL.c.mailbox == self.mailbox, MAIL.c.graph == self.graph, MAIL.c.message_id.in_(message_ids)
        )
        threads = select(MAIL.c.run_thread_id).where(ours)
        runs = select(RUNS.c.run_id).where(RUNS.c.graph == self.graph, RUNS.c.run_thread_id.in_(threads))
        calls = MODEL_CALLS.c
        unknown = and_(calls.cost_nano_usd.is_(None), calls.error.is_(None))
        statement = select(
            func.coalesce(func.sum(calls.cost_nano_usd), 0),
            func.coalesce(func.sum(case((unknown, 1), else_=0)), 0),
            func.count(calls.run_id.distinct()),
        ).where(calls.run_id.in_(runs), calls.recorded_at >= since)
        async with self.database.read() as connection:
            nano, unpriced, asked = (await connection.execute(statement)).one()
        return Spent(dollars(nano), int(unpriced), int(asked))
