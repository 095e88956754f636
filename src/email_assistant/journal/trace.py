"""The append-only record of what happened in the runs. Cards may hold mail; the log never does."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import structlog
from sqlalchemy import Table, bindparam, case, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.errors import InputError
from email_assistant.journal.deferred import UNANSWERED
from email_assistant.journal.engines import one_write
from email_assistant.journal.records import RUNNING, SUPERSEDED
from email_assistant.journal.sql import (
    NANO,
    JsonValue,
    check_keys,
    insert_or_ignore,
    inserting,
    plain,
    upsert,
)
from email_assistant.journal.tables import (
    MODEL_CALLS,
    REVIEWS,
    RUNS,
    STEPS,
    TOOL_EXECUTIONS,
)
from email_assistant.journal.traces import UNDONE, GivenEntry, TraceReads

LATEST = 100
"""Runs of a trace that are looked through for its last step."""
NOT_SEEN = "(a card that is not on record)"
_NOT_SHOWN: dict[str, Any] = {
    "run_id": "",
    "run_thread_id": "",
    "card": None,
    "shown_count": 0,
    "answers": [],
}

_LATEST_TRACE = (
    select(RUNS.c.trace_id)
    .where(RUNS.c.run_thread_id == bindparam("of_thread"), RUNS.c.graph == bindparam("of_graph"))
    .order_by(RUNS.c.started_at.desc(), RUNS.c.run_id)
    .limit(1)
)
_TRACE_OF = select(RUNS.c.trace_id).where(RUNS.c.run_id == bindparam("of_run"))
_RUNS_OF = (
    select(RUNS.c.run_id)
    .where(RUNS.c.trace_id == bindparam("of_trace"))
    .order_by(RUNS.c.started_at.desc())
    .limit(LATEST)
)
_HIGHEST = select(func.max(STEPS.c.position)).where(STEPS.c.run_id.in_(bindparam("of_runs", expanding=True)))
_END = update(RUNS).where(RUNS.c.run_id == bindparam("of_run"))
_END_TIMED = _END.values(latency_ms=func.coalesce(RUNS.c.latency_ms, 0) + bindparam("worked"))
_ANSWERS = select(REVIEWS.c.answers).where(REVIEWS.c.review_id == bindparam("of_review")).with_for_update()
_DECIDE = update(REVIEWS).where(REVIEWS.c.review_id == bindparam("of_review"))
_CLOSE = update(REVIEWS).where(REVIEWS.c.run_thread_id == bindparam("of_thread"), UNANSWERED)

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Trace(TraceReads):
    """Writes the record; reading is inherited."""

    @one_write
    async def run_started(
        self,
        run_id: str,
        *,
        run_thread_id: str,
        graph: str,
        goes_on: bool = False,
        message_id: str | None = None,
    ) -> tuple[str, int]:
        """A run begins; one that begins again under its id is running again, in its trace, since its first start.

        A run that `goes_on` joins the trace of the thread's latest run; another one starts a trace. Returns the
        trace's id and how many steps it has.
        """
        check_keys(run_id=run_id)
        values = {
            "run_id": run_id,
            "trace_id": run_id,
            "message_id": message_id,
            "run_thread_id": run_thread_id,
            "graph": graph,
            "started_at": self.clock.now(),
        }
        again = {"status": RUNNING, "ended_at": None, "error": None}
        async with self.database.begin() as connection:
            if goes_on and (latest := await _latest_trace(connection, run_thread_id, graph)):
                values["trace_id"] = latest
            await upsert(connection, RUNS, values | again, keys=("run_id",), update=tuple(again))
            trace_id = (await connection.execute(_TRACE_OF, {"of_run": run_id})).scalar_one()
            return str(trace_id), await _steps(connection, trace_id)

    @one_write
    async def run_ended(
        self, run_id: str, *, status: str, error: str | None = None, latency_ms: float | None = None
    ) -> None:
        """A run comes to its end, or stops at a review, after having worked for `latency_ms` since it began (again)."""
        change = {"of_run": run_id, "status": status, "error": error, "ended_at": self.clock.now()}
        async with self.database.begin() as connection:
            if latency_ms is None:
                await connection.execute(_END, change)
            else:
                await connection.execute(_END_TIMED, change | {"worked": latency_ms})

    @one_write
    async def step(
        self,
        run_id: str,
        *,
        name: str,
        order: int,
        latency_ms: float,
        input_state: JsonValue = None,
        output_state: JsonValue = None,
        error: str | None = None,
        step_id: str | None = None,
    ) -> None:
        """A node has worked; `order` counts from 1 within the trace. Tools and model calls refer to `step_id`."""
        values = {"run_id": run_id, "name": name, "position": order, "latency_ms": latency_ms, "error": error}
        states = {"input_state": input_state, "output_state": output_state}
        async with self.database.begin() as connection:
            await self._insert(connection, STEPS, values | states | {"step_id": step_id})

    async def tool_execution(
        self,
        run_id: str,
        *,
        tool_call_id: str,
        name: str,
        params: Mapping[str, Any],
        result: Any,
        success: bool,
        latency_ms: float,
        error: str | None = None,
        step_id: str | None = None,
    ) -> None:
        """A tool call was answered."""
        values = {
            "run_id": run_id,
            "step_id": step_id,
            "tool_call_id": tool_call_id,
            "name": name,
            "success": success,
            "error": error,
        }
        await self._add(
            TOOL_EXECUTIONS,
            values | {"params": plain(params), "result": plain(result), "latency_ms": latency_ms},
        )

    async def model_call(self, run_id: str, usage: Mapping[str, Any], *, step_id: str | None = None) -> None:
        """A model call has ended. `usage` has the fields of `ModelCallRecord`; only `call` is needed."""
        await self._add(MODEL_CALLS, {"run_id": run_id, "step_id": step_id, **_usage(usage)})

    @one_write
    async def review_shown(
        self,
        review_id: str,
        *,
        run_id: str,
        run_thread_id: str,
        title: str,
        card: Mapping[str, Any],
        step_name: str | None = None,
    ) -> None:
        """A card is put before the human; shown again, it is counted and the latest card is kept."""
        check_keys(review_id=review_id)
        now = self.clock.now()
        first = {
            "run_id": run_id,
            "run_thread_id": run_thread_id,
            "step_name": step_name,
            "first_shown_at": now,
        }
        last = {"title": title, "card": plain(card), "last_shown_at": now}
        values = first | last | {"review_id": review_id, "shown_count": 1, "answers": []}
        async with self.database.begin() as connection:
            await upsert(connection, REVIEWS, values, keys=("review_id",), update=_shown_again)

    @one_write
    async def review_deferred(
        self, review_id: str, *, thread_id: str, title: str, card: Mapping[str, Any]
    ) -> None:
        """A card is put where no run waits for it; what else waits on its thread gives way. Safe to repeat, also once it was answered."""
        check_keys(review_id=review_id)
        now = self.clock.now()
        times = {"first_shown_at": now, "last_shown_at": now}
        row = {
            "review_id": review_id,
            "run_thread_id": thread_id,
            "title": title,
            "card": plain(card),
            "shown_count": 1,
        }
        async with self.database.begin() as connection:
            await connection.execute(
                _CLOSE.where(REVIEWS.c.review_id != review_id),
                {"of_thread": thread_id, "decision": SUPERSEDED, "answer": {}, "decided_at": now},
            )
            await insert_or_ignore(connection, REVIEWS, _NOT_SHOWN | row | times)

    @one_write
    async def review_decided(
        self, review_id: str, *, decision: str, answer: Any, answer_id: str = "", given: str = ""
    ) -> None:
        """The human has answered. Every answer is kept once (by its id); the last one is the decision. `given` is the id that it brought.

        An answer to a card that is not on record is recorded all the same.
        """
        check_keys(review_id=review_id)
        now, plainly = self.clock.now(), plain(answer)
        entry = {"decision": decision, "answer": plainly, "decided_at": now.isoformat()}
        entry |= ({"id": answer_id} if answer_id else {}) | ({"given": given} if given else {})
        unseen = {"review_id": review_id, "title": NOT_SEEN, "first_shown_at": now, "last_shown_at": now}
        one = {"of_review": review_id}
        async with self.database.begin() as connection:
            if await insert_or_ignore(connection, REVIEWS, _NOT_SHOWN | unseen):
                log.warning("answer_to_unknown_review", review_id=review_id)
            # PostgreSQL needs the lock on the row; SQLite has locked everything already.
            answers = (await connection.execute(_ANSWERS, one)).scalar_one()
            if answer_id and any(each.get("id") == answer_id for each in answers):
                return
            change = {
                "decision": decision,
                "answer": plainly,
                "decided_at": now,
                "answers": [*answers, entry],
            }
            await connection.execute(_DECIDE, one | change)

    @one_write
    async def answer_undone(self, entry: GivenEntry) -> None:
        """What an answer did was taken back."""
        undone: dict[str, Any] = {
            "decision": UNDONE,
            "answer": {},
            "given": entry.id,
            "decided_at": self.clock.now().isoformat(),
        }
        one = {"of_review": entry.review_id}
        async with self.database.begin() as connection:
            answers = (await connection.execute(_ANSWERS, one)).scalar_one()
            of_it = update(REVIEWS).where(REVIEWS.c.review_id == entry.review_id)
            await connection.execute(of_it.values(answers=[*answers, undone]))

    @one_write
    async def reviews_closed(self, run_thread_id: str, decision: str, reason: str) -> None:
        """The cards of this thread that nobody has answered, or not since they were shown again, were settled in another way."""
        change = {"decision": decision, "answer": {"reason": reason}, "decided_at": self.clock.now()}
        async with self.database.begin() as connection:
            await connection.execute(_CLOSE, change | {"of_thread": run_thread_id})

    @one_write
    async def _add(self, table: Table, values: Mapping[str, Any]) -> None:
        async with self.database.begin() as connection:
            await self._insert(connection, table, values)

    async def _insert(self, connection: AsyncConnection, table: Table, values: Mapping[str, Any]) -> None:
        await connection.execute(inserting(table), {**values, "recorded_at": self.clock.now()})


def _shown_again(card: Any) -> dict[str, Any]:
    # A row that was made by an answer alone gets its first showing now.
    unseen = REVIEWS.c.shown_count == 0
    first = ("run_id", "run_thread_id", "step_name", "first_shown_at")
    return {
        **{name: case((unseen, card[name]), else_=REVIEWS.c[name]) for name in first},
        **{name: card[name] for name in ("title", "card", "last_shown_at")},
        "shown_count": REVIEWS.c.shown_count + 1,
        # A card that gave way and is put up again after a crash is open again.
        "decision": case((REVIEWS.c.decision == SUPERSEDED, None), else_=REVIEWS.c.decision),
    }


async def _latest_trace(connection: AsyncConnection, run_thread_id: str, graph: str) -> str | None:
    of = {"of_thread": run_thread_id, "of_graph": graph}
    found: str | None = (await connection.execute(_LATEST_TRACE, of)).scalar()
    return found


async def _steps(connection: AsyncConnection, trace_id: str) -> int:
    """The trace's highest step; the numbers ascend, so the latest runs have it."""
    # Two statements: as one, PostgreSQL may read all steps there are.
    runs = (await connection.execute(_RUNS_OF, {"of_trace": trace_id})).scalars().all()
    return (await connection.execute(_HIGHEST, {"of_runs": runs})).scalar() or 0


_USED: Mapping[str, Any] = {
    "tier": "", "model": "", "prompt_tokens": 0, "completion_tokens": 0, "cached_tokens": 0,
    "latency_ms": 0.0, "attempts": 1, "estimated": False,
}  # fmt: skip
"""What a call used, as far as it does not say otherwise."""


def _usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    if not usage.get("call"):
        raise InputError("usage: call is missing")
    used = {name: type(default)(usage.get(name) or default) for name, default in _USED.items()}
    cost, error = usage.get("cost_usd"), usage.get("error")
    nano = None if cost is None else (Decimal(str(cost)) * NANO).to_integral_value(ROUND_HALF_EVEN)
    return used | {
        "call": str(usage["call"]),
        "cost_nano_usd": None if nano is None else int(nano),
        "error": None if error is None else str(error),
    }
