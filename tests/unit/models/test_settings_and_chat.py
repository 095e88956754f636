"""Which model a setting names, and how the models are built."""

import asyncio

import pytest
from blockbuster import BlockBuster

from email_assistant.errors import ConfigError
from email_assistant.models.call import Tier
from email_assistant.models.chat import ChatModels
from email_assistant.models.runner import Models
from email_assistant.models.settings import AUTO_FAST, AUTO_STRONG, ModelSettings, ModelSpec
from email_assistant.models.usage import Tokens, cost
from tests.servers.model_server import ModelServer, tool_call
from tests.unit.models.sorting import SORT, SURE, Bench, Mail

MAIL = Mail("Please sign.")


def test_auto_is_openai_with_a_key_and_offline_without() -> None:
    """The default needs nothing but a key."""
    assert ModelSettings().spec("fast") is None
    assert str(ModelSettings(openai_api_key="k").spec("fast")) == AUTO_FAST
    assert str(ModelSettings(openai_api_key="k").spec("strong")) == AUTO_STRONG


async def test_the_automatic_models_have_a_price() -> None:
    """The price list knows the models that are chosen for the user."""
    for tier in ("fast", "strong"):
        assert await cost(ModelSettings(openai_api_key="k").spec(tier), Tokens(1000, 1000))


def test_offline_holds_also_with_a_key() -> None:
    """A key does not override the choice."""
    assert Models(ModelSettings(fast="offline", openai_api_key="k")).is_offline("fast")


def test_a_models_name_may_hold_colons() -> None:
    """Only the first colon separates."""
    assert ModelSettings(fast="ollama:qwen3:8b").spec("fast") == ModelSpec(
        "ollama", "qwen3:8b", "EMAIL_ASSISTANT_MODEL_FAST"
    )


@pytest.mark.parametrize(
    "name", ["gpt-5", "openai:", ":gpt-5", "", " ", "Offline", " openai:gpt-5", "openai: "]
)
@pytest.mark.parametrize("tier", ["fast", "strong"])
def test_what_is_no_model_is_refused_by_its_settings_name(name: str, tier: Tier) -> None:
    """The error names the setting and shows how it is written."""
    settings = ModelSettings(**{tier: name}, openai_api_key="k")
    with pytest.raises(ConfigError, match=f"EMAIL_ASSISTANT_MODEL_{tier.upper()} .*provider:model"):
        Models(settings).is_offline(tier)


@pytest.mark.parametrize("name", ["offline", "auto", "gpt-5"])
async def test_the_fallback_must_be_a_model(bench: Bench, name: str) -> None:
    """Rules do not stand in for a model that is merely out of reach; it is said before it is needed."""
    with pytest.raises(ConfigError, match="EMAIL_ASSISTANT_MODEL_FALLBACK"):
        await bench.with_settings(fallback=name).run(SORT, MAIL)


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


async def test_a_missing_key_is_a_matter_of_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model without its key is refused before anything is sent."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=r"EMAIL_ASSISTANT_MODEL_FAST.*(?i:api_key)"):
        await Models(ModelSettings(fast="openai:gpt-5")).run(SORT, MAIL)


async def test_each_model_is_built_once(bench: Bench) -> None:
    """Many first calls at once share one chat model."""
    pool = ChatModels(bench.models().settings)
    spec = ModelSpec("openai", "gpt-5", "X")
    found = await asyncio.gather(*(pool.get(spec) for _ in range(20)))
    assert len({id(m) for m in found}) == 1
    await pool.close()
    assert await pool.get(spec) is not found[0]
    await pool.close()


async def test_nothing_blocks_the_event_loop(bench: Bench) -> None:
    """Building, asking and pricing touch no file or socket in the loop."""
    bench.server.script(tool_call("Verdict", SURE))
    models = bench.with_settings()
    guard = BlockBuster(excluded_modules=[])
    guard.activate()
    try:
        assert (await models.run(SORT, MAIL)).category == "urgent"
    finally:
        guard.deactivate()
    await models.close()


def test_one_set_of_models_serves_several_event_loops(model_server: ModelServer) -> None:
    """A connection of a loop that is gone is not used again."""
    bench = Bench(model_server)
    model_server.script(tool_call("Verdict", SURE, repeat=True))
    for _ in range(4):
        assert asyncio.run(bench.models().run(SORT, MAIL)).category == "urgent"
    assert [u.attempts for u in bench.used] == [1] * 4


async def test_closing_can_be_repeated(bench: Bench) -> None:
    """After closing, models can be used and closed again."""
    bench.server.script(tool_call("Verdict", SURE, repeat=True))
    for _ in range(2):
        await bench.models().run(SORT, MAIL)
        await bench.models().close()
        await bench.models().close()
