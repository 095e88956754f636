"""Typed answers from a real server: right, wrong once, wrong twice, hostile."""

import json
import re
from typing import Any

import pytest

from tests.servers.model_server import Answer, failing, tool_call, tool_calls, written_out
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


async def test_after_two_wrong_answers_the_rule_answers(bench: Bench) -> None:
    """The rule's answer counts, and cards tell why; the next answer of a model clears that."""
    bench.server.script(
        tool_call("Verdict", {}),
        tool_call("Verdict", {"category": "later", "confidence": 1}),
        tool_call("Verdict", UNSURE),
    )
    models = bench.models()
    assert (await models.run(SORT, MAIL)).confidence == 0.5
    assert len(bench.server.requests) == 2
    assert re.fullmatch(
        r"The model gave no answer that could be used \(sort: openai:gpt-5-mini .*category: .*\): fixed rules wrote this\.",
        models.note("fast"),
    )
    assert [used.model for used in bench.used][-1] == "offline"
    await models.run(SORT, MAIL)
    assert models.note("fast") == ""


@pytest.mark.parametrize(("form", "asked"), [("json_schema", 2), ("prompt", 3)])
async def test_a_server_that_ignores_tools_is_asked_for_json(bench: Bench, form: str, asked: int) -> None:
    """Each further form costs a request once; what the server took is remembered."""
    bench.server.script(written_out(SURE, form, repeat=True))
    models = bench.models()
    assert (await models.run(SORT, MAIL)).category == "urgent"
    assert models.form("fast") == form
    await models.run(SORT, MAIL)
    assert len(bench.server.requests) == asked + 1


async def test_an_object_that_is_cut_off_is_no_answer(bench: Bench) -> None:
    """A model that writes to the limit of its tokens leaves it to the rule."""
    bench.server.script(written_out(SURE, finishReason="length", repeat=True))
    models = bench.models()
    assert (await models.run(SORT, MAIL)).confidence == 0.5
    assert "LengthFinishReasonError" in models.note("fast")


async def test_text_to_the_end_is_no_answer(bench: Bench) -> None:
    """Each form is tried, the last one twice, and the rule answers."""
    bench.server.script({"content": "It is urgent.", "repeat": True})
    assert (await bench.models().run(SORT, MAIL)).confidence == 0.5
    assert ["tools" in body for body in bench.server.bodies] == [True, False, False, False]
    assert ["response_format" in body for body in bench.server.bodies] == [False, True, False, False]


@pytest.mark.parametrize(
    "text", [json.dumps(SURE), f"<think>{{}}</think>Here:\n```json\n{json.dumps(SURE)}\n```\nIs that so?"]
)
async def test_an_answer_written_out_is_taken(bench: Bench, text: str) -> None:
    """A model that writes the JSON instead of calling the tool is understood."""
    bench.server.script({"content": text})
    assert (await bench.models().run(SORT, MAIL)).category == "urgent"


async def test_absurdly_nested_arguments_are_no_answer(bench: Bench) -> None:
    """Arguments nested too deeply to be read leave it to the rule."""
    bench.server.script(tool_call("Verdict", '{"a":' * 100_000, repeat=True))
    assert (await bench.models().run(SORT, MAIL)).confidence == 0.5


async def test_broken_mail_can_be_asked_about(bench: Bench) -> None:
    """Half a character, a NUL and a huge body in a mail do not keep it from being judged."""
    bench.server.script(tool_call("Verdict", SURE))
    await bench.models().run(SORT, Mail("\ud83d caf\udce9 \x00" + "x" * 1_000_000))
    assert bench.server.bodies[0]["messages"][1]["content"].startswith("? caf? \x00xxx")
    assert bench.used[0].attempts == 1


async def test_a_server_that_refuses_a_form_is_asked_in_the_next(bench: Bench) -> None:
    """A 400 over `tool_choice`, then one over `response_format`: the words of the prompt are left."""
    bench.server.script(
        failing(400, "this model does not support tool_choice"),
        failing(422, "response_format is not supported"),
        written_out(SURE, "prompt"),
    )
    assert (await bench.models().run(SORT, MAIL)).category == "urgent"


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
