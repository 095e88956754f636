"""Reading the record of the runs: one by one, as a person looks for them, and as whole traces of one mail."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, or_, select

from email_assistant.errors import InputError
from email_assistant.journal.attention import mail_name
from email_assistant.journal.database import Database
from email_assistant.journal.deferred import REVIEW_ROWS, DeferredReviews
from email_assistant.journal.records import (
    SUPERSEDED,
    WAITING,
    ModelCallRecord,
    Review,
    Run,
    RunTrace,
    Step,
    ToolExecution,
)
from email_assistant.journal.sql import Rows, chunks, dollars, dollars_if_known
from email_assistant.journal.tables import (
    MAIL,
    MODEL_CALLS,
    REVIEWS,
    RUNS,
    STEPS,
    TOOL_EXECUTIONS,
)

MOST_ANSWERS = 2_000
"""Answers that are read at once."""
_RUNS = Rows(RUNS, Run)
_STEPS = Rows(STEPS, Step)
_TOOLS = Rows(TOOL_EXECUTIONS, ToolExecution)
_CALLS = Rows(MODEL_CALLS, ModelCallRecord, renamed={"cost_usd": "cost_nano_usd"}, cost_usd=dollars_if_known)


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


UNDONE = "taken back"
"""The decision that is on record where what an answer did was undone."""


@dataclass(frozen=True, slots=True)
class GivenEntry:
    """An answer on record."""

    review_id: str
    thread_id: str
    title: str
    """Of the card that it was given to."""
    named: Mapping[str, Any]
    """{"kind", "who", "subject"} of that card; {} of one that was never shown."""
    id: str
    """Of whoever gave it; "" where it brought none."""
    decision: str
    answer: Mapping[str, Any]
    args: Mapping[str, str]
    """The card's fields as they were answered."""
    at: datetime
    is_undone: bool = False
    failure: str = ""
    """Why what was approved was not done; "" when it was."""


@dataclass(frozen=True)
class TraceReads(DeferredReviews):
    """What was recorded."""

    async def runs(self, limit: int = 50, *, without: str | None = None) -> list[Run]:
        """The newest runs, newest first; `without` leaves out those of one graph."""
        statement = _RUNS.select().order_by(RUNS.c.started_at.desc(), RUNS.c.run_id).limit(limit)
        if without is not None:
            statement = statement.where(RUNS.c.graph != without)
        return await _RUNS.read(self.database, statement)

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
                tuple(await REVIEW_ROWS.all(connection, _shown(REVIEWS.c.run_id == run_id))),
            )

    async def reviews(self, run_thread_id: str) -> list[Review]:
        """Every card a run thread has shown, in the order of their first showing."""
        return await REVIEW_ROWS.read(self.database, _shown(REVIEWS.c.run_thread_id == run_thread_id))

    async def review(self, review_id: str) -> Review | None:
        """One card, or None."""
        return await REVIEW_ROWS.read_first(
            self.database, REVIEW_ROWS.select(REVIEWS.c.review_id == review_id)
        )

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

    async def given_answer(self, run_thread_id: str, answer_id: str) -> GivenEntry | None:
        """The answer that was given under this id to a card of the thread."""
        found = await self.reviews(run_thread_id)
        return next((each for review in found for each in _entries(review) if each.id == answer_id), None)

    async def answers_since(self, instant: datetime, *, limit: int = MOST_ANSWERS) -> list[GivenEntry]:
        """The answers that were given since, newest first."""
        newest = REVIEW_ROWS.select(REVIEWS.c.decided_at >= instant).order_by(REVIEWS.c.decided_at.desc())
        found = await REVIEW_ROWS.read(self.database, newest.limit(limit))
        entries = [each for review in found for each in _entries(review) if each.at >= instant]
        entries.sort(key=lambda each: (each.at, each.review_id), reverse=True)
        failures = await self._failures(instant)
        for at, each in enumerate(entries):
            failed_at, why = failures.get(each.thread_id, (each.at, ""))
            if why and failed_at >= each.at:
                entries[at] = replace(each, failure=why)
                del failures[each.thread_id]  # Of an earlier answer it says nothing.
        return entries

    async def last_answered(self) -> datetime | None:
        """When somebody has answered last."""
        async with self.database.read() as connection:
            last: datetime | None = (
                await connection.execute(select(func.max(REVIEWS.c.decided_at)))
            ).scalar()
        return last

    async def _failures(self, since: datetime) -> dict[str, tuple[datetime, str]]:
        """By run thread when and why the approved action that it performed last has failed, where it has."""
        c = TOOL_EXECUTIONS.c
        statement = (
            select(c.tool_call_id, c.success, c.error, c.recorded_at)
            .where(c.recorded_at >= since)
            .order_by(c.id)
        )
        async with self.database.read() as connection:
            rows = (await connection.execute(statement)).all()
        last = {row.tool_call_id.partition(":")[0]: row for row in rows if ":" in row.tool_call_id}
        return {
            thread: (row.recorded_at, row.error or "it did not work")
            for thread, row in last.items()
            if not row.success
        }

    async def find(self, beginning: str) -> WholeTrace:
        """The trace that has this id, or a run of this id, or whose id, or a run's, begins like this.

        Raises `InputError` when there is none, or more than one.
        """
        if beginning:
            for statement in (_by_id(beginning), _by_beginning(beginning)):
                async with self.database.read() as connection:
                    found = [str(row.trace_id) for row in await connection.execute(statement)]
                if len(found) == 1:
                    return await self._whole(found[0])
                if found:
                    raise InputError(
                        f"several traces begin with {beginning!r}, {found[0]} among them; give more of the id"
                    )
        raise InputError(
            f"the journal has no trace and no run {beginning!r}; `email-assistant journal show` lists them"
        )

    async def _whole(self, trace_id: str) -> WholeTrace:
        order = (RUNS.c.started_at, RUNS.c.run_id)
        statement = select(RUNS.c.run_id).where(RUNS.c.trace_id == trace_id).order_by(*order)
        async with self.database.read() as connection:
            ids = list((await connection.execute(statement)).scalars())
        runs = [run for run_id in ids if (run := await self.run(run_id)) is not None]
        return WholeTrace(trace_id, tuple(runs))


