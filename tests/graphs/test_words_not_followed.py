"""A person's words about a meeting, a label or a notification, where rules answer: followed, or said not to be."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.desk import Desk, desk, mail, organizer
from tests.support.meetings import MEETS

ASKS = "Hi Robin,\n\ncould we meet on Thursday 26 November 2026 at 10:00 in the workshop?\n\nAna"


def respond(text: str) -> list[dict[str, str]]:
    """A response as Agent Inbox sends it."""
    return [{"type": "response", "args": text}]


async def up_to(assistant: Desk, begins: str, raw: bytes) -> tuple[Any, dict[str, Any]]:
    """A mail, and its first card whose title begins so; cards before it are accepted."""
    message = await assistant.receive(raw)
    card = await assistant.start(message)
    for _ in range(2):
        assert card is not None
        if card["action_request"]["action"].startswith(begins):
            break
        card = await assistant.answer(message, [{"type": "accept", "args": dict(card["action_request"])}])
    assert card is not None
    return message, card


@pytest.mark.parametrize("make", [desk, organizer])
async def test_words_about_a_meeting(tmp_path: Path, make: Any) -> None:
    """Rules propose the same again, and the card says that they cannot follow."""
    assistant = make(tmp_path)
    message, first = await up_to(assistant, MEETS, mail(ASKS))
    card = await assistant.answer(message, respond("Make it an hour, and never before eleven."))
    assert card is not None
    assert card["action_request"]["args"] == first["action_request"]["args"]
    assert "cannot follow “Make it an hour, and never before eleven.”" in card["description"]


async def test_words_about_a_category(tmp_path: Path) -> None:
    """A category that is named is taken; other words are told as not followed."""
    assistant = organizer(tmp_path, EMAIL_ASSISTANT_VIPS="example.com")
    message, first = await up_to(assistant, "Label as ", mail(ASKS))
    card = await assistant.answer(message, respond("This belongs to the loft."))
    assert card is not None
    assert card["action_request"]["args"] == first["action_request"]["args"]
    assert "cannot follow “This belongs to the loft.”" in card["description"]
    card = await assistant.answer(message, respond("These are promotions."))
    assert card is not None
    assert card["action_request"]["args"] != first["action_request"]["args"]
    assert "cannot follow" not in card["description"]
