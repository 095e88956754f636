"""The fast tier answers first, the strong one when that is not enough."""

import math
from dataclasses import replace

import pytest

from email_assistant.errors import ProviderError
from tests.servers.model_server import failing, tool_call
from tests.unit.models.sorting import FAST, SORT, SURE, UNSURE, Bench, Mail

MAIL = Mail("Please sign.")
STRONG_ANSWER = tool_call("Verdict", SURE, when='"gpt-5"')


async def test_a_sure_answer_stays_with_the_fast_tier(bench: Bench) -> None:
    """Confidence at or above the threshold costs one request."""
    bench.server.script(tool_call("Verdict", {"category": "other", "confidence": 0.7}))
    assert (await bench.models().run(SORT, MAIL, escalate_below=0.7)).category == "other"
    assert [u.tier for u in bench.used] == ["fast"]


async def test_an_unsure_answer_goes_to_the_strong_tier(bench: Bench) -> None:
    """Confidence below the threshold: the strong model's answer counts, both are on record."""
    bench.server.script(tool_call("Verdict", UNSURE, when='"gpt-5-mini"'), STRONG_ANSWER)
    assert (await bench.models().run(SORT, MAIL, escalate_below=0.7)).category == "urgent"
    assert [(u.tier, u.model) for u in bench.used] == [("fast", FAST), ("strong", "openai:gpt-5")]


async def test_a_confidence_that_is_no_number_is_unsure(bench: Bench) -> None:
    """NaN does not pass for certainty."""
    call = replace(SORT, confidence=lambda verdict: math.nan)
    bench.server.script(tool_call("Verdict", SURE, repeat=True))
    await bench.models().run(call, MAIL, escalate_below=0.1)
    assert [u.tier for u in bench.used] == ["fast", "strong"]


async def test_unusable_answers_go_to_the_strong_tier(bench: Bench) -> None:
    """A fast model that cannot keep to the form is not the end."""
    bench.server.script(*[{"content": "?", "when": '"gpt-5-mini"'}] * 4, STRONG_ANSWER)
    assert (await bench.models().run(SORT, MAIL, escalate_below=0.7)).category == "urgent"


async def test_a_strong_tier_that_fails_is_not_papered_over(bench: Bench) -> None:
    """The unsure answer is not taken for lack of a better one."""
    bench.server.script(tool_call("Verdict", UNSURE, when='"gpt-5-mini"'), failing(401))
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        await bench.models().run(SORT, MAIL, escalate_below=0.7)
