"""The graph with a model over HTTP: how many calls a mail costs, and what the model is shown."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eval.claims.running import claims
from eval.claims.running import desk as claims_desk
from tests.servers.model_server import (
    Answer,
    ModelServer,
    running_model_server,
    tool_call,
    tool_calls,
    written_out,
)
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
    return desk(folder, **on(model))


def on(model: ModelServer) -> dict[str, str]:
    """The settings of two models on the server."""
    return {
        "EMAIL_ASSISTANT_MODEL_FAST": "openai:fast",
        "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": model.base_url,
    }


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


TALK: Answer = {"content": "Certainly!", "repeat": True}


def json_for(schema: str, value: dict[str, Any]) -> Answer:
    """What a server without tools answers to whoever asks for JSON of this schema."""
    return written_out(value, when=f'"name":"{schema}"')


def call_of(name: str, **arguments: Any) -> dict[str, Any]:
    """A call, written as JSON."""
    return {"call": {"name": name, "arguments": arguments}}


async def test_a_server_that_ignores_tools_writes_the_letter(model: ModelServer, tmp_path: Path) -> None:
    """Triage and the response agent get JSON, and the card is the model's."""
    model.script(
        json_for("TriageVerdict", {"reasoning": "She asks for a price.", "classification": "respond"}),
        json_for("Answer", call_of("send_email", body="It is 120 euro.")),
        json_for("Answer", call_of("Done")),
        TALK,
    )
    assistant = assistant_with(model, tmp_path)
    message = await assistant.receive(mail())
    card = await assistant.start(message)
    assert card is not None
    assert "It is 120 euro." in card["action_request"]["args"]["body"]
    assert "rules" not in card["description"]
    await assistant.answer(message, ACCEPT)
    (letter,) = await assistant.letters()
    assert "It is 120 euro." in str(letter)
    await assistant.house.models.close()


async def test_a_server_that_only_talks_leaves_it_to_the_rules(model: ModelServer, tmp_path: Path) -> None:
    """The mail comes to a card all the same, which says why and who wrote it."""
    model.script(TALK)
    assistant = assistant_with(model, tmp_path)
    card = await assistant.start(await assistant.receive(mail()))
    assert card is not None
    assert (
        "The model gave no answer that could be used (respond: openai:strong did not" in card["description"]
    )
    assert "fixed rules wrote this." in card["description"]
    await assistant.house.models.close()


async def test_a_server_that_ignores_tools_judges_a_claim(model: ModelServer) -> None:
    """The verifier looks up what it needs, and says by JSON that nothing is left; the refund waits for a person."""
    (claim,) = (each for each in claims() if each["claim_id"] == "C01")
    verified = {
        "is_valid": "Yes", "resolution": "You get 105.00 EUR back.", "confidence": 0.95,
        "policy_citations": [each for (each,) in claim["citations"]],
        "action_plan": {"refund": "105.00", "policy_id": "HC-20417"},
    }  # fmt: skip
    intent = {
        "intent": "complaint", "urgency": "low", "sentiment": "neutral", "aspects": ["refund"], "out_of_scope": False, "language": "en",
    }  # fmt: skip
    model.script(
        json_for("IntentResult", intent),
        json_for("Report", {"issue": "A cancelled contract.", "user_demand": "Money back."}),
        json_for("Answer", call_of("list_user_policies")),
        json_for("Answer", call_of("none")),
        json_for("Verification", verified),
        TALK,
    )
    async with claims_desk("model", **on(model)) as made:
        outcome = await made.bring(claim, approve=False)
        assert [m.type for m in outcome.state["messages"]][-2:] == ["ai", "tool"]
        assert outcome.state["verdict"]["resolution"] == "You get 105.00 EUR back."
        assert [card["action_request"]["action"] for card in outcome.cards] == [
            "Refund 105.00 EUR for HC-20417"
        ]
        await made.house.models.close()


async def test_a_claim_that_no_model_answers_goes_to_a_person(model: ModelServer) -> None:
    """The rules that stand in pay nothing, and the card says who decided."""
    (claim,) = (each for each in claims() if each["claim_id"] == "C01")
    model.script(TALK)
    async with claims_desk("model", **on(model), EMAIL_ASSISTANT_REFUND_AUTOMATIC="200") as made:
        outcome = await made.bring(claim, approve=False)
        assert outcome.state["verdict"]["is_valid"] == "Low Confidence"
        assert "fixed rules wrote this." in outcome.cards[0]["description"]
        await made.house.models.close()
