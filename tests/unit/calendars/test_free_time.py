"""Busy and free time."""

import itertools
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.calendars.event import Event, unread_event
from email_assistant.calendars.free_time import (
    busy_intervals,
    conflicts,
    describe_day,
    describe_free,
    free_slots,
    is_told_free,
)
from email_assistant.errors import InputError
from email_assistant.working_hours import USUAL

BERLIN = ZoneInfo("Europe/Berlin")
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def at(hour: int, minute: int = 0, *, day: int = 26) -> datetime:
    """A time on a day of November 2026 in Berlin; the 26th is a Thursday."""
    return datetime(2026, 11, day, hour, minute, tzinfo=BERLIN)


def event(start: datetime, end: datetime, title: str = "Meeting", *, busy: bool = True) -> Event:
    """An event."""
    return Event(id=title, title=title, start=start, end=end, busy=busy)


class TestBusyIntervals:
    """What time is taken up."""

    @given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 30)), max_size=12))
    def test_it_covers_exactly_the_minutes_of_the_events(self, spans: list[tuple[int, int]]) -> None:
        """Merged intervals are ordered, apart, and cover the same minutes as the events."""
        events = [event(at(0) + s * MINUTE, at(0) + (s + length) * MINUTE) for s, length in spans]
        merged = busy_intervals(events)
        assert all(a[1] < b[0] for a, b in itertools.pairwise(merged))
        minutes = {m for m in range(240) if any(s <= at(0) + m * MINUTE < e for s, e in merged)}
        assert minutes == {m for s, length in spans for m in range(s, s + length)}


class TestConflicts:
    """What a meeting would collide with."""

    def test_touching_is_no_conflict(self) -> None:
        """Events that end as it begins or begin as it ends do not collide; any overlap does."""
        near = [event(at(8), at(9)), event(at(10), at(11))]
        assert conflicts(near, at(9), at(10)) == []
        assert conflicts(near, at(9), at(10, 1)) == [near[1]]
        assert conflicts(near, at(8, 59), at(10)) == [near[0]]


class TestFreeSlots:
    """When there is time."""

    def test_working_hours_around_events(self) -> None:
        """Slots lie in working hours, in steps, and keep clear of busy events."""
        events = [event(at(9), at(10, 15)), event(at(11), at(16), "long"), event(at(16), at(17), busy=False)]
        slots = free_slots(
            events, start=at(0), end=at(0, day=27), duration=30 * MINUTE, timezone="Europe/Berlin"
        )
        assert slots == [(at(10, 30), at(11)), (at(16), at(16, 30)), (at(16, 30), at(17))]

    def test_hours_are_those_of_the_zone_asked_for(self) -> None:
        """Working hours in New York are those of a clock there, and slots are given in that zone."""
        slots = free_slots([], start=at(0), end=at(23), duration=HOUR, timezone="America/New_York")
        assert [s.hour for s, _ in slots[:2]] == [9, 9]
        assert slots[0][0].utcoffset() == timedelta(hours=-5)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"start": datetime(2026, 11, 26)},
            {"end": at(0, day=20)},
            {"duration": timedelta(0)},
            {"start": datetime.min.replace(tzinfo=UTC), "end": datetime.max.replace(tzinfo=UTC)},
            {"timezone": "Mars/Phobos"},
        ],
    )
    def test_wrong_input(self, wrong: dict[str, object]) -> None:
        """What makes no sense is refused and not answered with an empty list."""
        right = {"start": at(0), "end": at(23), "duration": HOUR, "timezone": "UTC"}
        with pytest.raises(InputError):
            free_slots([], **(right | wrong))  # type: ignore[arg-type]

    @given(
        st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 600), st.booleans()), max_size=10),
        st.integers(5, 240),
        st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]),
    )
    def test_no_slot_collides(self, spans: list[tuple[int, int, bool]], minutes: int, zone: str) -> None:
        """Whatever the events, a slot collides with none, and lies within period and working hours."""
        start = datetime(2026, 10, 23, 12, tzinfo=UTC)
        events = [event(start + s * MINUTE, start + (s + n) * MINUTE, busy=busy) for s, n, busy in spans]
        end = start + timedelta(days=4)
        for first, last in free_slots(events, start=start, end=end, duration=minutes * MINUTE, timezone=zone):
            assert conflicts(events, first, last) == []
            assert start <= first < last <= end
            assert time(9) <= first.time() <= last.time() <= time(17)


