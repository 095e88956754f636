"""Agent turns: prompt, messages and tools out, the message as it came back."""

from dataclasses import replace

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from tests.servers.model_server import tool_call, tool_calls, written_out
from tests.unit.models.sorting import ACT, SORT, UNSURE, Bench, Mail

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


@pytest.mark.parametrize("form", ["json_schema", "prompt"])
async def test_text_in_place_of_a_call_is_asked_for_as_json(bench: Bench, form: str) -> None:
    """The answer becomes a call; what was said is told without tools, which such servers do not know."""
    call = {"call": {"name": "send_email", "arguments": {"body": "Hi"}}}
    bench.server.script(written_out(call, form, repeat=True))
    said = [
        AIMessage("", tool_calls=[{"name": "send_email", "args": {"body": "Ho"}, "id": "c1"}]),
        ToolMessage("Too short.", tool_call_id="c1", name="send_email"),
    ]
    answer = await bench.models().turn(ACT, MAIL, said, TOOLS)
    assert [(c["name"], c["args"]) for c in answer.tool_calls] == [("send_email", {"body": "Hi"})]
    assert [m["role"] for m in bench.server.bodies[-1]["messages"]] == ["system", "user", "assistant", "user"]
    assert "Too short." in bench.server.bodies[-1]["messages"][-1]["content"]


async def test_a_model_that_calls_no_tool_there_is_gives_way_to_the_rule(bench: Bench) -> None:
    """It is told once which tools there are."""
    bench.server.script(tool_call("wire_money", {}, repeat=True))
    answer = await bench.models().turn(ACT, MAIL, [], TOOLS)
    assert [c["name"] for c in answer.tool_calls] == ["Done"]
    assert (
        "of the tools send_email, Done none was called" in bench.server.bodies[1]["messages"][-1]["content"]
    )
    assert "fixed rules wrote this" in bench.models().note("strong")


async def test_a_turn_may_be_text_where_the_agent_may_end(bench: Bench) -> None:
    """Whoever answers in words, or in JSON that nothing is left, has called nothing, and is not asked again."""
    ends = replace(ACT, is_optional=True)
    bench.server.script(tool_call("Verdict", UNSURE), {"content": "Enough."})
    models = bench.models()
    await models.run(replace(SORT, tier="strong"), MAIL)
    assert (await models.turn(ends, MAIL, [], TOOLS)).text == "Enough."
    bench.server.script(written_out({"call": {"name": "none", "arguments": {}}}))
    assert (await bench.with_settings().turn(ends, MAIL, [], TOOLS)).tool_calls == []
    assert len(bench.server.requests) == 2


async def test_half_a_character_is_not_let_in(bench: Bench) -> None:
    """An emoji that was cut in half can be stored nowhere: the turn is tried once more."""
    half, whole = '{"body": "Hi \\ud83d"}', '{"body": "Hi \\ud83d\\ude00"}'
    bench.server.script(tool_call("send_email", half), tool_call("send_email", whole))
    answer = await bench.models().turn(ACT, MAIL, [], TOOLS)
    assert answer.tool_calls[0]["args"] == {"body": "Hi 😀"}
    assert len(bench.server.requests) == 2
