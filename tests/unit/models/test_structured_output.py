"""Typed answers from a real server: right, wrong once, wrong twice, hostile."""

import json
from typing import Any

import pytest

from email_assistant.errors import ProviderError
from email_assistant.models.failures import ModelOutputError
from tests.servers.model_server import Answer, failing, tool_call, tool_calls
from tests.unit.models.sorting import SORT, SURE, UNSURE, Bench, Mail

MAIL = Mail("Please sign today.")


async def test_the_answers_form_is_forced(bench: Bench) -> None:
    """The request offers one tool, the schema, and says that it must be called."""
    bench.server.script(tool_call("Verdict", SURE))
    await bench.models().run(SORT, MAIL)
    (body,) = bench.server.bodies
    assert [t["function"]["name"] for t in body["tools"]] == ["Verdict"]
    assert body["tool_choice"] == {"type": "function", "function": {"name": "Verdict"}}


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (tool_call("Verdict", {"category": "later", "confidence": 0.9}), "category: Input should be"),
        (tool_call("Verdict", {"category": "urgent", "confidence": 7}), "less than or equal to 1"),
        (tool_call("Verdict", "null"), "without arguments"),
        (tool_call("Verdict", '{"category": "urg'), "not a JSON object"),
        (tool_call("Other", SURE), "Verdict was not called"),
        (tool_calls(("Verdict", SURE), ("Verdict", UNSURE)), "2 times with different arguments"),
        ({"content": "It is urgent."}, "Verdict was not called"),
    ],
)
async def test_a_wrong_answer_is_asked_again_with_the_problem(
    bench: Bench, wrong: Answer, problem: str
) -> None:
    """One unusable answer costs one more request, which says what was wrong."""
    bench.server.script(wrong, tool_call("Verdict", SURE))
    assert (await bench.models().run(SORT, MAIL)).category == "urgent"
    first, second = bench.server.bodies
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert problem in second["messages"][-1]["content"]
    assert len(bench.used) == 2


async def test_two_wrong_answers_are_an_error(bench: Bench) -> None:
    """After the second unusable answer the call fails with the problem, and nothing is made up."""
    bench.server.script(
        tool_call("Verdict", {}), tool_call("Verdict", {"category": "later", "confidence": 1})
    )
    with pytest.raises(ModelOutputError, match=r"sort: openai:gpt-5-mini .*category: Input should be"):
        await bench.models().run(SORT, MAIL)
    assert len(bench.server.requests) == 2


@pytest.mark.parametrize("text", [json.dumps(SURE), f"```json\n{json.dumps(SURE)}\n```"])
async def test_an_answer_written_out_is_taken(bench: Bench, text: str) -> None:
    """A model that writes the JSON instead of calling the tool is understood."""
    bench.server.script({"content": text})
    assert (await bench.models().run(SORT, MAIL)).category == "urgent"


async def test_absurdly_nested_arguments_are_the_providers_error(bench: Bench) -> None:
    """Arguments nested too deeply to be read end the call with a clear error."""
    bench.server.script(tool_call("Verdict", '{"a":' * 100_000))
    with pytest.raises(ProviderError, match="openai:gpt-5-mini"):
        await bench.models().run(SORT, MAIL)


async def test_broken_mail_can_be_asked_about(bench: Bench) -> None:
    """Half a character, a NUL and a huge body in a mail do not keep it from being judged."""
    bench.server.script(tool_call("Verdict", SURE))
    await bench.models().run(SORT, Mail("\ud83d caf\udce9 \x00" + "x" * 1_000_000))
    assert bench.server.bodies[0]["messages"][1]["content"].startswith("? caf? \x00xxx")
    assert bench.used[0].attempts == 1


async def test_a_server_that_cannot_be_told_what_to_call_is_merely_offered_it(bench: Bench) -> None:
    """A 400 over `tool_choice` is answered by the same request without it."""
    bench.server.script(failing(400, "this model does not support tool_choice"), tool_call("Verdict", SURE))
    assert (await bench.models().run(SORT, MAIL)).category == "urgent"
    assert ["tool_choice" in body for body in bench.server.bodies] == [True, False]


async def test_the_prompts_prefix_is_the_same_for_every_mail(bench: Bench) -> None:
    """System message, tools and settings do not change from mail to mail, so that they can be cached."""
    bench.server.script(tool_call("Verdict", SURE, repeat=True))
    await bench.models().run(SORT, MAIL)
    await bench.models().run(SORT, Mail("Something else; $name <!-- user -->"))
    first, second = bench.server.bodies

    def prefix(body: dict[str, Any]) -> str:
        return json.dumps(body | {"messages": body["messages"][:1]})

    assert prefix(first) == prefix(second)
    assert second["messages"][1]["content"] == "Something else; $name <!-- user -->"
