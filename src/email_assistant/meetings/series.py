"""What a card says of a meeting that somebody else has made: each of its times beside the calendar, and what the user wants of meetings."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.conflicts import (
    FREE,
    MAX_CLASHES,
    conflicts_with,
    outside_hours,
    title_of,
    warnings_of,
)
from email_assistant.calendars.event import Event
from email_assistant.calendars.free_time import busy_intervals
from email_assistant.calendars.recurrence_rules import goes_on, rule_in_words
from email_assistant.clock import short_day
from email_assistant.models.offline.preferences import Preferences
from email_assistant.tools.tool import Turn
from email_assistant.working_hours import WorkingHours

Times = Sequence[tuple[datetime, datetime]]
Clash = tuple[Event, Event]
"""An occurrence, and what else is at its time or may be."""


def occurrences_of(event: Event, times: Times) -> list[Event]:
    """The event at each of its times to come; as it is, where it does not repeat."""
    return [replace(event, start=start, end=end) for start, end in times] or [event]


def clashes_of(occurrences: Sequence[Event], there: Iterable[Event]) -> list[Clash]:
    """What is in their way; of an event whose hours nobody knows it is told once."""
    others = [each for each in there if each.uid != occurrences[0].uid]
    found = [(one, each) for one in occurrences for each in conflicts_with(one, others)]
    return [(one, each) for one, each in found if not each.unread or one is occurrences[0]]


def describe_occurrences(
    occurrences: Sequence[Event], clashes: Sequence[Clash], zone: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a card says of it: reasons, and warnings."""
    others = [each for _, each in clashes]
    if len(occurrences) < 2:
        return (() if others else (FREE,)), warnings_of(others)
    text = words_of(occurrences, zone)
    taken = [(one, each) for one, each in clashes if not each.unread]
    unread = warnings_of([each for each in others if each.unread])
    if not taken:
        return (() if unread else (f"{text}; all are free in your calendar.",)), unread
    days: dict[str, list[str]] = {}
    for one, each in taken:
        days.setdefault(short_day(_day(one, zone)), []).append(title_of(each))
    named = ", ".join(f"{day} ({', '.join(titles)})" for day, titles in [*days.items()][:MAX_CLASHES])
    more = f" and {len(days) - MAX_CLASHES} more" if len(days) > MAX_CLASHES else ""
    return (), (
        f"{text}; {len(days)} {'collides' if len(days) == 1 else 'collide'}: {named}{more}.",
        *unread,
    )


def words_of(occurrences: Sequence[Event], zone: str) -> str:
    """ "Every Tuesday until 15 December, 5 times", by the days of the zone; of a series that goes on, how far it was looked at."""
    days = [_day(each, zone) for each in occurrences]
    rule = next((line for line in occurrences[0].recurrence if line.startswith("RRULE")), "")
    last = f"{days[-1].day} {days[-1]:%B}{f' {days[-1].year}' if days[-1].year != days[0].year else ''}"
    is_cut = goes_on(rule, days[-1] - days[0])
    lines = [rule_in_words(rule, days), f"looked at until {last}" if is_cut else f"until {last}"]
    text = (", " if is_cut else " ").join(filter(None, lines))
    return f"{text[:1].upper()}{text[1:]}, {len(days)} times"


def _day(event: Event, zone: str) -> date:
    return event.start.astimezone(ZoneInfo(zone)).date()


async def unwanted(event: Event, calendar: Calendar, wanted: Preferences, turn: Turn) -> tuple[str, ...]:
    """Warnings of an event that somebody else has made, beside what the calendar has near it."""
    beside = timedelta(minutes=wanted.buffer)
    near = await calendar.events(event.start - beside, event.end + beside) if beside else ()
    others = [each for each in near if each.uid != event.uid]
    return warnings_beside(event, others, wanted, turn.user.working_hours, turn.user.timezone)


def warnings_beside(
    event: Event, there: Iterable[Event], wanted: Preferences, hours: WorkingHours, own: str
) -> tuple[str, ...]:
    """Warnings where it is outside the working hours or breaks another wish, in the zone `own`; of whole days none."""
    outside = outside_hours(event, hours, own)
    if event.all_day:
        return outside
    zone = ZoneInfo(own)
    busy = busy_intervals(each for each in there if each.id != event.id and not each.unread)
    broken = wanted.broken_by(event.start.astimezone(zone), event.end.astimezone(zone), busy)
    return (*outside, *(f"This is not as you want it: {wish}." for wish in broken))
