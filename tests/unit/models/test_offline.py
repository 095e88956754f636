"""Without a model the calls' own rules answer."""

import pytest

from email_assistant.errors import ConfigError
from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from email_assistant.models.usage import ModelUsage
from tests.unit.models.sorting import ACT, SORT, Mail


class Unnamed(Mail):
    """An input that forgets a variable."""

    def variables(self) -> dict[str, str]:
        """Values for another template."""
        return {"mail": self.text}


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


async def test_the_prompt_is_rendered_all_the_same() -> None:
    """An input that does not fit its template is noticed without a model."""
    with pytest.raises(ValueError, match="name is missing"):
        await offline([]).run(SORT, Unnamed("Hi"))


async def test_escalation_has_nowhere_to_go() -> None:
    """With both tiers offline the rule is asked once."""
    used: list[ModelUsage] = []
    await offline(used).run(SORT, Mail("Hi"), escalate_below=0.9)
    assert len(used) == 1


def test_offline_is_said_by_tier() -> None:
    """Each tier is offline or not by itself."""
    models = Models(ModelSettings(fast="offline", strong="openai:gpt-5"))
    assert models.is_offline("fast")
    assert not models.is_offline("strong")
    assert (models.model_name("fast"), models.model_name("strong")) == ("offline", "openai:gpt-5")


async def test_there_is_no_chat_model_offline() -> None:
    """A library cannot be given a model that does not exist."""
    with pytest.raises(ConfigError, match="offline"):
        offline([]).chat_model("fast")
