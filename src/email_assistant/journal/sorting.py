"""Who decided where mail belongs, and what that cost: read off the record of the runs."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import Subquery, case, exists, func, select

from email_assistant.journal.database import Database
from email_assistant.journal.tables import MODEL_CALLS, REVIEWS, RUNS, STEPS
from email_assistant.journal.trace_reads import NANO


@dataclass(frozen=True, slots=True)
class Sorted:
    """How many mails were sorted, and by whom. The first four add up to `mails`; `human` is counted besides."""

    mails: int = 0
    without_model: int = 0
    """By a hint or by headers."""
    fast: int = 0
    """By the fast tier alone."""
    escalated: int = 0
    """The fast tier was not sure, and the strong one decided."""
    strong: int = 0
    """By the strong tier alone, because both tiers are one model."""
    human: int = 0
    """A card asked a person."""
    cost_usd: Decimal = Decimal(0)
    """Of the calls that sorted; those of unknown price count 0."""


@dataclass(frozen=True)
class Sorting:
    """Reads the record of one graph."""

    database: Database
    graph: str = "inbox_organizer"
    step: str = "categorize"
    """The node that decides; the model call has the same name."""

    async def counts(self) -> Sorted:
        """All that was ever sorted."""
        runs = self._runs().subquery()
        fast, strong = runs.c.fast > 0, runs.c.strong > 0
        parts = {
            "mails": func.count(),
            "without_model": _number(~fast & ~strong),
            "fast": _number(fast & ~strong),
            "escalated": _number(fast & strong),
            "strong": _number(~fast & strong),
            "human": func.coalesce(func.sum(runs.c.human), 0),
        }
        statement = select(*(part.label(name) for name, part in parts.items())).select_from(runs)
        async with self.database.read() as connection:
            row = (await connection.execute(statement)).one()
            nano = (await connection.execute(self._cost(runs))).scalar() or 0
        return Sorted(
            **{name: int(value) for name, value in row._asdict().items()}, cost_usd=Decimal(int(nano)) / NANO
        )

    def _runs(self) -> Any:
        """For each run that has sorted a mail: the calls of each tier, and whether a person was asked."""
        good = MODEL_CALLS.c.error.is_(None) & (MODEL_CALLS.c.call == self.step)
        calls = {
            tier: select(func.count())
            .where(MODEL_CALLS.c.run_id == STEPS.c.run_id, good, MODEL_CALLS.c.tier == tier)
            .scalar_subquery()
            for tier in ("fast", "strong")
        }
        asked = exists().where(REVIEWS.c.run_id == STEPS.c.run_id)
        return (
            select(
                STEPS.c.run_id,
                *(count.label(tier) for tier, count in calls.items()),
                case((asked, 1), else_=0).label("human"),
            )
            .join(RUNS, RUNS.c.run_id == STEPS.c.run_id)
            .where(RUNS.c.graph == self.graph, STEPS.c.name == self.step, STEPS.c.error.is_(None))
            .group_by(STEPS.c.run_id)
        )

    def _cost(self, runs: Subquery) -> Any:
        return select(func.sum(MODEL_CALLS.c.cost_nano_usd)).where(
            MODEL_CALLS.c.call == self.step, MODEL_CALLS.c.run_id.in_(select(runs.c.run_id))
        )


def _number(condition: Any) -> Any:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)
