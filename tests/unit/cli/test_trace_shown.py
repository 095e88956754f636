"""One trace for a person: the tree and the JSON."""

import asyncio
from typing import Any

import pytest

from email_assistant.app.assistant import deps_of
from email_assistant.journal.trace import Trace
from email_assistant.settings import load_settings
from tests.unit.cli.called import Command

EVIL = "</pre></details><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\u202e\x1b[31m\ud800"
MAIL = {"from": f"Eve {EVIL} <eve@elsewhere.example>", "subject": f"Invoice {EVIL}", "body": EVIL * 50}


async def _step(
    trace: Trace, run_id: str, order: int, name: str, state: dict[str, Any], update: dict[str, Any]
) -> None:
    await trace.step(
        run_id, name=name, order=order, latency_ms=250.0 * order,
        input_state=state, output_state=update, step_id=f"step {order}", error=f"Oops {EVIL}" if name == "dispatch" else None,
    )  # fmt: skip


async def _written() -> None:
    """A trace of two runs, in which everything that comes from outside is hostile."""
    trace = deps_of(load_settings()).trace
    await trace.run_started("run-a", run_thread_id="t", graph="reply_pipeline")
    state: dict[str, Any] = {"email": MAIL}
    for order, name in enumerate(("classify", "retrieve", "decide", "generate"), 1):
        await _step(trace, "run-a", order, name, state, {"draft_response": {"body": f"Dear Eve {EVIL}"}})
    await trace.tool_execution(
        "run-a", tool_call_id="c", name=f"look_up{EVIL}", params={"q": EVIL}, result=EVIL, success=False,
        latency_ms=12, error=EVIL, step_id="step 3",
    )  # fmt: skip
    await trace.review_shown(
        "rev",
        run_id="run-a",
        run_thread_id="t",
        title=f"Send {EVIL}",
        card={"a": EVIL},
        step_name="human_queue",
    )
    await trace.run_ended("run-a", status="waiting", latency_ms=2500)
    await trace.review_decided("rev", decision="accept", answer={"type": "accept"})
    await trace.run_started("run-b", run_thread_id="t", graph="reply_pipeline", goes_on=True)
    await _step(trace, "run-b", 5, "dispatch", state, {"final_response": f"Sent {EVIL}"})
    await trace.run_ended("run-b", status="failed", error=f"Oops {EVIL}", latency_ms=1300)


@pytest.fixture
def recorded(command: Command) -> Command:
    """The command, with that trace in its journal."""
    asyncio.run(_written())
    return command


def test_the_tree(recorded: Command) -> None:
    """Runs, steps, and under each step its tools, model calls and cards; a run's id or a beginning is enough."""
    code, out, _ = recorded("journal", "show", "run-b")
    assert code == 0
    assert "\x1b" not in out
    assert "\u202e" not in out
    told = (
        "run-a of reply_pipeline: failed",
        "classify",
        "retrieve",
        "tool: look_up",
        "generate",
        "card: Send",
        "run-b",
        "dispatch",
    )
    places = [out.index(each) for each in told]
    assert places == sorted(places)
    assert recorded("journal", "show", "run-a")[1] == recorded("journal", "show", "run-b")[1]
