"""One trace for a person: the tree and the JSON."""

import asyncio
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from email_assistant import app as bootstrap
from email_assistant.cli.main import main
from email_assistant.journal.json_values import Snapshots
from email_assistant.journal.trace import Trace
from email_assistant.settings import NAMES

Command = Callable[..., tuple[int, str, str]]
EVIL = "</pre></details><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\u202e\x1b[31m\ud800"
MAIL = {"from": f"Eve {EVIL} <eve@elsewhere.example>", "subject": f"Invoice {EVIL}", "body": EVIL * 50}
PASSAGES = [
    {"source": "notes/prices.md", "score": 0.83, "text": f"The price is 120. {EVIL}"},
    "a bare passage",
]
CALL = {
    "call": "generate",
    "model": "openai:m",
    "prompt_tokens": 900,
    "completion_tokens": 50,
    "cost_usd": "0.0012",
}


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in a folder of its own; gives its exit code, stdout and stderr."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["email-assistant", *args])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr()
        return int(end.value.code or 0), printed.out, printed.err

    return run


async def _step(
    trace: Trace, run_id: str, order: int, name: str, state: dict[str, Any], update: dict[str, Any]
) -> None:
    snapshot = Snapshots().of(state, update)
    await trace.step(
        run_id, name=name, order=order, latency_ms=250.0 * order,
        trace_id="run-a", snapshot=snapshot, step_id=f"step {order}", error=f"Oops {EVIL}" if name == "dispatch" else None,
    )  # fmt: skip


async def _written() -> None:
    """A trace of two runs, in which everything that comes from outside is hostile."""
    trace = bootstrap.container().trace
    await trace.run_started("run-a", run_thread_id="t", graph="reply_pipeline")
    state: dict[str, Any] = {"email": MAIL}
    for order, (name, update) in enumerate(
        {
            "classify": {"classification": "question", "confidence": 0.9},
            "retrieve": {"context": PASSAGES},
            "decide": {"selected_tools": ["look_up"], "dropped_tools": ["send_money"]},
            "generate": {"draft_response": {"body": f"Dear Eve {EVIL}"}, "requires_approval": True},
        }.items(), 1
    ):  # fmt: skip
        await _step(trace, "run-a", order, name, state, update)
        state |= update
    await trace.tool_execution(
        "run-a", tool_call_id="c", name=f"look_up{EVIL}", params={"q": EVIL}, result=EVIL, success=False,
        latency_ms=12, error=EVIL, step_id="step 3",
    )  # fmt: skip
    await trace.model_call("run-a", CALL, step_id="step 4")
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
    lines = [re.sub(r"[<\\].*", "", line).rstrip() for line in out.splitlines()]
    assert lines[0] == "trace run-a of reply_pipeline: failed"
    assert "3.80 s of work in" in lines[2]
    assert lines[3] == "  run 1 (run-a): waiting, 2.50 s"
    assert lines[4:9] == [
        "      1 classify  250.0 ms",
        "      2 retrieve  500.0 ms",
        "      3 decide  750.0 ms",
        "        tool: look_up",
        "      4 generate  1.00 s",
    ]
    assert lines[9] == "        model call: generate by openai:m: 900+50 tokens, 0.001200 US dollars, 0.0 ms"
    assert lines[10:12] == ["      ? human_queue asks", "        card: Send"]
    assert lines[12].startswith("  waiting for a person: ")
    assert lines[13] == "  run 2 (run-b): failed, 1.30 s Oops"
    assert lines[14] == "      5 dispatch  1.25 s  failed: Oops"
    assert len(lines) == 15
    assert recorded("journal", "show", "run-a")[1] == recorded("journal", "show", "run-b")[1]


def test_the_json(recorded: Command) -> None:
    """The whole with snapshots, under the names of a trace's fields."""
    told = json.loads(recorded("journal", "show", "run-a", "--json")[1])
    assert (told["trace_id"], told["status"], told["working_ms"]) == ("run-a", "failed", 3800)
    steps = [step for run in told["runs"] for step in run["steps"]]
    assert [(s["step_order"], s["step_name"]) for s in steps] == [
        (1, "classify"), (2, "retrieve"), (3, "decide"), (4, "generate"), (5, "dispatch"),
    ]  # fmt: skip
    assert steps[0]["input_state"]["email"]["subject"].startswith("Invoice </pre>")
    assert steps[1]["output_state"] == {"context": steps[4]["input_state"]["context"]}
    assert (steps[0]["error_message"], steps[0]["latency_ms"]) == (None, 250)
    assert steps[4]["error_message"].startswith("Oops")
