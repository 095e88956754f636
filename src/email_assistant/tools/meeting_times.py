"""What a meeting's card tells of times, beside the one it proposes: what the mail asks for, what is in the way, what else is free."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.calendars.day_text import day_of
from email_assistant.calendars.event import Event, start_of_day, unread_events
from email_assistant.calendars.free_time import Interval, conflicts, free_slots
from email_assistant.tools.in_the_way import MAX_CLASHES, title_of
from email_assistant.tools.meeting import edges, shown
from email_assistant.tools.meeting_words import day_in_words, fits
from email_assistant.working_hours import WorkingHours

MAX_OPTIONS = 3
_LONGEST_WINDOW = timedelta(days=31)
_WORKDAY = timedelta(hours=8)


def window(event: Event, named: Sequence[str], own: str) -> Interval:
    """The period whose events `times_of` needs: the event's, with the whole days that the mail names, as far as they are near."""
    zone = ZoneInfo(own)
    start, end = event.start.astimezone(UTC), event.end.astimezone(UTC)
    for day in _days(event, named, zone):
        first, last = _edges_of(day, zone)
        wider = min(start, first), max(end, last)
        if wider[1] - wider[0] <= _LONGEST_WINDOW:
            start, end = wider
    return start, end


def times_of(
    event: Event,
    named: Sequence[str],
    there: Iterable[Event],
    *,
    own: str,
    now: datetime,
    hours: WorkingHours,
) -> dict[str, Any]:
    """{"asked", "options"} as `CardView.meeting` has them; `there` are the events of the `window`."""
    there = [each for each in there if each.id != event.id]
    asked = _asked(event, named, own)
    taken = _taken_by(asked, there)
    return {
        "asked": {"start": asked[0], "end": asked[1], "taken_by": taken} if asked else None,
        "options": [
            {"start": start.isoformat(), "end": end.isoformat()}
            for start, end in _options(event, named, there, own, now, hours)
        ],
    }


def collisions_of(clashing: Iterable[Event]) -> list[dict[str, str]]:
    """The collisions of a meeting as its card has them; "" for the times of an event whose times cannot be read."""
    times = ((each, ("", "") if each.unread else edges(each)) for each in list(clashing)[:MAX_CLASHES])
    return [{"title": title_of(each), "start": start, "end": end} for each, (start, end) in times]


def as_meeting(event: Event, taken: Iterable[Event] | None = None) -> dict[str, Any]:
    """The event as `CardView.meeting` has it, by its own clock, with what is in its way where somebody has looked."""
    zone = ZoneInfo(event.timezone)
    at = replace(event, start=event.start.astimezone(zone), end=event.end.astimezone(zone))
    looked = {} if taken is None else {"collisions": collisions_of(taken)}
    return {"asked": None, "options": [], **looked, **shown(at)}


def asks_for(times: dict[str, Any], own: str) -> str:
    """The card's first sentence where the mail asks for another time than is free: which, and what is in the way; else ""."""
    asked = times["asked"]
    if not asked or not asked["taken_by"]:
        return ""
    start = datetime.fromisoformat(asked["start"]).astimezone(ZoneInfo(own))
    return (
        f"{{who}} asks for {day_in_words(start.date())}, {start:%H:%M}, when you have “{asked['taken_by']}”."
    )


def _asked(event: Event, named: Sequence[str], own: str) -> tuple[str, str] | None:
    """The time that the mail asks for: the proposed one where it is among those, else the first."""
    if not named:
        return None
    chosen = next((each for each in named if fits(event, each, own)), named[0])
    start, slash, end = chosen.partition("/")
    if not slash:
        return start, start
    zone = ZoneInfo(own)
    first, last = (datetime.fromisoformat(each).astimezone(zone).isoformat() for each in (start, end))
    return first, last


def _taken_by(asked: tuple[str, str] | None, there: Sequence[Event]) -> str:
    if not asked or day_of(asked[0]):
        return ""
    clashing = conflicts(there, *map(datetime.fromisoformat, asked))
    return title_of(clashing[0]) if clashing else ""


def _options(
    event: Event, named: Sequence[str], there: Sequence[Event], own: str, now: datetime, hours: WorkingHours
) -> list[Interval]:
    """Free times in place of the proposed one: what else the mail names first, then what is free on its days by working hours."""
    if event.all_day or unread_events(there):  # Then nobody knows what is free.
        return []
    zone, length = ZoneInfo(own), event.end - event.start
    read_from, read_to = window(event, named, own)
    offered = [
        (start.astimezone(zone), (start + length).astimezone(zone))
        for each in named
        if "/" in each and (start := datetime.fromisoformat(each.partition("/")[0])) > now
    ]
    offered = [
        each
        for each in offered
        if read_from <= each[0] and each[1] <= read_to and not conflicts(there, *each)
    ]
    for day in _days(event, named[:1], zone):
        begin, end = _edges_of(day, zone)
        if now < end and read_from <= begin and end <= read_to and length < _WORKDAY:
            offered += free_slots(
                there, start=max(begin, now), end=end, duration=length, timezone=own, hours=hours
            )
    chosen: list[Interval] = []
    for slot in offered:
        if not any(_overlap(slot, each) for each in [*chosen, (event.start, event.end)]):
            chosen.append(slot)
    return chosen[:MAX_OPTIONS]


def _days(event: Event, named: Sequence[str], zone: ZoneInfo) -> list[date]:
    """The day of the event, then those that the mail names; not those at the ends of the calendar."""
    found = dict.fromkeys([event.start.astimezone(zone).date(), *(_day(each, zone) for each in named)])
    return [day for day in found if date.min.year < day.year < date.max.year]


def _edges_of(day: date, zone: ZoneInfo) -> Interval:
    last = start_of_day(day + timedelta(days=1), zone)
    return start_of_day(day, zone).astimezone(UTC), last.astimezone(UTC)


def _day(named: str, zone: ZoneInfo) -> date:
    start, slash, _ = named.partition("/")
    return datetime.fromisoformat(start).astimezone(zone).date() if slash else date.fromisoformat(start)


def _overlap(one: Interval, other: Interval) -> bool:
    return one[0] < other[1] and other[0] < one[1]
