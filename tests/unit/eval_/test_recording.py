"""Recorded answers: what a model server said is said again without it, and what was never asked is not made up."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from email_assistant.errors import ConfigError
from email_assistant.models.runner import Models
from eval.recording import recorded_model
from eval.setup import Setup
from tests.servers.model_server import ModelServer, running_model_server, tool_call
from tests.unit.models.sorting import ACT, SORT, Mail

MODEL = "openai:gpt-5-mini"


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    """A model server on the loopback."""
    with running_model_server() as made:
        yield made


@pytest.fixture
def setup(server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setup:
    """A setup that records, with the server as its provider."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    return Setup(MODEL, record=tmp_path / "new" / "triage.jsonl")


async def sort(models: Models, *texts: str) -> list[float]:
    """The confidence that the model gives each text."""
    return [(await models.run(SORT, Mail(text))).confidence for text in texts]


def verdicts(*confidences: float) -> list[object]:
    """Answers of the server, one after the other."""
    return [tool_call("Verdict", {"category": "other", "confidence": each}) for each in confidences]


async def recorded(setup: Setup, server: ModelServer) -> Setup:
    """A setup that replays three answers, two of them to the same request; its provider answers nothing any more."""
    server.script(*verdicts(0.1, 0.2, 0.3))  # type: ignore[arg-type]
    models = setup.models()
    assert await sort(models, "one", "two", "two") == [0.1, 0.2, 0.3]
    await models.close()
    server.script()
    return replace(setup, record=None, replay=setup.record, used=[])


async def test_what_was_answered_is_answered_again(
    setup: Setup, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order of the answers to the same request, with its tokens, and without a key."""
    replaying = await recorded(setup, server)
    monkeypatch.delenv("OPENAI_API_KEY")
    await replaying.check()
    assert await sort(replaying.models(), "two", "one", "two", "two") == [0.2, 0.1, 0.3, 0.3]
    assert server.requests == []
    assert [u.prompt_tokens for u in replaying.used] == [setup.used[i].prompt_tokens for i in (1, 0, 2, 2)]
    assert replaying.answers == f"{MODEL}, replayed from a recording"
    assert recorded_model(replaying.replay or Path()) == MODEL


async def test_what_was_never_asked_is_an_error(setup: Setup, server: ModelServer) -> None:
    """Another mail, and other tools for the same mail, are other requests."""
    replaying = await recorded(setup, server)
    with pytest.raises(ConfigError, match="no answer"):
        await sort(replaying.models(), "three")
    with pytest.raises(ConfigError, match="no answer to this request"):
        await replaying.models().turn(ACT, Mail("one"), [], [])
    assert replaying.failed_calls == [f"2 requests have no answer in {replaying.replay}; record again"]
