"""A person's words on an invitation that no rule understands: a model reads them, and sends none of its own."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from email_assistant.app.graphs import graph_of
from email_assistant.errors import TransientError
from email_assistant.meetings.instructions import ReadAnswer, instruction_of
from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from tests.support.calendar_mail import invitation, plain, until_invitation
from tests.support.desk import Desk, house_in
from tests.support.scripted import Script

WORDS = "Schreib ihr bitte, dass ich am Donnerstag verreist bin, und sag ab"
GOOD = {"answer": "declined", "comment": "Ich bin am Donnerstag verreist"}


class Reading(Models):
    """A model that reads words as it is told to."""

    def __init__(self, says: dict[str, Any] | Exception) -> None:
        super().__init__(ModelSettings(fast="offline", strong="offline"))
        object.__setattr__(self, "says", says)
        object.__setattr__(self, "read", [])

    says: dict[str, Any] | Exception
    read: list[str]

    def is_offline(self, tier: Any) -> bool:
        """It counts as a model."""
        return False

    async def run(self, call: Any, inputs: Any, *, escalate_below: float | None = None) -> Any:
        """What it always says."""
        if call.name != "said_answer":
            return await super().run(call, inputs)
        self.read.append("\n".join(str(each.content) for each in await self._rendered(call.prompt, inputs)))
        if isinstance(self.says, Exception):
            raise self.says
        return call.output.model_validate({"is_understood": True, **self.says})


async def asked(folder: Path, says: dict[str, Any] | Exception, words: str) -> tuple[Desk, Any, Any, Reading]:
    """The card after words, with a model that reads them so."""
    store, model = InMemoryStore(), Reading(says)
    house = house_in(folder, model)
    graph = graph_of(house, "email_assistant", checkpointer=InMemorySaver(), store=store)
    assistant = Desk(house, graph, store, Script())
    message, _ = await until_invitation(assistant, invitation())
    card = await assistant.answer(message, [{"type": "response", "args": words}])
    return assistant, message, card, model


async def test_words_that_no_rule_understands_are_read_by_the_model(tmp_path: Path) -> None:
    """What will be sent is on the card, in the person's own words; the model sees nothing of the invitation."""
    assistant, message, card, model = await asked(tmp_path, GOOD, WORDS)
    assert card["action_request"]["args"] == GOOD
    assert "Ich bin am Donnerstag verreist”" in plain(card)
    (read,) = model.read
    assert WORDS in read
    assert "Budget" not in read
    assert await assistant.sent() == []
    assert await assistant.answer(message, [{"type": "accept", "args": card["action_request"]}]) is None
    (sent,) = await assistant.sent()
    assert "Ich bin am Donnerstag verreist" in bytes(sent).decode()


async def test_another_time_is_read_by_the_model_and_by_the_rules(tmp_path: Path) -> None:
    """It names the words, and the rules say when that is."""
    says = {"answer": "accepted", "when": "Friday 10:00"}
    words = "I would much rather have it on Friday 10:00, ask her"
    _, _, card, _ = await asked(tmp_path, says, words)
    args = card["action_request"]["args"]
    assert args["proposed"].startswith("2026-11-27T10:00:00+01:00/")
    assert (args["answer"], args["comment"]) == ("tentative", "")


@pytest.mark.parametrize(
    "says",
    [
        GOOD | {"comment": "I am on a business trip"},
        GOOD | {"comment": "Ich bin verreist"},
        GOOD | {"is_understood": False},
        {"answer": "", "comment": ""},
        {"when": "Friday 10:00"},
        TransientError("the model is down"),
    ],
)
async def test_what_the_person_did_not_say_is_not_understood(
    tmp_path: Path, says: dict[str, Any] | Exception
) -> None:
    """Words of the model's own, a time that nobody named, half of the words, and a model that cannot be asked."""
    assistant, _, card, _ = await asked(tmp_path, says, WORDS)
    assert "These words were not understood, and nothing was sent" in plain(card)
    assert card["action_request"]["args"] == {"answer": "accepted", "comment": ""}
    assert await assistant.sent() == []


async def test_what_the_rules_understand_asks_no_model(tmp_path: Path) -> None:
    """It costs nothing."""
    _, _, card, model = await asked(tmp_path, GOOD, "decline and say I am away")
    assert (card["action_request"]["args"]["comment"], model.read) == ("I am away", [])


def test_the_order_of_a_run_may_be_set_right_and_nothing_else() -> None:
    """What stands between may not be left out."""
    said = ReadAnswer(is_understood=True, comment="Ich bin verreist")
    assert instruction_of(said, "sag, dass ich verreist bin") is not None
    assert instruction_of(said, "sag, dass ich nicht verreist bin") is None
