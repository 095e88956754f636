"""Without a model the calls' own rules answer."""

from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from email_assistant.models.usage import ModelUsage
from tests.unit.models.sorting import ACT, SORT, Mail


def offline(used: list[ModelUsage]) -> Models:
    """Models without a model."""
    return Models(ModelSettings(), record=used.append)


async def test_the_rule_answers() -> None:
    """A typed call is answered by its rule, at no cost, with estimated tokens."""
    used: list[ModelUsage] = []
    assert (await offline(used).run(SORT, Mail("due today"))).category == "urgent"
    (usage,) = used
    assert (usage.model, usage.cost_usd, usage.estimated, usage.attempts) == ("offline", 0, True, 1)
    assert usage.prompt_tokens > 10
    assert usage.completion_tokens > 1


async def test_a_turn_is_given_by_its_rule() -> None:
    """The turn's rule sees the messages so far."""
    answer = await offline([]).turn(ACT, Mail("Hi"), [], [])
    assert [c["id"] for c in answer.tool_calls] == ["call_0"]
