"""Mails that ask for a meeting at one and the same hour, and what the calendar then holds."""

from datetime import UTC, datetime, timedelta
from typing import Any

from email_assistant.calendars.event import Event
from email_assistant.mail.message import Message
from eval.workbench import Workbench

MEETS = "Schedule meeting: "
TEN = datetime(2026, 11, 26, 9, tzinfo=UTC)
"""Ten o'clock in Berlin, on Thursday."""


def meeting_mail(name: str) -> dict[str, Any]:
    """A mail of its own that asks for Thursday at ten, as `eval.mails` reads it."""
    return {
        "id": name, "from": f"{name.title()} Petrova <{name}@petrova.example>", "subject": f"Fitting {name}", "auth": "pass",
        "text": "Hi Robin,\n\ncould we meet on Thursday 26 November 2026 at 10:00 in the workshop?\n\nBest",
    }  # fmt: skip


async def meeting_card(bench: Workbench, name: str) -> tuple[Message, dict[str, Any]]:
    """Such a mail into the mailbox, and up to the card that would create its meeting; where mail is sorted, labels come first."""
    message, card = await bench.bring(meeting_mail(name))
    for _ in range(2):
        assert card is not None
        if card["action_request"]["action"].startswith(MEETS):
            return message, card
        card = await bench.answer(message, [{"type": "accept", "args": dict(card["action_request"])}])
    raise AssertionError("two cards, and none of a meeting")


async def to_meeting(bench: Workbench, name: str) -> tuple[Message, dict[str, Any]]:
    """The same, where the hour that the mail asks for is free."""
    message, card = await meeting_card(bench, name)
    assert card["action_request"]["args"]["start"] == "2026-11-26T10:00:00+01:00"
    return message, card


async def taken_at_ten(bench: Workbench) -> list[str]:
    """The titles of what the calendar holds then."""
    events = await bench.house.calendar.events(TEN, TEN + timedelta(minutes=30))
    return [event.title for event in events]


async def occupy(bench: Workbench, event: Event) -> None:
    """Something that comes into the calendar behind the assistant's back."""
    await bench.house.calendar.create(event)
