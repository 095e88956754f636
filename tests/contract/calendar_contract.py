"""What every calendar behind the `Calendar` port must do.

A test class inherits from `CalendarContract` and brings one fixture: `calendar`, empty between 2026-11-01 and
2026-12-31, whose owner lives in Europe/Berlin.
"""

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event
from email_assistant.calendars.free_time import conflicts
from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message
from email_assistant.review.action import Action, Problem
from email_assistant.tools.scheduling import ScheduleMeeting, ScheduleMeetingArguments
from email_assistant.tools.tool import AskAgain, Done, Turn
from tests.support.desk import Desk, desk

BERLIN = ZoneInfo("Europe/Berlin")
MEETING = Event(
    id="0123456789abcdef0123456789abcdef",
    title="Budget review; with Ana, Bo & Chloé",
    start=datetime(2026, 11, 26, 10, tzinfo=BERLIN),
    end=datetime(2026, 11, 26, 11, 30, tzinfo=BERLIN),
    timezone="Europe/Berlin",
    location="Room 5, 2nd floor",
    attendees=(Address("ana@example.com", "Ana Petrova"), Address("bo@example.org")),
)
HOUR = timedelta(hours=1)


class CalendarContract:
    """Run against a real calendar."""

    async def test_what_was_created_is_found_in_its_time(self, calendar: Calendar) -> None:
        """A created event comes back from `events` with its title, times, place and guests."""
        await calendar.create(MEETING)
        (found,) = await calendar.events(
            datetime(2026, 11, 26, tzinfo=BERLIN), datetime(2026, 11, 27, tzinfo=BERLIN)
        )
        assert (found.title, found.location) == (MEETING.title, MEETING.location)
        assert (found.start, found.end, found.all_day, found.busy) == (
            MEETING.start,
            MEETING.end,
            False,
            True,
        )
        assert {guest.key for guest in found.attendees} >= {"ana@example.com", "bo@example.org"}

    async def test_creating_answers_the_event_under_its_own_id(self, calendar: Calendar) -> None:
        """`create` returns the event with the id it was given, and `get` finds it under that id."""
        created = await calendar.create(MEETING)
        found = await calendar.get(MEETING.id)
        assert created.id == MEETING.id
        assert found is not None
        assert (found.id, found.start) == (MEETING.id, MEETING.start)

    async def test_creating_twice_makes_one_event(self, calendar: Calendar) -> None:
        """A second `create` of the same id changes nothing and returns what is there."""
        await calendar.create(MEETING)
        again = await calendar.create(replace(MEETING, title="Something else"))
        events = await calendar.events(MEETING.start, MEETING.end)
        assert again.title == MEETING.title
        assert [event.title for event in events] == [MEETING.title]

    async def test_two_that_create_the_same_id_at_once_make_one_event(self, calendar: Calendar) -> None:
        """Concurrent creates of one id leave one event."""
        await asyncio.gather(*(calendar.create(MEETING) for _ in range(5)))
        assert len(await calendar.events(MEETING.start, MEETING.end)) == 1

    @pytest.mark.parametrize("days", [1, 3])
    async def test_whole_days_come_back_as_days(self, calendar: Calendar, days: int) -> None:
        """From midnight to midnight of the owner; the day before and the day after are not touched."""
        start = datetime(2026, 11, 26, tzinfo=BERLIN)
        end = start + timedelta(days=days)
        created = await calendar.create(replace(MEETING, all_day=True, start=start, end=end))
        (found,) = await calendar.events(start - 24 * HOUR, end + 24 * HOUR)
        for event in (created, found, await calendar.get(MEETING.id)):
            assert event is not None
            assert (event.all_day, event.busy, event.start, event.end) == (True, True, start, end)
        assert await calendar.events(start - 24 * HOUR, start) == []
        assert await calendar.events(end, end + 24 * HOUR) == []

    async def test_whole_days_are_created_once(self, calendar: Calendar) -> None:
        """The same id again, also with other days, changes nothing and returns what is there."""
        start = datetime(2026, 11, 26, tzinfo=BERLIN)
        day = replace(MEETING, all_day=True, start=start, end=start + timedelta(days=1))
        await calendar.create(day)
        again = await calendar.create(replace(day, end=start + timedelta(days=2)))
        assert (again.start, again.end, again.all_day) == (day.start, day.end, True)
        assert len(await calendar.events(start, start + timedelta(days=3))) == 1

    async def test_a_free_day_is_no_conflict(self, calendar: Calendar) -> None:
        """It is on the day, and leaves its time free."""
        start = datetime(2026, 11, 26, tzinfo=BERLIN)
        day = replace(MEETING, all_day=True, busy=False, start=start, end=start + timedelta(days=1))
        await calendar.create(day)
        (found,) = events = await calendar.events(start, day.end)
        assert (found.all_day, found.busy) == (True, False)
        assert conflicts(events, start, day.end) == []

    async def test_many_events_created_at_once_are_all_kept(self, calendar: Calendar) -> None:
        """Concurrent creates of different ids lose none of them."""
        ids = [f"{number:032x}" for number in range(10)]
        await asyncio.gather(*(calendar.create(replace(MEETING, id=each)) for each in ids))
        assert {event.id for event in await calendar.events(MEETING.start, MEETING.end)} == set(ids)

    async def test_an_unknown_id_is_none(self, calendar: Calendar) -> None:
        """`get` of an id that was never created is None."""
        assert await calendar.get("ffffffffffffffffffffffffffffffff") is None

    async def test_the_end_of_the_period_is_not_in_it(self, calendar: Calendar) -> None:
        """A period that touches an event at its edge does not hold it; one second of overlap does."""
        await calendar.create(MEETING)
        second = timedelta(seconds=1)
        assert await calendar.events(MEETING.start - HOUR, MEETING.start) == []
        assert await calendar.events(MEETING.end, MEETING.end + HOUR) == []
        assert len(await calendar.events(MEETING.end - second, MEETING.end + HOUR)) == 1
        assert len(await calendar.events(MEETING.start - HOUR, MEETING.start + second)) == 1

    async def test_events_are_ordered_by_start(self, calendar: Calendar) -> None:
        """Events come in the order of their start, whatever the order they were created in."""
        for number in (3, 1, 2):
            start = MEETING.start + number * HOUR
            await calendar.create(replace(MEETING, id=f"{number:032x}", start=start, end=start + HOUR))
        events = await calendar.events(MEETING.start, MEETING.start + 12 * HOUR)
        assert [event.id[-1] for event in events] == ["1", "2", "3"]

    async def test_times_are_instants_whatever_zone_they_are_asked_in(self, calendar: Calendar) -> None:
        """The same period asked for in another zone gives the same events, with aware times."""
        await calendar.create(MEETING)
        there = await calendar.events(
            MEETING.start.astimezone(UTC), MEETING.end.astimezone(ZoneInfo("Asia/Tokyo"))
        )
        assert there == await calendar.events(MEETING.start, MEETING.end)
        assert all(event.start.utcoffset() is not None for event in there)

    async def test_the_second_of_two_meetings_for_one_hour_is_asked_about(
        self, calendar: Calendar, tmp_path: Path
    ) -> None:
        """One after the other, at once, and after an edit onto the hour: one event, until it is accepted again."""
        booking = Booking(calendar, desk(tmp_path / "desk"))
        first, second, third, fourth = [await booking.card(f"call_{number}") for number in range(4)]
        assert isinstance(await booking.accept(first), Done)
        again = await booking.accept(second)
        assert isinstance(again, AskAgain)
        assert "Budget" in again.problem
        later = {"start": "2026-11-26T13:00+01:00", "end": "2026-11-26T14:00+01:00"}
        edits = [await booking.tool.revise(each, {**each.args, **later}) for each in (third, fourth)]
        results = await asyncio.gather(*(booking.accept(each) for each in edits))
        assert {type(each) for each in results} == {Done, AskAgain}
        assert len(await calendar.events(MEETING.start, MEETING.end + 5 * HOUR)) == 2
        assert isinstance(await booking.accept(again.action), Done)
        assert len(await calendar.events(MEETING.start, MEETING.end + 5 * HOUR)) == 3


@dataclass(frozen=True)
class Booking:
    """The tool that creates meetings, in this calendar."""

    calendar: Calendar
    assistant: Desk

    @property
    def tool(self) -> ScheduleMeeting:
        """As an assistant has it, with the calendar under test."""
        return replace(self.assistant.house.schedule_meeting, calendar=self.calendar)

    async def card(self, call: str) -> Action:
        """A budget meeting at ten."""
        house = self.assistant.house
        message = Message(
            id=call, mail_thread_id=call, sender=Address("ana@example.com"), subject="", text=""
        )
        turn = Turn("thread", Conversation(message), house.user, call)
        args = ScheduleMeetingArguments(title="Budget", start="2026-11-26T10:00", end="2026-11-26T11:00")
        action = await self.tool.prepare(args, turn)
        assert isinstance(action, Action)
        return action

    async def accept(self, action: Action | Problem) -> Done | AskAgain:
        """What comes of an accept."""
        assert isinstance(action, Action)
        return await self.tool.perform(action, acknowledged=frozenset())