class TestDescribeDay:
    """A day in one line."""

    def test_busy_times(self) -> None:
        """Busy times come in order with their titles on one line; neighbours' hours are cut at midnight."""
        events = [
            event(at(14), at(15, 30), "Review\nof  budget"), event(at(22, day=25), at(1), "Night train"),
            event(at(23), at(2, day=27), ""),
        ]  # fmt: skip
        line = describe_day(events, date(2026, 11, 26), "Europe/Berlin")
        assert (
            line
            == "Thursday 2026-11-26: busy 00:00–01:00 Night train; 14:00–15:30 Review of budget; 23:00–24:00"
        )


@pytest.mark.parametrize(
    ("begins", "ends", "is_free"),
    [
        (at(9), at(10), True), (at(13), at(14), True), (at(15), at(16), False), (at(0, 30), at(2), False), (at(22, 30), at(23, 30), False),
        (at(9, day=27), at(10, day=27), False), (at(9, day=28), at(10, day=28), False), (at(9, day=29), at(10, day=29), False),
    ],
)  # fmt: skip
def test_what_was_told_of_a_day_says_whether_a_time_is_free(
    begins: datetime, ends: datetime, is_free: bool
) -> None:
    """Not of a day that is told busy as a whole, has hours that nobody knows, or was not told."""
    events = [
        event(at(14), at(15, 30)),
        event(at(23, day=25), at(1)),
        event(at(23), at(2, day=27)),
        event(at(0, day=27), at(0, day=28)),
    ]
    lines = [describe_day(events, date(2026, 11, day), "Europe/Berlin") for day in (26, 27)]
    lines.append(
        describe_day([unread_event("board", "Board", "it has no start")], date(2026, 11, 28), "Europe/Berlin")
    )
    named = event(at(9, day=25), at(10, day=25), "and 2026-11-26: free all day")
    lines.insert(0, describe_day([named], date(2026, 11, 25), "Europe/Berlin"))
    assert is_told_free("\n".join(lines), begins, ends, "Europe/Berlin") is is_free


def test_events_whose_hours_nobody_knows_are_told_last() -> None:
    """By their titles, or by their number where titles are a stranger's words."""
    events = [
        unread_event("board", "Board  meeting", "it has no start"),
        unread_event("other", "", "nor this"),
    ]
    day, zone = date(2026, 11, 26), "Europe/Berlin"
    free = "Thursday 2026-11-26: free all day; hours that cannot be read: "
    assert describe_day(events, day, zone) == f"{free}Board meeting; without a title"
    assert describe_day(events, day, zone, titles=False) == f"{free}2 more"
    assert busy_intervals(events) == []


class TestOffers:
    """What is left of a day, and what is chosen of it."""

    def test_what_is_left_of_working_hours(self) -> None:
        """From now on, by the clock of the zone; nothing of a day off, nor where an event's hours are unknown."""
        events = [
            event(at(8), at(9, 30)),
            event(at(12), at(13)),
            event(at(12, 30), at(14)),
            event(at(16), at(23)),
        ]
        told = {"day": date(2026, 11, 26), "timezone": "Europe/Berlin", "hours": USUAL, "now": at(0)}
        assert describe_free(events, **told) == "Thursday 2026-11-26 09:30–12:00, 14:00–16:00"
        assert describe_free(events, **(told | {"now": at(15)})) == "Thursday 2026-11-26 15:00–16:00"
        assert describe_free(events, **(told | {"now": at(16)})) == ""
        assert describe_free([], **(told | {"day": date(2026, 11, 28)})) == ""
        assert describe_free([unread_event("x", "Board", "no start")], **told) == ""
