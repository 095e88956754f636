"""Reading the record of the runs, one by one and as a person looks for them: by their mail, and what became of it."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar

from sqlalchemy import Row, Select, Table, and_, case, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import Clock
from email_assistant.journal.database import Database
from email_assistant.journal.failing import mail_name
from email_assistant.journal.records import (
    OFFLINE,
    CallUsage,
    ModelCallRecord,
    Review,
    Run,
    RunTrace,
    Step,
    ToolExecution,
)
from email_assistant.journal.tables import MAIL, MODEL_CALLS, REVIEWS, RUNS, STEPS, TOOL_EXECUTIONS

CHUNK = 400
"""Traces asked about at once; old SQLite takes no more than 999 parameters."""

NANO = Decimal(10) ** 9
T = TypeVar("T")
UNANSWERED = REVIEWS.c.decision.is_(None) | (REVIEWS.c.last_shown_at > REVIEWS.c.decided_at)
"""Of cards that wait: what was accepted may have been asked about once more."""


@dataclass(frozen=True)
class TraceReads:
    """What was recorded."""

    database: Database
    clock: Clock

    async def runs(self, limit: int = 50, *, without: str | None = None) -> list[Run]:
        """The newest runs, newest first; `without` leaves out those of one graph."""
        statement = _select(Run, RUNS).order_by(RUNS.c.started_at.desc(), RUNS.c.run_id).limit(limit)
        if without is not None:
            statement = statement.where(RUNS.c.graph != without)
        async with self.database.read() as connection:
            return await _all(connection, statement, _plainly(Run))

    async def last_run(self, graph: str, *, ended: bool = True) -> Run | None:
        """The run of this graph that was started last; with `ended`, of those that are over."""
        statement = _select(Run, RUNS).where(RUNS.c.graph == graph)
        if ended:
            statement = statement.where(RUNS.c.ended_at.is_not(None))
        statement = statement.order_by(RUNS.c.started_at.desc(), RUNS.c.run_id).limit(1)
        async with self.database.read() as connection:
            return next(iter(await _all(connection, statement, _plainly(Run))), None)

    async def run(self, run_id: str) -> RunTrace | None:
        """One run with its steps, tool executions, model calls and reviews shown; None when unknown."""
        async with self.database.read() as connection:
            runs = await _all(connection, _select(Run, RUNS).where(RUNS.c.run_id == run_id), _plainly(Run))
            if not runs:
                return None
            steps = (
                _select(Step, STEPS).where(STEPS.c.run_id == run_id).order_by(STEPS.c.position, STEPS.c.id)
            )
            tools = _select(ToolExecution, TOOL_EXECUTIONS).where(TOOL_EXECUTIONS.c.run_id == run_id)
            calls = select(MODEL_CALLS).where(MODEL_CALLS.c.run_id == run_id).order_by(MODEL_CALLS.c.id)
            reviews = _select(Review, REVIEWS).where(REVIEWS.c.run_id == run_id)
            return RunTrace(
                runs[0],
                tuple(await _all(connection, steps, _plainly(Step))),
                tuple(await _all(connection, tools.order_by(TOOL_EXECUTIONS.c.id), _plainly(ToolExecution))),
                tuple(await _all(connection, calls, _model_call)),
                tuple(
                    await _all(
                        connection, reviews.order_by(REVIEWS.c.first_shown_at, REVIEWS.c.review_id), _review
                    )
                ),
            )

    async def reviews(self, run_thread_id: str) -> list[Review]:
        """Every card a run thread has shown, in the order of their first showing."""
        statement = _select(Review, REVIEWS).where(REVIEWS.c.run_thread_id == run_thread_id)
        async with self.database.read() as connection:
            return await _all(
                connection, statement.order_by(REVIEWS.c.first_shown_at, REVIEWS.c.review_id), _review
            )

    async def review(self, review_id: str) -> Review | None:
        """One card, or None."""
        async with self.database.read() as connection:
            found = await _all(
                connection, _select(Review, REVIEWS).where(REVIEWS.c.review_id == review_id), _review
            )
        return found[0] if found else None

    async def not_done(self, run_thread_id: str, since: datetime) -> str:
        """Why the approved action that a run thread performed last, since an instant, has failed; "" when it has not."""
        c = TOOL_EXECUTIONS.c
        of_action = c.tool_call_id.startswith(f"{run_thread_id}:", autoescape=True)
        statement = select(c.success, c.error).where(of_action, c.recorded_at >= since)
        async with self.database.read() as connection:
            last = (await connection.execute(statement.order_by(c.id.desc()).limit(1))).first()
        return "" if last is None or last.success else last.error or ""

    async def answer_taken(self, run_thread_id: str, run_id: str) -> str:
        """What was decided by the answer that this run brought; "" when it was for a card that waits no more."""
        statement = select(REVIEWS.c.answers).where(REVIEWS.c.run_thread_id == run_thread_id)
        async with self.database.read() as connection:
            found = (await connection.execute(statement)).scalars().all()
        return next((str(one["decision"]) for each in found for one in each if one.get("id") == run_id), "")

    async def cost_since(self, instant: datetime) -> Decimal:
        """US dollars of the model calls recorded since the instant; those of unknown price count 0."""
        statement = select(func.sum(MODEL_CALLS.c.cost_nano_usd)).where(MODEL_CALLS.c.recorded_at >= instant)
        async with self.database.read() as connection:
            return _dollars((await connection.execute(statement)).scalar() or 0)

    async def usage_by_call(self) -> list[CallUsage]:
        """What every model call used, summed by its name, ordered by name."""
        async with self.database.read() as connection:
            return await _all(connection, _usage(), _call_usage)


def _usage() -> Select[Any]:
    c = MODEL_CALLS.c
    sums = [
        func.sum(column).label(column.name)
        for column in (c.prompt_tokens, c.completion_tokens, c.cached_tokens)
    ]
    return (
        select(
            c.call,
            func.count().label("calls"),
            *sums,
            func.coalesce(func.sum(c.cost_nano_usd), 0).label("nano"),
            func.sum(case((c.cost_nano_usd.is_(None), 1), else_=0)).label("unpriced"),
            func.sum(case((c.error.is_not(None), 1), else_=0)).label("failed"),
            func.sum(case((c.model == OFFLINE, 1), else_=0)).label("rules"),
        )
        .group_by(c.call)
        .order_by(c.call)
    )


def _select(record: type[Any], table: Table) -> Select[Any]:
    return select(*(table.c[f.name] for f in fields(record)))


async def _all(connection: AsyncConnection, statement: Select[Any], make: Callable[[Row[Any]], T]) -> list[T]:
    return [make(row) for row in await connection.execute(statement)]


def _plainly(record: Callable[..., T]) -> Callable[[Row[Any]], T]:
    return lambda row: record(**row._asdict())


def _review(row: Row[Any]) -> Review:
    values = row._asdict()
    return Review(**values | {"answers": tuple(values["answers"])})


def _model_call(row: Row[Any]) -> ModelCallRecord:
    values = row._asdict()
    nano = values.pop("cost_nano_usd")
    del values["id"]
    return ModelCallRecord(**values, cost_usd=None if nano is None else _dollars(nano))


def _call_usage(row: Row[Any]) -> CallUsage:
    values = row._asdict()
    nano = values.pop("nano")
    return CallUsage(
        call=values.pop("call"), cost_usd=_dollars(nano), **{k: int(v) for k, v in values.items()}
    )


def _dollars(nano: int | Decimal) -> Decimal:
    return Decimal(nano) / NANO


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run, and the mail that its trace began with; "" where it had none, or none that is on record."""

    run: Run
    sender: str = ""
    subject: str = ""
    status: str = ""
    """Where the mail is on its way by now."""
    outcome: str = ""
    """How the work on it has ended; "" while it goes on."""

    @property
    def name(self) -> str:
        """The mail by sender and subject; "" for none."""
        return mail_name({"from": self.sender, "subject": self.subject}) if self.status else ""


