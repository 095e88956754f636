"""Where the response agent goes when a call is answered."""

from typing import Any

from langchain_core.messages import AIMessage, ToolMessage

from email_assistant.workflows.email_assistant.respond import ResponseNodes
from tests.support.desk import desk


async def test_a_thread_that_an_earlier_release_left_between_two_calls_goes_on(tmp_path: Any) -> None:
    """Its checkpoint names the node that asks, with nothing to ask about."""
    nodes = ResponseNodes(desk(tmp_path).parts)
    turn = AIMessage(
        "",
        tool_calls=[{"name": "send_email", "args": {}, "id": "a"}, {"name": "Done", "args": {}, "id": "b"}],
    )
    answered = ToolMessage("Sent.", tool_call_id="a")
    left: dict[str, Any] = {"messages": [turn], "pending": None}
    assert (await nodes.interrupt_handler(left)).goto == "prepare"
    left |= {"messages": [turn, answered], "outcome": "replied"}
    assert (await nodes.interrupt_handler(left)).goto == "mark_as_read_node"
    left |= {"messages": [AIMessage("", tool_calls=turn.tool_calls[:1]), answered]}
    assert (await nodes.interrupt_handler(left)).goto == "llm_call"
