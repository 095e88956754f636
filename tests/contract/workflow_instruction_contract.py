"""Promises about a person's words where rules write: they go into the letter as they stand, and the card says so."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from tests.support.workflows import Bench, Workflow, edited, respond

WORDS = "Tell her that it is 300 euros."
PUT_IN = "Fixed rules put your words into the letter as they stand: “{}”."


class InstructionContract:
    """What the offline rules do with a person's words."""

    @pytest.fixture
    async def rules(self, workflow: Workflow, tmp_path: Path) -> AsyncIterator[Bench]:
        """An assistant whose letters are written by rules."""
        made = await workflow.open(tmp_path, Models(ModelSettings(fast="offline", strong="offline")))
        yield made
        await made.close()

    async def test_what_is_said_goes_into_the_letter_and_the_card_says_so(self, rules: Bench) -> None:
        """All of it, the newest last, up to what is sent; rules cannot tell what is to be written from how."""
        message, first = await rules.to_reply()
        body = first["action_request"]["args"]["body"]
        for words in (WORDS, "Shorter, please."):
            card = await rules.answer(message, respond(words))
            assert card is not None
            assert card["action_request"]["action"] != first["action_request"]["action"]
            assert PUT_IN.format(words) in card["description"]
        text = card["action_request"]["args"]["body"]
        assert "It is 300 euros.\nShorter, please." in text
        assert (text[:5], text.rpartition("\n\n")[2]) == (body[:5], body.rpartition("\n\n")[2])
        whole = text.replace("[", "").replace("]", "").replace("confirm: ", "")
        assert await rules.answer(message, edited(card, body=whole)) is None
        (sent,) = await rules.sent()
        assert "It is 300 euros." in sent.get_payload(decode=True).decode()

    async def test_what_was_said_once_is_in_no_other_letter(self, rules: Bench) -> None:
        """What is learned of it is for models."""
        message, _ = await rules.to_reply()
        await rules.answer(message, respond(WORDS))
        other = {**rules.workflow.case, "id": "two", "subject": f"{rules.workflow.case['subject']} again"}
        _, card = await rules.to_reply(other)
        assert "300 euros" not in card["action_request"]["args"]["body"]
        assert "300 euros" not in card["description"]
