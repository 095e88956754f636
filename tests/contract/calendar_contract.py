"""What every calendar behind the `Calendar` port must do.

A test class inherits from `CalendarContract` and brings two fixtures: `calendar`, empty between 2026-11-01 and
2026-12-31, whose owner lives in Europe/Berlin, and `me`, the owner's address.
"""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event, Guest, Partstat
from email_assistant.calendars.free_time import conflicts
from email_assistant.errors import InputError, NotFoundError
from email_assistant.mail.address import Address

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
WEEK = timedelta(days=7)


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

    async def test_a_free_day_is_no_conflict(self, calendar: Calendar) -> None:
        """It is on the day, and leaves its time free."""
        start = datetime(2026, 11, 26, tzinfo=BERLIN)
        day = replace(MEETING, all_day=True, busy=False, start=start, end=start + timedelta(days=1))
        await calendar.create(day)
        (found,) = events = await calendar.events(start, day.end)
        assert (found.all_day, found.busy) == (True, False)
        assert conflicts(events, start, day.end) == []

    async def test_the_end_of_the_period_is_not_in_it(self, calendar: Calendar) -> None:
        """A period that touches an event at its edge does not hold it; one second of overlap does."""
        await calendar.create(MEETING)
        second = timedelta(seconds=1)
        assert await calendar.events(MEETING.start - HOUR, MEETING.start) == []
        assert await calendar.events(MEETING.end, MEETING.end + HOUR) == []
        assert len(await calendar.events(MEETING.end - second, MEETING.end + HOUR)) == 1
        assert len(await calendar.events(MEETING.start - HOUR, MEETING.start + second)) == 1

    async def test_what_was_created_is_found_by_its_uid(self, calendar: Calendar) -> None:
        """`create` says which UID the calendar keeps it under; by that it is found, and no event by another."""
        created = await calendar.create(MEETING)
        found = await calendar.find(created.uid)
        assert found is not None
        assert (found.uid, found.title, found.start) == (created.uid, MEETING.title, MEETING.start)
        assert (found.sequence, found.recurrence, found.recurrence_id, found.cancelled) == (
            0,
            (),
            None,
            False,
        )
        assert await calendar.find("nobody@example.com") is None
        assert await calendar.get("f" * 32) is None

    async def test_somebodys_event_is_kept_under_its_own_uid(self, calendar: Calendar, me: str) -> None:
        """What is put in comes back as it is: organizer, answers, revision, when that was written."""
        event = invited(me).answered("bo@example.org", Partstat.TENTATIVE)
        put = await calendar.put(event)
        (listed,) = await calendar.events(MEETING.start, MEETING.end)
        for found in (put, listed, await calendar.find(event.uid)):
            assert found is not None
            assert (found.uid, found.title, found.start, found.end) == (
                event.uid, event.title, event.start, event.end,
            )  # fmt: skip
            assert found.organizer is not None
            assert (found.organizer.key, found.sequence, found.stamp) == ("ana@example.com", 2, event.stamp)
            assert found.guests == (Guest("bo@example.org", Partstat.TENTATIVE),)
            assert {a.key for a in found.attendees} == {a.key for a in event.attendees}

    async def test_a_newer_revision_takes_the_place_of_the_older(self, calendar: Calendar, me: str) -> None:
        """One event, at the new time; the same again changes nothing, and an older revision does not either."""
        event = invited(me)
        moved = replace(event, start=event.start + HOUR, end=event.end + HOUR, sequence=3, location="Room 6")
        await calendar.put(event)
        await calendar.put(moved)
        for again in (moved, event, moved):
            there = await calendar.put(again)
            assert (there.start, there.sequence, there.location) == (moved.start, 3, "Room 6")
        found = await calendar.events(MEETING.start - HOUR, MEETING.end + 5 * HOUR)
        assert [(each.uid, each.start) for each in found] == [(event.uid, moved.start)]

    async def test_a_guests_answer_changes_nothing_else(self, calendar: Calendar, me: str) -> None:
        """The answer is kept, beside those of others, at the same revision."""
        event = invited(me).answered("bo@example.org", Partstat.ACCEPTED)
        await calendar.put(event)
        told = await calendar.put(event.answered("ana@example.com", Partstat.DECLINED))
        assert told.guests == (
            Guest("ana@example.com", Partstat.DECLINED),
            Guest("bo@example.org", Partstat.ACCEPTED),
        )
        assert (told.sequence, told.title) == (event.sequence, event.title)

    async def test_ones_own_answer(self, calendar: Calendar, me: str) -> None:
        """It is noted in the event itself; a declined one leaves the time free, and what is accepted after that does not."""
        event = invited(me)
        await calendar.put(event)
        for partstat in (Partstat.TENTATIVE, Partstat.DECLINED, Partstat.DECLINED, Partstat.ACCEPTED):
            told = await calendar.answer(event.uid, partstat)
            (found,) = await calendar.events(MEETING.start, MEETING.end)
            assert told.partstat_of(me) is found.partstat_of(me) is partstat
            assert found.busy is (partstat is not Partstat.DECLINED)

    async def test_a_declined_event_that_moves_is_still_declined(self, calendar: Calendar, me: str) -> None:
        """The new time is free as well, until it is accepted; then it is taken."""
        event = invited(me)
        await calendar.put(event)
        await calendar.answer(event.uid, Partstat.DECLINED)
        later = replace(event, start=event.start + HOUR, end=event.end + HOUR, sequence=3)
        moved = await calendar.put(later.answered(me, Partstat.DECLINED))
        assert (moved.start, moved.busy) == (later.start, False)
        assert (await calendar.answer(event.uid, Partstat.ACCEPTED)).busy

    async def test_an_answer_needs_an_event_and_an_invitation(self, calendar: Calendar, me: str) -> None:
        """To an event that is not there, or that one is not invited to, nobody can say whether one comes."""
        with pytest.raises(NotFoundError):
            await calendar.answer("nobody@example.com", Partstat.ACCEPTED)
        await calendar.put(replace(invited(me), attendees=MEETING.attendees))
        with pytest.raises(InputError, match="guests"):
            await calendar.answer(invited(me).uid, Partstat.ACCEPTED)

    async def test_a_cancelled_event_takes_no_time_and_is_known(self, calendar: Calendar, me: str) -> None:
        """It is found as cancelled, also when it is cancelled again; what never was there stays so."""
        event = invited(me)
        await calendar.put(event)
        for _ in range(2):
            await calendar.cancel(event.uid)
            found = await calendar.find(event.uid)
            assert found is not None
            assert found.cancelled
            assert (
                conflicts(await calendar.events(MEETING.start, MEETING.end), MEETING.start, MEETING.end) == []
            )
        await calendar.cancel("nobody@example.com")
        assert await calendar.find("nobody@example.com") is None

    async def test_one_occurrence_of_a_series(self, calendar: Calendar, me: str) -> None:
        """It is found by where the rule has it, moved, answered and called off, and the others stay as they are."""
        series = replace(invited(me), recurrence=("RRULE:FREQ=WEEKLY;COUNT=4",))
        await calendar.put(series)
        second, third = (series.start + weeks * WEEK for weeks in (1, 2))
        found = await calendar.find(series.uid, second)
        assert found is not None
        assert (found.start, found.recurrence_id, found.recurrence) == (second, second, ())
        assert await calendar.find(series.uid, second + HOUR) is None
        moved = replace(found, start=second + 2 * HOUR, end=found.end + 2 * HOUR, sequence=3)
        for _ in range(2):
            there = await calendar.put(moved)
            assert (there.start, there.recurrence_id) == (moved.start, second)
        assert (await calendar.answer(series.uid, Partstat.DECLINED, second)).partstat_of(
            me
        ) is Partstat.DECLINED
        for _ in range(2):
            await calendar.cancel(series.uid, third)
        called_off = await calendar.find(series.uid, third)
        assert called_off is not None
        assert called_off.cancelled
        found_now = await calendar.events(series.start, series.start + 4 * WEEK)
        assert [each.start for each in found_now if each.busy] == [series.start, series.start + 3 * WEEK]
        whole = await calendar.find(series.uid)
        assert whole is not None
        assert (whole.recurrence, whole.start) == (series.recurrence, series.start)

    async def test_an_occurrence_that_its_series_does_not_have_is_refused(
        self, calendar: Calendar, me: str
    ) -> None:
        """Nothing is written for a time at which there is none."""
        series = replace(invited(me), recurrence=("RRULE:FREQ=WEEKLY;COUNT=4",))
        await calendar.put(series)
        wrong = replace(series, recurrence=(), recurrence_id=series.start + HOUR)
        with pytest.raises(InputError, match="recurrence_id"):
            await calendar.put(wrong)
        assert len(await calendar.events(series.start, series.start + 5 * WEEK)) == 4

    async def test_an_occurrence_of_a_series_that_one_is_not_in(self, calendar: Calendar, me: str) -> None:
        """Who is invited to one occurrence alone has that one, and it can be answered and called off."""
        one = replace(invited(me), recurrence_id=MEETING.start)
        await calendar.put(one)
        assert await calendar.find(one.uid) is None
        told = await calendar.answer(one.uid, Partstat.ACCEPTED, MEETING.start)
        assert (told.start, told.partstat_of(me)) == (MEETING.start, Partstat.ACCEPTED)
        assert len(await calendar.events(MEETING.start, MEETING.end)) == 1
        await calendar.cancel(one.uid, MEETING.start)
        assert conflicts(await calendar.events(MEETING.start, MEETING.end), MEETING.start, MEETING.end) == []

    async def test_a_series_that_is_called_off_takes_no_time(self, calendar: Calendar, me: str) -> None:
        """The occurrences that were changed by themselves are called off with it."""
        series = replace(invited(me), recurrence=("RRULE:FREQ=WEEKLY;COUNT=4",))
        await calendar.put(series)
        found = await calendar.find(series.uid, series.start + WEEK)
        assert found is not None
        await calendar.put(replace(found, start=found.start + HOUR, end=found.end + HOUR))
        await calendar.cancel(series.uid)
        assert not [e for e in await calendar.events(series.start, series.start + 5 * WEEK) if e.busy]

    @pytest.mark.parametrize(
        "wrong",
        [
            {"start": datetime(2026, 11, 26, 10)},
            {"end": MEETING.start},
            {"id": "a\r\nb"},
            {"timezone": "../etc/passwd"},
            {"attendees": (Address("a@example.com\r\nX:y"),)},
            {"all_day": True},
        ],
    )
    async def test_what_cannot_be_meant_is_not_created(
        self, calendar: Calendar, wrong: dict[str, object]
    ) -> None:
        """It is refused, and nothing is written."""
        with pytest.raises(InputError):
            await calendar.create(replace(MEETING, **wrong))  # type: ignore[arg-type]
        assert await calendar.events(MEETING.start - 24 * HOUR, MEETING.end + 24 * HOUR) == []

    @pytest.mark.parametrize(
        "wrong",
        [
            {"uid": "a\r\nb"},
            {"end": MEETING.start},
            {"recurrence": ("RRULE:FREQ=WEEKLY\r\nATTENDEE:mailto:eve@evil.example",)},
            {"attendees": (Address("a@example.com\r\nX:y"),)},
        ],
    )
    async def test_what_cannot_be_meant_is_not_put_in(
        self, calendar: Calendar, me: str, wrong: dict[str, object]
    ) -> None:
        """It is refused, and nothing is written."""
        with pytest.raises(InputError):
            await calendar.put(replace(invited(me), **wrong))  # type: ignore[arg-type]
        assert await calendar.events(MEETING.start - 24 * HOUR, MEETING.end + 24 * HOUR) == []


def invited(me: str) -> Event:
    """Ana's meeting, to which the owner is invited, in its second revision."""
    return replace(
        MEETING,
        id="",
        uid="budget-7@example.com",
        sequence=2,
        stamp=datetime(2026, 11, 20, 8, tzinfo=UTC),
        organizer=Address("ana@example.com", "Ana Petrova"),
        attendees=(*MEETING.attendees, Address(me)),
    )
