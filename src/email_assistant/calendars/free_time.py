"""When the owner is busy and when not, from a list of events."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from email_assistant.calendars.event import Event, check_period, in_utc, unread_events
from email_assistant.errors import InputError
from email_assistant.working_hours import USUAL, WorkingHours

Interval = tuple[datetime, datetime]

_STEP = timedelta(minutes=30)
_APART = timedelta(hours=2)
_OFFERED = 3
_NOON = 13
_LONGEST = timedelta(days=3660)
_UNREAD = "hours that cannot be read"
_BUSY = re.compile(r"(?:: busy|;) (?:(?P<whole>all day)|(?P<begins>\d\d:\d\d)–(?P<ends>\d\d:\d\d))")


def busy_intervals(events: Iterable[Event], way: timedelta = timedelta(0)) -> list[Interval]:
    """The times that busy events take up: [start, end) in UTC, ordered, overlapping and adjoining ones merged.

    Events that leave the time free and events without length take up none; those that are elsewhere take up the `way` there and
    back, too. Raises `InputError` on naive times.
    """
    merged: list[Interval] = []
    spans = ((_span(event), way if event.is_elsewhere else timedelta(0)) for event in events if event.busy)
    for start, end in sorted((start - way, end + way) for (start, end), way in spans if start < end):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def conflicts(events: Iterable[Event], start: datetime, end: datetime) -> list[Event]:
    """The busy events that overlap [start, end), ordered by start; touching at an edge is no overlap.

    Raises `InputError` on naive times and when `end` is before `start`.
    """
    first, last = check_period(start, end)
    found = [
        (span, event)
        for event in events
        if event.busy and (span := _span(event))[0] < span[1] and span[0] < last and span[1] > first
    ]
    return [event for _, event in sorted(found, key=lambda pair: pair[0])]


def free_slots(
    events: Iterable[Event],
    *,
    start: datetime,
    end: datetime,
    duration: timedelta,
    timezone: str,
    hours: WorkingHours = USUAL,
) -> list[Interval]:
    """Every slot of that duration within [start, end) that is free and inside working hours, ordered.

    Slots begin where these do and every half hour after it, by the clock on the wall of `timezone`, and are given in
    that zone. `duration` is elapsed time, so a slot is never shortened by a change of daylight saving time.
    Raises `InputError` on naive times, an unknown zone, a period of more than ten years, or a duration
    that makes no sense.
    """
    first, last = check_period(start, end)
    zone = _zone(timezone)
    if last - first > _LONGEST or first.year < 2 or last.year > 9998:
        raise InputError("the period is longer than ten years or out of range")
    if not timedelta(0) < duration <= timedelta(days=1):
        raise InputError("'duration' must be positive and no longer than a day")
    busy = busy_intervals(events, hours.way)
    slots = []
    # Days of the zone may be one off those of UTC at either end; the period itself cuts what is outside.
    for number in range(-1, (last - first).days + 3):
        day = first.date() + timedelta(days=number)
        if day.weekday() in hours.days:
            slots.extend(_slots_of_day(day, zone, hours, duration, (first, last), busy))
    return slots


def spread(slots: Sequence[Interval], theirs: tzinfo, hours: WorkingHours) -> list[Interval]:
    """Up to three of the slots, to choose from: one a day where there are days enough, now in the morning, now after noon, else some
    hours apart; ordered.

    Slots within `hours` by the other side's clock go before all others.
    """
    suiting = [each for each in slots if hours.hold(*(edge.astimezone(theirs) for edge in each))] or slots
    days = sorted({start.date() for start, _ in suiting})
    chosen = []
    for number, day in enumerate(
        dict.fromkeys(days[index * (len(days) - 1) // 2] for index in range(_OFFERED) if days)
    ):
        of_day = [each for each in suiting if each[0].date() == day]
        halves = [each for each in of_day if (each[0].hour >= _NOON) == bool(number % 2)]
        chosen.append((halves or of_day)[0])
    for slot in sorted(suiting, key=lambda each: each[0].hour < _NOON):
        if len(chosen) < _OFFERED and all(abs(slot[0] - each[0]) >= _APART for each in chosen):
            chosen.append(slot)
    return sorted(chosen)


def describe_day(events: Iterable[Event], day: date, timezone: str, *, titles: bool = True) -> str:
    """One plain line on a day in the zone: "Thursday 2026-11-26: busy 09:00–10:00 Standup; 14:00–15:30 Review".

    `titles=False` leaves out what the events are called, which whoever invites chooses. A day without busy events is
    "free all day". Events of neighbouring days are cut at midnight ("00:00", "24:00"). Those whose hours nobody knows are told last.
    """
    zone, events = _zone(timezone), list(events)
    first, last = _midnight(day, zone), _midnight_after(day, zone)
    parts = [
        _described(event if titles else replace(event, title=""), first, last, zone)
        for event in conflicts(events, first, last)
    ]
    text = f"{day:%A} {day.isoformat()}: " + (f"busy {'; '.join(parts)}" if parts else "free all day")
    if not (unread := unread_events(events)):
        return text
    named = "; ".join(" ".join(event.title.split()) or "without a title" for event in unread)
    return f"{text}; {_UNREAD}: {named if titles else f'{len(unread)} more'}"


def is_told_free(lines: str, start: datetime, end: datetime, timezone: str) -> bool:
    """Whether a time is free by what `describe_day` has said of its day; not where it said nothing, or of hours that nobody knows."""
    start, end = (each.astimezone(_zone(timezone)) for each in (start, end))
    # By how it begins: what events are called stands in the lines, and a stranger's invitation may name another day.
    head = f"{start:%A} {start.date().isoformat()}: "
    line = next((each for each in lines.splitlines() if each.startswith(head)), _UNREAD)
    begins, ends = f"{start:%H:%M}", f"{end:%H:%M}" if end.date() == start.date() else "24:00"
    busy = (
        each["whole"] or (each["begins"] < ends and each["ends"] > begins) for each in _BUSY.finditer(line)
    )
    return _UNREAD not in line and not any(busy)


def describe_free(
    events: Iterable[Event], day: date, timezone: str, hours: WorkingHours, now: datetime
) -> str:
    """What is left of a day's working hours from `now` on: "Thursday 2026-11-26 10:00–14:00, 15:30–17:00", or "" when nothing is.

    Nothing is said where nobody knows the hours of an event.
    """
    events, zone = list(events), _zone(timezone)
    if unread_events(events) or day.weekday() not in hours.days:
        return ""
    begin, end = (_instant(datetime.combine(day, each), zone) for each in (hours.start, hours.end))
    begin = max(begin, in_utc("now", now))
    left: list[Interval] = []
    for start, until in busy_intervals(events, hours.way):
        if begin < min(start, end):
            left.append((begin, min(start, end)))
        begin = max(begin, until)
    if begin < end:
        left.append((begin, end))
    text = ", ".join("–".join(f"{edge.astimezone(zone):%H:%M}" for edge in each) for each in left)
    return f"{day:%A} {day.isoformat()} {text}" if text else ""


def _described(event: Event, first: datetime, last: datetime, zone: ZoneInfo) -> str:
    start, end = _span(event)
    title = " ".join(event.title.split())
    if start <= first and end >= last:
        return f"all day {title}".rstrip()
    begins = "00:00" if start <= first else f"{start.astimezone(zone):%H:%M}"
    ends = "24:00" if end >= last else f"{end.astimezone(zone):%H:%M}"
    return f"{begins}–{ends} {title}".rstrip()


def _slots_of_day(
    day: date,
    zone: ZoneInfo,
    hours: WorkingHours,
    duration: timedelta,
    period: Interval,
    busy: list[Interval],
) -> list[Interval]:
    opens, closes = datetime.combine(day, hours.start), datetime.combine(day, hours.end)
    latest = min(_instant(closes, zone), period[1])
    slots: list[Interval] = []
    wall = opens
    while wall < closes:
        begins = _instant(wall, zone)
        slot = (begins, begins + duration)
        # In the hour that the clocks skip, two clock times are one instant; that instant counts once.
        repeated = bool(slots) and begins <= slots[-1][0].astimezone(UTC)
        fits = begins >= period[0] and slot[1] <= latest and not repeated
        if fits and not _taken(slot, busy):
            slots.append((slot[0].astimezone(zone), slot[1].astimezone(zone)))
        wall += _STEP
    return slots


def _taken(slot: Interval, busy: list[Interval]) -> bool:
    """Whether merged, ordered intervals overlap the slot: only the first that ends after its start can."""
    index = bisect_right(busy, slot[0], key=lambda interval: interval[1])
    return index < len(busy) and busy[index][0] < slot[1]


def _instant(wall: datetime, zone: ZoneInfo) -> datetime:
    return in_utc("time", wall.replace(tzinfo=zone))


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return _instant(datetime.combine(day, time.min), zone)


def _midnight_after(day: date, zone: ZoneInfo) -> datetime:
    if day == date.max:
        raise InputError(f"day is out of range: {day.isoformat()}")
    return _midnight(day + timedelta(days=1), zone)


def _span(event: Event) -> Interval:
    return in_utc("start", event.start), in_utc("end", event.end)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(f"'timezone' is not an IANA time zone: {name!r}") from None