async def listed_runs(reads: TraceReads, *, limit: int, without: str | None = None) -> list[ListedRun]:
    """The newest runs, newest first; `without` leaves out those of one graph."""
    runs = await reads.runs(limit=limit, without=without)
    mails = await _mails(reads.database, list(dict.fromkeys(run.trace_id for run in runs)))
    return [ListedRun(run, **mails.get(run.trace_id, {})) for run in runs]


async def _mails(database: Database, trace_ids: list[str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    async with database.read() as connection:
        for start in range(0, len(trace_ids), CHUNK):
            for row in await connection.execute(_statement(trace_ids[start : start + CHUNK])):
                found[row.run_id] = {
                    "sender": row.sender or "",
                    "subject": row.subject or "",
                    "status": str(row.status),
                    "outcome": row.outcome,
                }
    return found


def _statement(trace_ids: list[str]) -> Select[Any]:
    """Only what is shown: an input holds a whole conversation."""
    mail = MAIL.c.email_input
    same = and_(MAIL.c.message_id == RUNS.c.message_id, MAIL.c.run_thread_id == RUNS.c.run_thread_id)
    return (
        select(
            RUNS.c.run_id,
            func.coalesce(mail["from"].as_string(), mail["author"].as_string()).label("sender"),
            mail["subject"].as_string().label("subject"),
            MAIL.c.status,
            MAIL.c.outcome,
        )
        .join(MAIL, and_(same, MAIL.c.graph == RUNS.c.graph))
        .where(RUNS.c.run_id.in_(trace_ids))
    )
