"""Which meetings get a link for a video call."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import pytest

from email_assistant.calendars.event import Event
from email_assistant.mail.message import Conversation
from email_assistant.meetings.scheduling import ScheduleMeetingArguments
from email_assistant.meetings.times import event_of
from email_assistant.review.action import Action
from email_assistant.tools.tool import Done, Turn
from tests.support.desk import desk, mail

CALLS = ["video call", "ONLINE"]
PLACES = ["", "online bank, 2nd floor"]


@dataclass
class KeptCalendar:
    """A calendar that keeps what is created, in memory."""

    created: list[Event] = field(default_factory=list)
    name: str = "kept"
    link: str = ""
    writes_to_guests: bool = False

    async def events(self, start: datetime, end: datetime) -> list[Event]:
        """Nothing else is going on."""
        return []

    async def create(self, event: Event) -> Event:
        """Keeps it."""
        self.created.append(replace(event, conference_link=self.link))
        return self.created[-1]

    async def get(self, event_id: str) -> Event | None:
        """What was kept."""
        return next((event for event in self.created if event.id == event_id), None)


def args_at(location: str) -> dict[str, str]:
    """A meeting at this place."""
    times = {"start": "2026-11-26T10:00", "end": "2026-11-26T10:30", "timezone": "Europe/Berlin"}
    return {"title": "Fitting", "attendees": "ana@example.com", "location": location, **times}


@pytest.mark.parametrize(("location", "wanted"), [*((c, True) for c in CALLS), *((p, False) for p in PLACES)])
def test_the_location_decides(location: str, wanted: bool) -> None:
    """A location that is nothing but a word for a video call asks for one; a place, even one like it, does not."""
    event = event_of("e", args_at(location), owner="Europe/Berlin")
    assert (event.conference, event.location) == (wanted, location)


@pytest.mark.parametrize("link", ["https://meet.example/abc", ""])
async def test_the_link_is_told_to_whoever_writes_the_reply(tmp_path: Path, link: str) -> None:
    """Also when the meeting is found to have been created by an earlier try."""
    assistant, calendar = desk(tmp_path), KeptCalendar(link=link)
    tool = replace(assistant.house.schedule_meeting, calendar=calendar)
    turn = Turn("thread", Conversation(await assistant.receive(mail())), assistant.house.user, "call_1")
    given = args_at("video call") | {"attendees": ["ana@example.com"]}
    action = await tool.prepare(ScheduleMeetingArguments.model_validate(given), turn)
    assert isinstance(action, Action)
    for _ in range(2):
        done = await tool.perform(action, acknowledged=frozenset())
        assert isinstance(done, Done)
        assert f" Video call: {link}" in done.text if link else "Video call" not in done.text
    assert len(calendar.created) == 1
