"""Retries, time-outs, the fallback model and the lines users read, against a real server."""

import asyncio
from typing import Any

import pytest

from email_assistant.errors import ProviderError, TransientError
from tests.servers.model_server import failing, tool_call
from tests.unit.models.sorting import SORT, SURE, Bench, Mail

MAIL = Mail("Please sign today.")
ANSWER = tool_call("Verdict", SURE)
FALLBACK = "openai:gpt-4.1"


async def test_a_rate_limit_is_waited_for_as_long_as_the_provider_asks(bench: Bench) -> None:
    """A 429 with Retry-After is tried again after that time, never sooner."""
    bench.server.script(failing(429, retry_after="7"), ANSWER)
    assert (await bench.models().run(SORT, MAIL)).category == "urgent"
    assert len(bench.waits) == 1
    assert bench.waits[0] >= 7
    assert [u.attempts for u in bench.used] == [2]


async def test_a_wait_of_an_hour_is_not_waited_for(bench: Bench) -> None:
    """A provider that asks for very long ends the attempts, and the line says how long."""
    bench.server.script(failing(429, retry_after="3600"))
    with pytest.raises(TransientError, match="asks to wait 3600 s"):
        await bench.models().run(SORT, MAIL)
    assert (len(bench.server.requests), bench.waits) == (1, [])


@pytest.mark.parametrize("status", [429, 500])
async def test_passing_errors_are_tried_again(bench: Bench, status: int) -> None:
    """Rate limits, conflicts, time-outs and server errors get a second attempt."""
    bench.server.script(failing(status), ANSWER)
    assert (await bench.models().run(SORT, MAIL)).category == "urgent"
    assert len(bench.server.requests) == 2


@pytest.mark.parametrize(
    ("status", "line"),
    [
        (400, "refused the request (400)"),
        (401, "refused the key (401); check OPENAI_API_KEY"),
        (404, "there is no model openai:gpt-5-mini (404); check EMAIL_ASSISTANT_MODEL_FAST"),
    ],
)
async def test_lasting_errors_are_not_tried_again(bench: Bench, status: int, line: str) -> None:
    """A request that can never succeed is made once, and the error says who must act, in one line."""
    bench.server.script(failing(status, "no\nsuch luck"), ANSWER)
    with pytest.raises(ProviderError) as caught:
        await bench.with_settings(fallback=FALLBACK).run(SORT, MAIL)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, TransientError)
    assert len(bench.server.requests) == 1
    assert [(u.attempts, u.error) for u in bench.used] == [(1, str(caught.value))]


async def test_an_error_never_shows_the_key(bench: Bench) -> None:
    """Neither the error nor the usage record nor the settings' text holds the key."""
    bench.server.script(failing(401, "Incorrect API key provided: test-k**."))
    models = bench.with_settings()
    with pytest.raises(ProviderError) as caught:
        await models.run(SORT, MAIL)
    assert "test-key" not in f"{caught.value} {bench.used} {models!r}"


async def test_the_fallback_answers_when_the_model_stays_away(bench: Bench) -> None:
    """Three 500s, then the fallback model is asked; both are on record."""
    bench.server.script(*[failing(500) | {"when": '"gpt-5-mini"'}] * 3, ANSWER)
    answer = await bench.with_settings(fallback=FALLBACK).run(SORT, MAIL)
    assert answer.category == "urgent"
    assert [b["model"] for b in bench.server.bodies] == ["gpt-5-mini"] * 3 + ["gpt-4.1"]
    assert [(u.model, u.attempts, u.error is None) for u in bench.used] == [
        ("openai:gpt-5-mini", 3, False),
        (FALLBACK, 1, True),
    ]


async def test_rules_answer_when_they_are_the_fallback(bench: Bench) -> None:
    """Of a model that stays away, and the card says so; not of one that refuses the key."""
    bench.server.script(*[failing(500)] * 3)
    models = bench.with_settings(fallback="offline")
    assert await models.run(SORT, MAIL) == SORT.offline(MAIL)
    assert models.note("fast").startswith("The model gave no answer that could be used (")
    assert [(u.model, u.error is None) for u in bench.used] == [
        ("openai:gpt-5-mini", False),
        ("offline", True),
    ]
    bench.server.script(failing(401))
    with pytest.raises(ProviderError, match="refused the key"):
        await models.run(SORT, MAIL)


async def test_a_used_up_quota_is_not_tried_again_but_falls_back(bench: Bench) -> None:
    """A 429 over the quota is lasting for this model; another one may answer."""
    body = {"error": {"message": "quota", "type": "insufficient_quota", "code": "insufficient_quota"}}
    used_up: dict[str, Any] = {"status": 429, "body": body}
    bench.server.script(used_up)
    with pytest.raises(ProviderError, match="no quota left"):
        await bench.models().run(SORT, MAIL)
    assert len(bench.server.requests) == 1
    bench.server.script(used_up, ANSWER)
    assert (await bench.with_settings(fallback=FALLBACK).run(SORT, MAIL)).category == "urgent"


async def test_an_answer_that_takes_too_long_is_a_time_out(bench: Bench) -> None:
    """Each attempt is bounded by the setting, and a time-out is tried again."""
    bench.server.script(ANSWER | {"delayMs": 60_000}, ANSWER | {"delayMs": 60_000}, ANSWER)
    assert (await bench.with_settings(timeout_seconds=0.3).run(SORT, MAIL)).category == "urgent"
    assert [u.attempts for u in bench.used] == [3]


@pytest.mark.parametrize("body", ["not json", "null", '{"choices": []}'])
async def test_a_response_that_is_none_is_a_clear_error(bench: Bench, body: str) -> None:
    """A 200 that is no chat completion is a provider's error, not a crash and not an answer."""
    bench.server.script({"status": 200, "body": body, "repeat": True})
    with pytest.raises(ProviderError):
        await bench.models().run(SORT, MAIL)
    assert all(u.error for u in bench.used)


async def test_a_cancelled_call_stops_at_once(bench: Bench) -> None:
    """Cancelling is neither retried nor turned into an error of ours."""
    bench.server.script(ANSWER | {"delayMs": 60_000})
    task = asyncio.create_task(bench.models().run(SORT, MAIL))
    while not bench.server.requests:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(bench.server.requests) == 1
