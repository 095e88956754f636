"""Agent turns: prompt, messages and tools out, the message as it came back."""

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from tests.servers.model_server import tool_call, tool_calls
from tests.unit.models.sorting import ACT, Bench, Mail

MAIL = Mail("Please sign.")


@tool
def send_email(body: str) -> str:
    """Send the reply."""
    return body


DONE = {"name": "Done", "description": "Finish.", "parameters": {"type": "object", "properties": {}}}
TOOLS = [send_email, DONE]


async def test_prompt_first_then_the_messages(bench: Bench) -> None:
    """The system message comes first, the user part next, then what was said, with the tools offered."""
    bench.server.script(tool_call("Done", {}))
    said = [
        AIMessage("", tool_calls=[{"name": "send_email", "args": {"body": "Hi"}, "id": "c1"}]),
        ToolMessage("Sent.", tool_call_id="c1"),
    ]
    answer = await bench.models().turn(ACT, MAIL, [*said, HumanMessage("Go on.")], TOOLS)
    (body,) = bench.server.bodies
    assert [m["role"] for m in body["messages"]] == ["system", "user", "assistant", "tool", "user"]
    assert body["messages"][1]["content"] == "Please sign."
    assert [t["function"]["name"] for t in body["tools"]] == ["send_email", "Done"]
    assert "tool_choice" not in body
    assert [c["name"] for c in answer.tool_calls] == ["Done"]
    assert [(u.call, u.tier) for u in bench.used] == [("act", "strong")]


async def test_unreadable_arguments_come_as_invalid_calls(bench: Bench) -> None:
    """Broken arguments are neither dropped nor taken for no arguments."""
    bench.server.script(tool_calls(("send_email", '{"body": "Hi'), ("Done", {})))
    answer = await bench.models().turn(ACT, MAIL, [], TOOLS)
    assert [c["name"] for c in answer.tool_calls] == ["Done"]
    assert [(c["name"], c["args"]) for c in answer.invalid_tool_calls] == [("send_email", '{"body": "Hi')]


async def test_half_a_character_is_not_let_in(bench: Bench) -> None:
    """An emoji that was cut in half can be stored nowhere: the turn is tried once more."""
    half, whole = '{"body": "Hi \\ud83d"}', '{"body": "Hi \\ud83d\\ude00"}'
    bench.server.script(tool_call("send_email", half), tool_call("send_email", whole))
    answer = await bench.models().turn(ACT, MAIL, [], TOOLS)
    assert answer.tool_calls[0]["args"] == {"body": "Hi 😀"}
    assert len(bench.server.requests) == 2
