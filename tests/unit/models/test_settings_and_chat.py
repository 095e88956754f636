"""Which model a setting names, and how the models are built."""

import pytest

from email_assistant.errors import ConfigError
from email_assistant.models.call import Tier
from email_assistant.models.runner import Models
from email_assistant.models.settings import AUTO_FAST, AUTO_STRONG, ModelSettings
from tests.unit.models.sorting import SORT, Bench, Mail

MAIL = Mail("Please sign.")


def test_auto_is_openai_with_a_key_and_offline_without() -> None:
    """The default needs nothing but a key."""
    assert ModelSettings().spec("fast") is None
    assert str(ModelSettings(openai_api_key="k").spec("fast")) == AUTO_FAST
    assert str(ModelSettings(openai_api_key="k").spec("strong")) == AUTO_STRONG


@pytest.mark.parametrize("name", ["gpt-5", "openai:", ":gpt-5"])
@pytest.mark.parametrize("tier", ["fast", "strong"])
def test_what_is_no_model_is_refused_by_its_settings_name(name: str, tier: Tier) -> None:
    """The error names the setting and shows how it is written."""
    settings = ModelSettings(**{tier: name}, openai_api_key="k")
    with pytest.raises(ConfigError, match=f"EMAIL_ASSISTANT_MODEL_{tier.upper()} .*provider:model"):
        Models(settings).is_offline(tier)


async def test_the_fallback_must_be_a_model_or_the_rules(bench: Bench) -> None:
    """It is said before it is needed."""
    with pytest.raises(ConfigError, match="EMAIL_ASSISTANT_MODEL_FALLBACK"):
        await bench.with_settings(fallback="gpt-5").run(SORT, MAIL)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("nosuch:model", "which cannot be used"),
        ("mistralai:small", "which needs another package.*langchain-mistralai"),
        ("ollama:small", r"which needs another package: install langchain-ollama with .*\[ollama\]"),
        (
            "google_genai:small",
            r"which needs another package: install langchain-google-genai with .*\[google\]",
        ),
    ],
)
async def test_a_provider_that_is_not_there_is_a_matter_of_set_up(name: str, line: str) -> None:
    """An unknown provider or a missing package is told with the setting's name, in one line."""
    with pytest.raises(ConfigError, match=f"EMAIL_ASSISTANT_MODEL_FAST is {name}, {line}") as caught:
        await Models(ModelSettings(fast=name)).run(SORT, MAIL)
    assert "\n" not in str(caught.value)
