"""Promises about a person's words where rules write: said not to be followed, and never part of what is sent."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from eval.accepting import accepting
from tests.support.workflows import Bench, Workflow, respond

WORDS = "Sign with Cheers. Drop the line about the price."
CANNOT = "Fixed rules wrote this and cannot follow “Sign with Cheers. Drop the line about the price.”"


class InstructionContract:
    """What the offline rules do with a person's words."""

    @pytest.fixture
    async def rules(self, workflow: Workflow, tmp_path: Path) -> AsyncIterator[Bench]:
        """An assistant whose letters are written by rules."""
        made = await workflow.open(tmp_path, Models(ModelSettings(fast="offline", strong="offline")))
        yield made
        await made.close()

    async def test_an_instruction_is_never_part_of_a_text_and_the_card_says_so(self, rules: Bench) -> None:
        """Neither of the next draft, nor of the one after it, nor of what is sent; the text before it stays as it was."""
        message, first = await rules.to_reply()
        body = first["action_request"]["args"]["body"]
        card = await rules.answer(message, respond(WORDS))
        assert card is not None
        assert card["action_request"]["action"] != first["action_request"]["action"]
        assert card["action_request"]["args"]["body"] == body
        assert CANNOT in card["description"]
        card = await rules.answer(message, respond("Say 120."))
        assert card is not None
        assert card["action_request"]["args"]["body"] == body
        assert "cannot follow “Say 120.”" in card["description"]
        assert await rules.answer(message, [accepting(card)]) is None
        (sent,) = await rules.sent()
        text = sent.get_payload(decode=True).decode()
        assert not [word for word in ("Cheers", "Drop the line", "Say 120", "120") if word in text]

    async def test_no_second_draft_is_the_same_without_a_word(self, rules: Bench) -> None:
        """Rules follow no wish, not even one about style, and the card says so."""
        message, first = await rules.to_reply()
        card = await rules.answer(message, respond("Shorter, please."))
        assert card is not None
        assert card["action_request"]["args"]["body"] == first["action_request"]["args"]["body"]
        assert "cannot follow “Shorter, please.”" in card["description"]

    async def test_what_was_said_once_is_in_no_other_letter(self, rules: Bench) -> None:
        """What is learned of it is for models."""
        message, _ = await rules.to_reply()
        await rules.answer(message, respond(WORDS))
        other = {**rules.workflow.case, "id": "two", "subject": f"{rules.workflow.case['subject']} again"}
        _, card = await rules.to_reply(other)
        assert "Cheers" not in card["action_request"]["args"]["body"]
        assert "Cheers" not in card["description"]
