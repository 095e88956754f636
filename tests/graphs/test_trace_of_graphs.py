"""The trace of a small compiled graph: a pause, a failure, parallel nodes."""

import operator
from pathlib import Path
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from email_assistant.app.assistant import AppDeps
from email_assistant.app.graphs import observer
from email_assistant.journal.records import RunTrace
from email_assistant.journal.traces import WholeTrace
from email_assistant.models.usage import USAGE_EVENT
from tests.support.desk import desk

MAIL = {
    "from": "Ana <ana@lumen.example>",
    "to": "robin@vale.example",
    "subject": "Hi",
    "body": "Text",
    "id": "m1",
}
CONFIG = {"configurable": {"thread_id": "thread-1"}}


class State(TypedDict, total=False):
    """A small one."""

    email: dict[str, Any]
    classification: str
    steps: Annotated[list[str], operator.add]
    performed: list[dict[str, Any]]


async def classify(state: State) -> State:
    """Reports a model call."""
    from langchain_core.callbacks import adispatch_custom_event

    await adispatch_custom_event(USAGE_EVENT, {"call": "classify", "model": "m", "cost_usd": "0.000002"})
    return {"classification": "reply", "steps": ["classify"]}


async def left(state: State) -> State:
    """One of two at once."""
    return {"steps": ["left"]}


async def right(state: State) -> State:
    """The other; it uses a tool."""
    done = {
        "id": "c1",
        "name": "look",
        "params": {"q": 1},
        "result": "r",
        "success": False,
        "error": "no",
        "latency_ms": 7,
    }
    return {"steps": ["right"], "performed": [done]}


async def human_queue(state: State) -> State:
    """Asks."""
    email = state["email"]
    answer = interrupt([{"action_request": {"action": f"Reply to {email['id']}", "args": {}}}])
    return {"steps": [str(answer)]}


FAULTY = {"times": 0}


async def dispatch(state: State) -> State:
    """Fails as often as it is told to."""
    if FAULTY["times"]:
        FAULTY["times"] -= 1
        raise ValueError("the mailbox is gone")
    return {"steps": ["dispatch"]}


def _graph(house: AppDeps) -> Any:
    graph = StateGraph(State)
    for node in (classify, left, right, human_queue, dispatch):
        graph.add_node(node)
    graph.add_edge(START, "classify")
    graph.add_edge("classify", "left")
    graph.add_edge("classify", "right")
    graph.add_edge(["left", "right"], "human_queue")
    graph.add_edge("human_queue", "dispatch")
    graph.add_edge("dispatch", END)
    compiled = graph.compile(name="small", checkpointer=InMemorySaver())
    watching = observer(house, "small", mail_of=lambda inputs: inputs.get("email"))
    return compiled.with_config({"callbacks": [watching]})


@pytest.fixture
def house(tmp_path: Path) -> AppDeps:
    """A house with a journal."""
    FAULTY["times"] = 0
    return desk(tmp_path).house


async def _traces(house: AppDeps) -> list[WholeTrace]:
    ids = dict.fromkeys(run.trace_id for run in reversed(await house.trace.runs()))
    return [await house.trace.find(trace_id) for trace_id in ids]


def _names(run: RunTrace) -> list[str]:
    return [step.name for step in run.steps]


async def test_an_answer_and_a_failure_stay_in_one_trace(house: AppDeps) -> None:
    """Asked, answered, failed, resumed: three runs, one trace, steps counted through, everything in its step."""
    graph = _graph(house)
    await graph.ainvoke({"email": MAIL}, CONFIG)
    FAULTY["times"] = 1
    with pytest.raises(ValueError, match="mailbox is gone"):
        await graph.ainvoke(Command(resume="yes"), CONFIG)
    await graph.ainvoke(None, CONFIG)
    (trace,) = await _traces(house)
    asked, failed, last = trace.runs
    assert [r.run.status for r in trace.runs] == ["waiting", "failed", "ended"]
    assert _names(asked)[0] == "classify"
    assert sorted(_names(asked)[1:]) == ["left", "right"]
    assert (_names(failed), _names(last)) == (["human_queue", "dispatch"], ["dispatch"])
    assert [s.position for s in trace.steps] == [1, 2, 3, 4, 5, 6]
    assert failed.steps[1].error == "ValueError: the mailbox is gone"
    steps = {s.name: s.step_id for s in asked.steps}
    assert [(c.call, c.step_id) for c in asked.model_calls] == [("classify", steps["classify"])]
    (tool,) = asked.tools
    assert (tool.step_id, tool.latency_ms, tool.error) == (steps["right"], 7, "no")
    assert [(r.step_name, r.shown_count) for r in asked.reviews] == [("human_queue", 1)]
    assert trace.message_id == "m1"
    assert [(p.for_person, p.ended_at is not None) for p in trace.pauses] == [(True, True), (False, True)]
    assert all(r.run.latency_ms is not None for r in trace.runs)
