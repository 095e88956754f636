"""Reading whole traces: all that was done about one mail, over all its runs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Select, or_, select

from email_assistant.errors import InputError
from email_assistant.journal.json_values import JSON
from email_assistant.journal.records import RunTrace, Step
from email_assistant.journal.snapshots import digests, restored
from email_assistant.journal.tables import RUNS, SNAPSHOT_VALUES
from email_assistant.journal.trace import SUPERSEDED, Trace

WAITING = "waiting"
VALUES_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Pause:
    """From one run's end to the next one's start, or to now."""

    after: str
    """The id of the run that ended."""
    began_at: datetime
    ended_at: datetime | None
    """None while it lasts."""
    for_person: bool
    """Whether a card waited; otherwise a failed run lay until it was resumed."""


@dataclass(frozen=True)
class WholeTrace:
    """One processing of one mail: its runs in their order, with everything they did."""

    trace_id: str
    runs: tuple[RunTrace, ...]
    values: Mapping[str, JSON]
    """What the steps' snapshots refer to."""

    @property
    def graph(self) -> str:
        """The graph whose runs these are."""
        return self.runs[0].run.graph

    @property
    def status(self) -> str:
        """The last run's; superseded when its cards gave way to newer mail."""
        last = self.runs[-1]
        gone = bool(last.reviews) and all(r.decision == SUPERSEDED for r in last.reviews)
        return SUPERSEDED if last.run.status == WAITING and gone else last.run.status

    @property
    def message_id(self) -> str | None:
        """The mail."""
        return self.runs[0].run.message_id

    @property
    def working_ms(self) -> float:
        """How long the runs have worked; the waiting between them is not in it."""
        return sum(r.run.latency_ms or 0 for r in self.runs)

    @property
    def cost_usd(self) -> Decimal:
        """Of the model calls whose price is known."""
        return sum((c.cost_usd or Decimal(0) for r in self.runs for c in r.model_calls), Decimal(0))

    @property
    def unpriced(self) -> int:
        """Model calls of unknown price."""
        return sum(c.cost_usd is None and c.error is None for r in self.runs for c in r.model_calls)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every step in the order of the trace."""
        return tuple(step for run in self.runs for step in run.steps)

    @property
    def pauses(self) -> tuple[Pause, ...]:
        """When nothing was worked at, in order."""
        return tuple(self._pauses())

    def input_state(self, step: Step) -> dict[str, JSON] | None:
        """What the node had in hand; None when only its digest was kept."""
        return restored(step.snapshot, self.values, "input")

    def output_state(self, step: Step) -> dict[str, JSON] | None:
        """What the node gave; None when only its digest was kept."""
        return restored(step.snapshot, self.values, "output")

    def _pauses(self) -> Iterator[Pause]:
        for number, one in enumerate(self.runs):
            ended, later = one.run.ended_at, self.runs[number + 1 : number + 2]
            if ended is None or one.run.status not in {WAITING, "failed"}:
                continue
            until = later[0].run.started_at if later else _given_up(one)
            if later or one.run.status == WAITING:
                yield Pause(one.run.run_id, ended, until, one.run.status == WAITING)


def _given_up(last: RunTrace) -> datetime | None:
    closed = [r.decided_at for r in last.reviews if r.decision == SUPERSEDED and r.decided_at]
    return max(closed) if closed and len(closed) == len(last.reviews) else None


@dataclass(frozen=True)
class Traces:
    """Reads traces."""

    trace: Trace

    async def find(self, beginning: str) -> WholeTrace:
        """The trace that has this id, or a run of this id, or whose id, or a run's, begins like this.

        Raises `InputError` when there is none, or more than one.
        """
        if beginning:
            for statement in (_by_id(beginning), _by_beginning(beginning)):
                async with self.trace.database.read() as connection:
                    found = [str(row.trace_id) for row in await connection.execute(statement)]
                if len(found) == 1:
                    return await self._read(found[0])
                if found:
                    raise InputError(
                        f"several traces begin with {beginning!r}, {found[0]} among them; give more of the id"
                    )
        raise InputError(
            f"the journal has no trace and no run {beginning!r}; `email-assistant journal show` lists them"
        )

    async def _read(self, trace_id: str) -> WholeTrace:
        order = (RUNS.c.started_at, RUNS.c.run_id)
        statement = select(RUNS.c.run_id).where(RUNS.c.trace_id == trace_id).order_by(*order)
        async with self.trace.database.read() as connection:
            ids = list((await connection.execute(statement)).scalars())
        runs = [run for run_id in ids if (run := await self.trace.run(run_id)) is not None]
        wanted = sorted(digests(step.snapshot for run in runs for step in run.steps))
        return WholeTrace(trace_id, tuple(runs), await self._values(trace_id, wanted))

    async def _values(self, trace_id: str, wanted: list[str]) -> dict[str, JSON]:
        c, found = SNAPSHOT_VALUES.c, {}
        async with self.trace.database.read() as connection:
            for start in range(0, len(wanted), VALUES_AT_ONCE):
                some = c.digest.in_(wanted[start : start + VALUES_AT_ONCE])
                rows = await connection.execute(select(c.digest, c.value).where(c.trace_id == trace_id, some))
                found.update({row.digest: row.value for row in rows})
        return found


def _by_id(wanted: str) -> Select[tuple[str]]:
    return select(RUNS.c.trace_id).where(or_(RUNS.c.trace_id == wanted, RUNS.c.run_id == wanted)).distinct()


def _by_beginning(beginning: str) -> Select[tuple[str]]:
    like = [column.startswith(beginning, autoescape=True) for column in (RUNS.c.trace_id, RUNS.c.run_id)]
    return select(RUNS.c.trace_id).where(or_(*like)).distinct().order_by(RUNS.c.trace_id).limit(2)
