"""Agent turns: prompt, messages and tools out, the message as it came back."""

import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from email_assistant.errors import ProviderError
from tests.servers.model_server import failing, tool_call, tool_calls
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


async def test_parallel_calls_come_in_their_order(bench: Bench) -> None:
    """Several calls in one turn are all there, unknown ones too."""
    bench.server.script(tool_calls(("send_email", {"body": "Hi"}), ("Done", {}), ("launch", {"x": 1})))
    answer = await bench.models().turn(ACT, MAIL, [], TOOLS)
    assert [c["name"] for c in answer.tool_calls] == ["send_email", "Done", "launch"]


async def test_unreadable_arguments_come_as_invalid_calls(bench: Bench) -> None:
    """Broken arguments are neither dropped nor taken for no arguments."""
    bench.server.script(tool_calls(("send_email", '{"body": "Hi'), ("Done", {})))
    answer = await bench.models().turn(ACT, MAIL, [], TOOLS)
    assert [c["name"] for c in answer.tool_calls] == ["Done"]
    assert [(c["name"], c["args"]) for c in answer.invalid_tool_calls] == [("send_email", '{"body": "Hi')]


async def test_null_arguments_come_as_no_arguments(bench: Bench) -> None:
    """Arguments of `null` arrive as an empty mapping, which the tool's schema has to refuse."""
    bench.server.script(tool_call("send_email", "null"))
    answer = await bench.models().turn(ACT, MAIL, [], TOOLS)
    assert answer.tool_calls[0]["args"] == {}


async def test_an_answer_no_message_can_be_made_of_is_asked_for_again(bench: Bench) -> None:
    """Arguments that are a list break the message itself: the turn is tried once more."""
    bench.server.script(tool_call("send_email", '["Hi"]'), tool_call("Done", {}))
    answer = await bench.models().turn(ACT, MAIL, [], TOOLS)
    assert [c["name"] for c in answer.tool_calls] == ["Done"]
    assert [u.error is None for u in bench.used] == [False, True]


async def test_half_a_character_is_not_let_in(bench: Bench) -> None:
    """An emoji that was cut in half can be stored nowhere: the turn is tried once more."""
    half, whole = '{"body": "Hi \\ud83d"}', '{"body": "Hi \\ud83d\\ude00"}'
    bench.server.script(tool_call("send_email", half), tool_call("send_email", whole))
    answer = await bench.models().turn(ACT, MAIL, [], TOOLS)
    assert answer.tool_calls[0]["args"] == {"body": "Hi 😀"}
    assert len(bench.server.requests) == 2


async def test_plain_text_is_a_turn_as_well(bench: Bench) -> None:
    """Text without calls is returned as it is, with no tools bound when there are none."""
    bench.server.script({"content": "All done."})
    answer = await bench.models().turn(ACT, MAIL, [], [])
    assert answer.text == "All done."
    assert "tools" not in bench.server.bodies[0]


async def test_the_turns_prefix_stays_the_same(bench: Bench) -> None:
    """From turn to turn the request only grows at its end."""
    bench.server.script(tool_call("Done", {}, repeat=True))
    first = await bench.models().turn(ACT, MAIL, [], TOOLS)
    call = first.tool_calls[0]
    await bench.models().turn(ACT, MAIL, [first, ToolMessage("Done.", tool_call_id=str(call["id"]))], TOOLS)
    one, two = bench.server.bodies
    assert two["messages"][:2] == one["messages"]
    assert json.dumps(one["tools"]) == json.dumps(two["tools"])


async def test_a_refused_turn_is_an_error(bench: Bench) -> None:
    """A turn has the same errors as a typed call."""
    bench.server.script(failing(403))
    with pytest.raises(ProviderError, match="403"):
        await bench.models().turn(ACT, MAIL, [], TOOLS)
