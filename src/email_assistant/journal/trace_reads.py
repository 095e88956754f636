"""Reading the record of the runs, one by one and as a person looks for them: by their mail, and what became of it."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, case, func, select

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
from email_assistant.journal.rows import Rows, dollars, dollars_if_known
from email_assistant.journal.tables import MAIL, MODEL_CALLS, REVIEWS, RUNS, STEPS, TOOL_EXECUTIONS

CHUNK = 400
"""Traces asked about at once; old SQLite takes no more than 999 parameters."""

UNANSWERED = REVIEWS.c.decision.is_(None) | (REVIEWS.c.last_shown_at > REVIEWS.c.decided_at)
"""Of cards that wait: what was accepted may have been asked about once more."""
_RUNS = Rows(RUNS, Run)
_STEPS = Rows(STEPS, Step)
_TOOLS = Rows(TOOL_EXECUTIONS, ToolExecution)
_CALLS = Rows(MODEL_CALLS, ModelCallRecord, renamed={"cost_usd": "cost_nano_usd"}, cost_usd=dollars_if_known)
_REVIEWS = Rows(REVIEWS, Review, answers=tuple)


@dataclass(frozen=True)
class TraceReads:
    """What was recorded."""

    database: Database
    clock: Clock

    async def runs(self, limit: int = 50, *, without: str | None = None) -> list[Run]:
        """The newest runs, newest first; `without` leaves out those of one graph."""
        statement = _RUNS.select().order_by(RUNS.c.started_at.desc(), RUNS.c.run_id).limit(limit)
        if without is not None:
            statement = statement.where(RUNS.c.graph != without)
        async with self.database.read() as connection:
            return await _RUNS.all(connection, statement)

    async def last_run(self, graph: str, *, ended: bool = True) -> Run | None:
        """The run of this graph that was started last; with `ended`, of those that are over."""
        statement = _RUNS.select(RUNS.c.graph == graph)
        if ended:
            statement = statement.where(RUNS.c.ended_at.is_not(None))
        statement = statement.order_by(RUNS.c.started_at.desc(), RUNS.c.run_id).limit(1)
        async with self.database.read() as connection:
            return await _RUNS.first(connection, statement)

    async def run(self, run_id: str) -> RunTrace | None:
        """One run with its steps, tool executions, model calls and reviews shown; None when unknown."""
        steps = _STEPS.select(STEPS.c.run_id == run_id).order_by(STEPS.c.position, STEPS.c.id)
        tools = _TOOLS.select(TOOL_EXECUTIONS.c.run_id == run_id).order_by(TOOL_EXECUTIONS.c.id)
        calls = _CALLS.select(MODEL_CALLS.c.run_id == run_id).order_by(MODEL_CALLS.c.id)
        async with self.database.read() as connection:
            run = await _RUNS.first(connection, _RUNS.select(RUNS.c.run_id == run_id))
            if run is None:
                return None
            return RunTrace(
                run,
                tuple(await _STEPS.all(connection, steps)),
                tuple(await _TOOLS.all(connection, tools)),
                tuple(await _CALLS.all(connection, calls)),
                tuple(await _REVIEWS.all(connection, _shown(REVIEWS.c.run_id == run_id))),
            )

    async def reviews(self, run_thread_id: str) -> list[Review]:
        """Every card a run thread has shown, in the order of their first showing."""
        async with self.database.read() as connection:
            return await _REVIEWS.all(connection, _shown(REVIEWS.c.run_thread_id == run_thread_id))

    async def review(self, review_id: str) -> Review | None:
        """One card, or None."""
        async with self.database.read() as connection:
            return await _REVIEWS.first(connection, _REVIEWS.select(REVIEWS.c.review_id == review_id))

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
            return dollars((await connection.execute(statement)).scalar() or 0)

    async def usage_by_call(self) -> list[CallUsage]:
        """What every model call used, summed by its name, ordered by name."""
        async with self.database.read() as connection:
            return [_call_usage(row) for row in await connection.execute(_usage())]


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


def _shown(condition: ColumnElement[bool]) -> Select[Any]:
    return _REVIEWS.select(condition).order_by(REVIEWS.c.first_shown_at, REVIEWS.c.review_id)


def _call_usage(row: Row[Any]) -> CallUsage:
    values = row._asdict()
    nano = values.pop("nano")
    return CallUsage(
        call=values.pop("call"), cost_usd=dollars(nano), **{k: int(v) for k, v in values.items()}
    )


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
