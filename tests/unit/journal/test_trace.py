"""The record of the runs."""

import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.journal.trace import Trace
from email_assistant.journal.traces import Usage, cost_since, usage_of_models

CARD = {"action_request": {"action": "Send reply to Ana", "args": {"body": "Secret body of the mail"}}}


@pytest.fixture
def trace(database: Database, clock: FixedClock) -> Trace:
    """The trace of a fresh database."""
    return Trace(database, clock)


async def _started(trace: Trace, run_id: str = "run1") -> None:
    await trace.run_started(run_id, run_thread_id="thread1", graph="email_assistant")


async def _step(trace: Trace, name: str, order: int, run_id: str = "run1") -> None:
    await trace.step(run_id, name=name, order=order, latency_ms=1.5)


async def _shown(trace: Trace, review_id: str = "rev1", title: str = "Send reply to Ana") -> None:
    await trace.review_shown(review_id, run_id="run1", run_thread_id="thread1", title=title, card=CARD)


async def test_a_run_with_everything(trace: Trace, clock: FixedClock) -> None:
    """A run is read back with its steps in their order, and with what was called and shown."""
    await _started(trace)
    await _step(trace, "respond", 2)
    await _step(trace, "triage", 1)
    await _step(trace, "elsewhere", 1, run_id="run2")
    await trace.tool_execution(
        "run1",
        tool_call_id="c1",
        name="check_calendar",
        params={"days": "2026-11-26"},
        result="free",
        success=True,
        latency_ms=3,
    )
    await trace.model_call("run1", {"call": "triage", "cost_usd": Decimal("0.000123")})
    await _shown(trace)
    await trace.run_ended("run1", status="ended")
    found = await trace.run("run1")
    assert found is not None
    assert (found.run.status, found.run.ended_at, found.run.graph) == (
        "ended",
        clock.now(),
        "email_assistant",
    )
    assert [s.name for s in found.steps] == ["triage", "respond"]
    assert [(t.name, t.params, t.result) for t in found.tools] == [
        ("check_calendar", {"days": "2026-11-26"}, "free")
    ]
    assert [(c.call, c.cost_usd) for c in found.model_calls] == [("triage", Decimal("0.000123"))]
    assert [(r.title, r.card) for r in found.reviews] == [("Send reply to Ana", CARD)]


async def test_a_run_that_begins_again(trace: Trace) -> None:
    """A run that is executed again after a crash is one run, running again since its first start."""
    await _started(trace)
    await trace.run_ended("run1", status="failed", error="lost")
    later = replace(trace, clock=FixedClock(trace.clock.now() + timedelta(hours=1)))
    await _started(later)
    (run,) = await trace.runs()
    assert (run.status, run.error, run.ended_at) == ("running", None, None)
    assert run.started_at == trace.clock.now()


async def test_a_card_shown_again(trace: Trace) -> None:
    """The same review shown again is one row with a count, and its card is what was seen last."""
    await _shown(trace)
    later = replace(trace, clock=FixedClock(trace.clock.now() + timedelta(minutes=1)))
    again = CARD | {"description": "The edit was not taken."}
    await later.review_shown("rev1", run_id="run2", run_thread_id="thread1", title="Send", card=again)
    (review,) = await trace.reviews("thread1")
    assert (review.shown_count, review.card, review.run_id) == (2, again, "run1")
    assert review.last_shown_at - review.first_shown_at == timedelta(minutes=1)


async def test_every_answer_is_kept(trace: Trace, clock: FixedClock) -> None:
    """A first answer that was not understood stays on record when the second one decides."""
    await _shown(trace)
    await trace.review_decided("rev1", decision="not understood", answer={"problem": "empty"})
    await trace.review_decided("rev1", decision="accept", answer={"type": "accept", "args": None})
    review = await trace.review("rev1")
    assert review is not None
    assert (review.decision, review.answer) == ("accept", {"type": "accept", "args": None})
    assert [a["decision"] for a in review.answers] == ["not understood", "accept"]
    assert review.decided_at == clock.now()


async def test_what_failed_is_told_of_the_answer_that_it_was_done_for(
    database: Database, clock: FixedClock
) -> None:
    """Not of words or another answer that came after it, and not where it worked in the end."""
    begun, minute = clock.now(), timedelta(minutes=1)

    def at(minutes: int) -> Trace:
        return Trace(database, FixedClock(begun + minutes * minute))

    async def answered(minutes: int, thread: str, decision: str) -> None:
        await at(minutes).review_shown(
            f"r{thread}", run_id="run", run_thread_id=thread, title="Reply", card={}
        )
        await at(minutes).review_decided(
            f"r{thread}", decision=decision, answer={}, answer_id=f"{thread}{minutes}"
        )

    async def done(minutes: int, thread: str, error: str | None) -> None:
        told = {"params": {}, "result": "", "latency_ms": 1.0, "error": error, "success": error is None}
        await at(minutes).tool_execution("run", tool_call_id=f"{thread}:call", name="send_email", **told)

    await answered(1, "a", "accept")
    await done(2, "a", "the mailbox is full")
    await answered(3, "b", "accept")
    await done(4, "b", "the mailbox is full")
    await answered(5, "b", "response")
    await answered(6, "c", "accept")
    await done(7, "c", "the mailbox is full")
    await done(8, "c", None)
    told = [(each.thread_id, each.decision, bool(each.failure)) for each in await at(9).answers_since(begun)]
    assert told == [
        ("c", "accept", False),
        ("b", "response", False),
        ("b", "accept", True),
        ("a", "accept", True),
    ]


async def test_cost_and_usage(database: Database) -> None:
    """Costs are exact decimal sums from an instant on, in which an unknown price counts nothing; each call's tokens count."""
    start = datetime(2026, 11, 20, tzinfo=UTC)
    assert await usage_of_models(database) == Usage(0, 0)
    early = Trace(database, FixedClock(start))
    late = Trace(database, FixedClock(start + timedelta(days=1)))
    tokens = {"prompt_tokens": 100, "completion_tokens": 20, "cached_tokens": 50}
    for _ in range(3):
        await early.model_call("r", {"call": "triage", "cost_usd": "0.000000025", **tokens})
    await late.model_call("r", {"call": "triage", "cost_usd": Decimal("0.1"), **tokens})
    await late.model_call("r", {"call": "respond", "cost_usd": None, "error": "429", **tokens})
    assert await cost_since(late.database, start) == Decimal("0.100000075")
    assert await cost_since(late.database, start + timedelta(days=1)) == Decimal("0.1")
    assert await cost_since(late.database, start + timedelta(days=2)) == 0
    assert await usage_of_models(late.database) == Usage(5, 600)


async def test_the_log_never_carries_bodies(
    trace: Trace, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the human saw is in the database and nowhere in the log."""
    caplog.set_level(logging.DEBUG)
    await _started(trace)
    await _shown(trace)
    await trace.review_decided("rev2", decision="edit", answer=CARD)
    printed = capsys.readouterr()
    assert "Secret" not in printed.out + printed.err + caplog.text
    assert "rev2" in printed.out + printed.err + caplog.text