def _entries(review: Review) -> list[GivenEntry]:
    card = review.card if isinstance(review.card, dict) else {}
    shown = (card.get("action_request") or {}).get("args") or {}
    undone = {one.get("given") for one in review.answers if one["decision"] == UNDONE}
    return [
        GivenEntry(
            review.review_id,
            review.run_thread_id,
            review.title,
            card.get("named") or {},
            (given := str(one.get("given") or "")),
            str(one["decision"]),
            (answer := one["answer"] if isinstance(one["answer"], dict) else {}),
            answer.get("args") or shown,
            datetime.fromisoformat(one["decided_at"]),
            is_undone=bool(given) and given in undone,
        )
        for one in review.answers
        if one["decision"] != UNDONE
    ]


def _shown(condition: ColumnElement[bool]) -> Select[Any]:
    return REVIEW_ROWS.select(condition).order_by(REVIEWS.c.first_shown_at, REVIEWS.c.review_id)


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
    mails = await _mails(reads.database, [run.trace_id for run in runs])
    return [ListedRun(run, **mails.get(run.trace_id, {})) for run in runs]


async def _mails(database: Database, trace_ids: list[str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    async with database.read() as connection:
        for some in chunks(trace_ids):
            for row in await connection.execute(_statement(some)):
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


def _by_id(wanted: str) -> Select[tuple[str]]:
    return select(RUNS.c.trace_id).where(or_(RUNS.c.trace_id == wanted, RUNS.c.run_id == wanted)).distinct()


def _by_beginning(beginning: str) -> Select[tuple[str]]:
    like = [column.startswith(beginning, autoescape=True) for column in (RUNS.c.trace_id, RUNS.c.run_id)]
    return select(RUNS.c.trace_id).where(or_(*like)).distinct().order_by(RUNS.c.trace_id).limit(2)


@dataclass(frozen=True, slots=True)
class Usage:
    """Of all model calls on record."""

    calls: int
    tokens: int
    """Those asked with and those answered with."""


async def usage_of_models(database: Database) -> Usage:
    """What was asked of models."""
    c = MODEL_CALLS.c
    statement = select(
        func.count(),
        func.coalesce(func.sum(c.prompt_tokens), 0),
        func.coalesce(func.sum(c.completion_tokens), 0),
    ).select_from(MODEL_CALLS)
    async with database.read() as connection:
        calls, asked, answered = (await connection.execute(statement)).one()
    return Usage(int(calls), int(asked) + int(answered))


async def cost_since(database: Database, instant: datetime) -> Decimal:
    """US dollars of the model calls recorded since the instant; those of unknown price count 0."""
    statement = select(func.sum(MODEL_CALLS.c.cost_nano_usd)).where(MODEL_CALLS.c.recorded_at >= instant)
    async with database.read() as connection:
        return dollars((await connection.execute(statement)).scalar() or 0)
