"""The graph with a model over HTTP: how many calls a mail costs, and what the model is shown."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.model_server import ModelServer, running_model_server, tool_call, tool_calls
from tests.support.desk import Desk, desk, mail

ACCEPT = [{"type": "accept", "args": None}]
TRIAGE = tool_call("TriageVerdict", {"reasoning": "She asks for a price.", "classification": "respond"})
REPLY: tuple[str, dict[str, Any]] = ("send_email", {"body": "It is 120 euro."})
DONE: tuple[str, dict[str, Any]] = ("Done", {})


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A scripted model server."""
    with running_model_server() as server:
        yield server


def assistant_with(model: ModelServer, folder: Path) -> Desk:
    """An assistant whose both tiers are on the server."""
    return desk(
        folder,
        EMAIL_ASSISTANT_MODEL_FAST="openai:fast",
        EMAIL_ASSISTANT_MODEL_STRONG="openai:strong",
        OPENAI_API_KEY="none",
        OPENAI_BASE_URL=model.base_url,
    )


async def test_a_plain_reply_costs_two_calls(model: ModelServer, tmp_path: Path) -> None:
    """One to sort, one to write; nothing after the approval. The card tells the model's reason, not the rules'."""
    model.script(TRIAGE, tool_calls(REPLY, DONE))
    assistant = assistant_with(model, tmp_path)
    message = await assistant.receive(mail())
    card = await assistant.start(message)
    assert card is not None
    assert "She asks for a price." in card["description"]
    assert "offline rules" not in card["description"]
    await assistant.answer(message, ACCEPT)
    assert [body["model"] for body in model.bodies] == ["fast", "strong"]
    assert len(await assistant.letters()) == 1
    await assistant.house.models.close()


async def test_the_prefix_is_stable_and_mail_is_fenced(model: ModelServer, tmp_path: Path) -> None:
    """The system message is the same for every mail, so that a provider can cache it; mail stands in a fence only."""
    model.script(TRIAGE, tool_calls(REPLY, DONE), TRIAGE, tool_calls(REPLY, DONE))
    assistant = assistant_with(model, tmp_path)
    await assistant.start(await assistant.receive(mail("First?", message_id="<a@example.com>")))
    await assistant.start(await assistant.receive(mail("Second ``` fence?", message_id="<b@example.com>")))
    systems = [body["messages"][0]["content"] for body in model.bodies]
    assert systems[0] == systems[2]
    assert systems[1] == systems[3]
    assert "First?" not in "".join(systems)
    shown = model.bodies[2]["messages"][-1]["content"]
    assert "````mail" in shown
    assert shown.rstrip().endswith("````")
    await assistant.house.models.close()
