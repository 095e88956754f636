"""Which meetings get a link for a video call."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import pytest

from email_assistant.calendars.event import Event
from email_assistant.effects.outbox import Outbox
from email_assistant.mail.message import Conversation
from email_assistant.meetings.scheduling import ScheduleMeeting, ScheduleMeetingArguments
from email_assistant.review.action import Action
from email_assistant.tools.tool import Done, Turn
from tests.support.desk import Desk, desk, mail

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


@pytest.fixture
def assistant(tmp_path: Path) -> Desk:
    """An assistant with a database of its own."""
    return desk(tmp_path)


@pytest.fixture
def calendar() -> KeptCalendar:
    """A calendar that shows what it was asked for."""
    return KeptCalendar()


@pytest.fixture
def tool(assistant: Desk, calendar: KeptCalendar) -> ScheduleMeeting:
    """The tool on that calendar."""
    outbox: Outbox = assistant.house.outbox
    return ScheduleMeeting(calendar, outbox, assistant.house.agenda_clock, assistant.house.user.timezone)  # type: ignore[arg-type]


async def proposed(tool: ScheduleMeeting, assistant: Desk, location: str) -> Action:
    """The card for a meeting at this place."""
    turn = Turn("thread", Conversation(await assistant.receive(mail())), assistant.house.user, "call_1")
    args = ScheduleMeetingArguments(
        title="Fitting",
        attendees=["ana@example.com"],
        start="2026-11-26T10:00",
        end="2026-11-26T10:30",
        location=location,
    )
    action = await tool.prepare(args, turn)
    assert isinstance(action, Action)
    return action


@pytest.mark.parametrize(("location", "wanted"), [*((c, True) for c in CALLS), *((p, False) for p in PLACES)])
async def test_the_location_decides(
    tool: ScheduleMeeting, assistant: Desk, calendar: KeptCalendar, location: str, wanted: bool
) -> None:
    """A location that is nothing but a word for a video call asks for one; a place, even one like it, does not."""
    action = await proposed(tool, assistant, location)
    assert isinstance(await tool.perform(action, acknowledged=frozenset()), Done)
    (created,) = calendar.created
    assert (created.conference, created.location) == (wanted, location.strip())


@pytest.mark.parametrize("link", ["https://meet.example/abc", ""])
async def test_the_link_is_told_to_whoever_writes_the_reply(
    tool: ScheduleMeeting, assistant: Desk, calendar: KeptCalendar, link: str
) -> None:
    """Also when the meeting is found to have been created by an earlier try."""
    calendar.link = link
    action = await proposed(tool, assistant, "video call")
    for _ in range(2):
        done = await tool.perform(action, acknowledged=frozenset())
        assert isinstance(done, Done)
        assert done.text.endswith(f" Video call: {link}" if link else " with ana@example.com.")
    assert len(calendar.created) == 1
