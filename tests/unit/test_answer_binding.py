"""An answer is for the card that the server lists, and for no other."""

from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from email_assistant.server.run_door import NO_CARD, bound

ACCEPT = [{"type": "accept", "args": None}]
CONFIG: Any = {"configurable": {"thread_id": "t"}}


class State(TypedDict, total=False):
    """What was answered."""

    first: Any
    second: Any


def nested() -> Any:
    """Two cards, one after another, in a graph within a graph, as in `email_assistant`."""
    inner = StateGraph(State)
    inner.add_node("meeting", lambda _: {"first": interrupt("meeting?")})
    inner.add_node("reply", lambda _: {"second": interrupt("reply?")})
    inner.add_edge(START, "meeting")
    inner.add_edge("meeting", "reply")
    inner.add_edge("reply", END)
    outer = StateGraph(State)
    outer.add_node("agent", inner.compile())
    outer.add_edge(START, "agent")
    outer.add_edge("agent", END)
    return outer.compile(checkpointer=InMemorySaver())


def row(graph: Any) -> dict[str, Any]:
    """The thread as the server lists it."""
    return {
        "interrupts": {"task": [{"id": i.id, "value": i.value} for i in graph.get_state(CONFIG).interrupts]}
    }


def test_a_thread_that_goes_on_without_an_answer_does_not_use_the_last_one_again() -> None:
    """LangGraph would give the first card's accept to the second."""
    graph = nested()
    graph.invoke({}, CONFIG)
    graph.invoke(Command(resume=bound(ACCEPT, row(graph))), CONFIG)
    graph.invoke(None, CONFIG)
    assert [i.value for i in graph.get_state(CONFIG).interrupts] == ["reply?"]


def test_a_second_click_does_not_answer_the_next_card() -> None:
    """It names the card that was listed when it came."""
    graph = nested()
    graph.invoke({}, CONFIG)
    listed = row(graph)
    for _ in range(2):
        graph.invoke(Command(resume=bound(ACCEPT, listed)), CONFIG)
    assert [i.value for i in graph.get_state(CONFIG).interrupts] == ["reply?"]


def test_an_answer_is_for_nothing_where_nothing_is_asked() -> None:
    """And one that names its card is left as it is."""
    assert bound(ACCEPT, {"interrupts": {}}) == {NO_CARD: ACCEPT}
    assert bound({"a" * 32: ACCEPT}, None) == {"a" * 32: ACCEPT}
    assert bound("", None) == {NO_CARD: ""}


def test_an_accept_that_a_caller_gives_under_a_cards_id_names_that_card() -> None:
    """The id that is put here, for what came without one, does not."""
    card = [{"action_request": {"action": "Refund 1.20", "args": {}}}]
    listed = {"interrupts": {"task": [{"id": "a" * 32, "value": card}]}}
    named = [{"type": "accept", "args": {"action": "Refund 1.20"}}]
    for bare in (ACCEPT, {"type": "accept"}, {"decisions": [{"type": "approve"}]}):
        assert bound({"a" * 32: bare}, listed) == {"a" * 32: named}
        assert bound(bare, listed) == {"a" * 32: bare}
    assert bound({"b" * 32: ACCEPT}, listed) == {"b" * 32: ACCEPT}
