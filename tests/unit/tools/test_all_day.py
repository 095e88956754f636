"""Meetings that take whole days, with a real calendar file."""

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from email_assistant.mail.message import Conversation
from email_assistant.meetings.scheduling import ScheduleMeeting, ScheduleMeetingArguments
from email_assistant.meetings.times import edges, event_of, when
from email_assistant.review.action import Action, Problem
from email_assistant.tools.tool import Done, Turn
from tests.support.desk import Desk, desk, mail

BERLIN = ZoneInfo("Europe/Berlin")
DAY = datetime(2026, 11, 26, tzinfo=BERLIN)


@pytest.fixture
def assistant(tmp_path: Path) -> Desk:
    """An assistant with a calendar file of its own."""
    return desk(tmp_path)


@pytest.fixture
async def turn(assistant: Desk) -> Turn:
    """A turn on a mail in the inbox."""
    message = await assistant.receive(mail())
    return Turn("thread", Conversation(message), assistant.house.user, "call_1")


def asked(start: str = "2026-11-26", end: str = "2026-11-26", timezone: str = "") -> ScheduleMeetingArguments:
    """A trade fair."""
    return ScheduleMeetingArguments(title="Fair", start=start, end=end, timezone=timezone)


def tool_of(assistant: Desk) -> ScheduleMeeting:
    """The tool as the assistant has it."""
    return assistant.house.schedule_meeting


async def prepared(assistant: Desk, turn: Turn, arguments: ScheduleMeetingArguments) -> Action:
    """The action that waits for approval."""
    action = await tool_of(assistant).prepare(arguments, turn)
    assert isinstance(action, Action)
    return action


def args_of(**changes: str) -> dict[str, str]:
    """What a card shows, edited."""
    shown = {"title": "Fair", "attendees": "", "start": "2026-11-26", "end": "2026-11-26"}
    return shown | {"timezone": "Europe/Berlin", "location": ""} | changes


async def test_days_are_shown_and_created_as_days(assistant: Desk, turn: Turn) -> None:
    """The card shows the first and the last day, by the calendar's own clock; performed twice there is one event."""
    action = await prepared(assistant, turn, asked(end="2026-11-28", timezone="America/New_York"))
    assert [action.args[name] for name in ("start", "end", "timezone")] == [
        "2026-11-26", "2026-11-28", "Europe/Berlin",
    ]  # fmt: skip
    words = "Thursday 26 November 2026 to Saturday 28 November 2026, all day."
    assert (action.summary, action.reasons) == (words, ("The time is free in your calendar.",))
    for _ in range(2):
        done = await tool_of(assistant).perform(action, acknowledged=frozenset())
        assert isinstance(done, Done)
        assert "2026-11-26 to 2026-11-28, all day, the last day included, with" in done.text
    (event,) = await assistant.house.calendar.events(DAY - timedelta(days=9), DAY + timedelta(days=9))
    assert (event.all_day, event.start, event.end) == (True, DAY, DAY + timedelta(days=3))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"end": "2026-11-26T10:00"}, "must both be days or both be times"),
        ({"end": "2026-11-25"}, "'end' is before 'start'"),
        ({"end": "2026-12-10"}, "longer than 14 days"),
        (
            {"timezone": "America/New_York"},
            "'timezone' of an all-day event is the calendar's own, Europe/Berlin",
        ),
        ({"start": "9999-12-31", "end": "9999-12-31"}, "out of range"),
    ],
)
async def test_wrong_days_are_asked_again(
    assistant: Desk, turn: Turn, changes: dict[str, str], words: str
) -> None:
    """With the field that is wrong."""
    action = await prepared(assistant, turn, asked())
    problem = await tool_of(assistant).revise(action, args_of(**changes))
    assert isinstance(problem, Problem)
    assert words in problem.text


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", "2026-03-29", 23),
        ("Europe/Berlin", "2026-10-25", 25),
        ("Asia/Beirut", "2026-03-29", 23),
    ],
)
def test_days_on_which_the_clocks_change(zone: str, day: str, hours: int) -> None:
    """A day is as long as it is, also where midnight is skipped, and is shown as it was given."""
    event = event_of("e", args_of(start=day, end=day, timezone=zone), owner=zone)
    assert event.end.timestamp() - event.start.timestamp() == hours * 3600
    assert edges(event) == (day, day)
    assert when(*edges(event)) == f"{day}, all day"
