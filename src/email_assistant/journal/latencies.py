"""How long the work on a mail takes, and how often tools succeed; computed by the database."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, case, func, select

from email_assistant.journal.database import Database
from email_assistant.journal.tables import RUNS, TOOL_EXECUTIONS

MAX_TOOLS = 50
"""A model may call tools that do not exist, by any name."""


@dataclass(frozen=True, slots=True)
class Latency:
    """The working time of one graph's traces in milliseconds; the waiting for a person is not in it."""

    graph: str
    traces: int
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class ToolSuccess:
    """How often one tool was executed, and how often that succeeded."""

    name: str
    count: int
    succeeded: int

    @property
    def rate(self) -> float:
        """0 to 1."""
        return self.succeeded / self.count


@dataclass(frozen=True)
class Latencies:
    """Reads the record of all graphs."""

    database: Database

    async def by_graph(self, since: datetime) -> list[Latency]:
        """Of the runs started since, those of a trace added up; by nearest rank; ordered by graph."""
        async with self.database.read() as connection:
            rows = list(await connection.execute(_ranked(since)))
        found: dict[str, dict[str, Any]] = {}
        for row in rows:
            one = found.setdefault(row.graph, {"traces": row.number})
            one |= {name: row.ms for name, at in (("p50_ms", row.p50), ("p95_ms", row.p95)) if at == row.rank}
        return [Latency(graph, **values) for graph, values in sorted(found.items())]

    async def tools(self, since: datetime) -> list[ToolSuccess]:
        """Of the executions since, the one used most first; at most `MAX_TOOLS`."""
        c = TOOL_EXECUTIONS.c
        number, good = func.count().label("number"), func.sum(case((c.success, 1), else_=0)).label("good")
        statement = select(c.name, number, good).where(c.recorded_at >= since).group_by(c.name)
        async with self.database.read() as connection:
            rows = await connection.execute(statement.order_by(number.desc(), c.name).limit(MAX_TOOLS))
            return [ToolSuccess(row.name, row.number, int(row.good)) for row in rows]


def _ranked(since: datetime) -> Select[Any]:
    """The rows at the two ranks of each graph, so that two rows a graph leave the database."""
    work = (
        select(RUNS.c.graph, func.sum(RUNS.c.latency_ms).label("ms"))
        .where(RUNS.c.started_at >= since, RUNS.c.latency_ms.is_not(None))
        .group_by(RUNS.c.graph, RUNS.c.trace_id)
        .subquery()
    )
    number = func.count().over(partition_by=work.c.graph)
    ranked = select(
        work.c.graph,
        work.c.ms,
        func.row_number().over(partition_by=work.c.graph, order_by=work.c.ms).label("rank"),
        number.label("number"),
    ).subquery()
    # The nearest rank is n·p/100 rounded up, in whole numbers.
    ranks = {name: (ranked.c.number * p + 99) // 100 for name, p in (("p50", 50), ("p95", 95))}
    statement = select(ranked, *(rank.label(name) for name, rank in ranks.items()))
    return statement.where(ranked.c.rank.in_(list(ranks.values())))
