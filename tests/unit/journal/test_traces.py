"""Whole traces: the runs that dealt with one mail, and what is computed over many."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from email_assistant.errors import InputError
from email_assistant.journal.database import Database
from email_assistant.journal.records import SUPERSEDED
from email_assistant.journal.trace import Trace

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


@dataclass
class Ticking:
    """A clock that goes on by a minute whenever it is read."""

    at: datetime = field(default=START)

    def now(self) -> datetime:
        """A minute later than before."""
        self.at += timedelta(minutes=1)
        return self.at


@pytest.fixture
def trace(database: Database) -> Trace:
    """The trace of a fresh database, on a clock that goes on."""
    return Trace(database, Ticking())


async def _run(
    trace: Trace, run_id: str, status: str = "ended", *, thread: str = "t", goes_on: bool = False
) -> None:
    _, steps = await trace.run_started(run_id, run_thread_id=thread, graph="reply_pipeline", goes_on=goes_on)
    await trace.step(run_id, name="n", order=steps + 1, latency_ms=5)
    await trace.run_ended(run_id, status=status, latency_ms=100)


async def test_runs_that_go_on_join_the_latest_trace(trace: Trace) -> None:
    """Of their thread and graph; a new input starts a trace; steps count through; a run that goes on alone is its own."""
    await _run(trace, "a1", "waiting")
    await _run(trace, "other", thread="another")
    await _run(trace, "a2", "failed", goes_on=True)
    await _run(trace, "a3", goes_on=True)
    await _run(trace, "b1", "waiting")
    await _run(trace, "b2", goes_on=True)
    await _run(trace, "lonely", thread="unknown", goes_on=True)
    first = await trace.find("a2")
    assert (first.trace_id, [r.run.run_id for r in first.runs]) == ("a1", ["a1", "a2", "a3"])
    assert [s.position for s in first.steps] == [1, 2, 3]
    assert (first.status, first.working_ms) == ("ended", 300)
    assert [(p.after, p.for_person) for p in first.pauses] == [("a1", True), ("a2", False)]
    assert [r.run.run_id for r in (await trace.find("b1")).runs] == ["b1", "b2"]
    assert (await trace.find("lon")).trace_id == "lonely"


async def test_beginnings(trace: Trace) -> None:
    """A beginning is enough unless several traces begin so; signs that mean something to SQL mean nothing."""
    await _run(trace, "abc-1", "waiting")
    await _run(trace, "abc-2", goes_on=True)
    await _run(trace, "abd", thread="u")
    assert (await trace.find("abc")).trace_id == "abc-1"
    assert (await trace.find("abd")).trace_id == "abd"
    with pytest.raises(InputError, match="several traces begin with 'ab'"):
        await trace.find("ab")
    for wrong in ("", "%", "_bc", "zzz", "abc-1'; DROP TABLE runs; --", "\0", "\ud800"):
        with pytest.raises(InputError, match="no trace and no run"):
            await trace.find(wrong)


async def test_a_superseded_card_waits_no_more(trace: Trace) -> None:
    """The pause ends when the card gave way; one that nobody has answered lasts."""
    await _run(trace, "a1", "waiting")
    await trace.review_shown("r", run_id="a1", run_thread_id="t", title="T", card={}, step_name="human_queue")
    (pause,) = (await trace.find("a1")).pauses
    assert (pause.for_person, pause.ended_at) == (True, None)
    await trace.reviews_closed("t", SUPERSEDED, "newer")
    found = await trace.find("a1")
    assert found.status == SUPERSEDED
    assert found.pauses[0].ended_at is not None
    assert found.runs[0].reviews[0].step_name == "human_queue"
