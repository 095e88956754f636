"""A meeting's arguments as an event, and an event as the card shows it.

A day alone, like 2026-11-26, as `start` and `end` stands for whole days, the last one included: so people write them,
while events end where the next day begins.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from email_assistant.calendars.conflicts import MAX_CLASHES, conflicts_with, title_of
from email_assistant.calendars.event import VIDEO_CALL, Event, start_of_day, unread_events
from email_assistant.calendars.free_time import Interval, busy_intervals, conflicts, free_slots, spread
from email_assistant.calendars.proposal import EventProposal
from email_assistant.clock import day_in_words, day_of
from email_assistant.errors import InputError
from email_assistant.mail.address import format_addresses, parse_recipients, unique
from email_assistant.models.offline.preferences import NONE, Preferences
from email_assistant.tools.concerns import Concern
from email_assistant.tools.meeting_words import fits
from email_assistant.working_hours import WorkingHours

MAX_DAYS = 14


def event_of(event_id: str, args: Mapping[str, str], *, owner: str) -> Event:
    """The event that shown or edited arguments stand for; raises `InputError` naming the field.

    `owner` is the IANA zone of the calendar's owner, in which days are days.
    """
    if not args["title"].strip():
        raise InputError("'title' is empty")
    zone = _zone(args["timezone"])
    start, end, all_day = _span(args["start"], args["end"], zone)
    if all_day and zone.key != owner:
        raise InputError(
            f"'timezone' of an all-day event is the calendar's own, {owner}; give times to use another one"
        )
    # In UTC: the clock on the wall shows one hour of the year twice.
    if end.astimezone(UTC) <= start.astimezone(UTC):
        raise InputError("'end' is before 'start'" if all_day else "'end' is not after 'start'")
    if end - start > timedelta(days=MAX_DAYS):
        raise InputError(f"the meeting is longer than {MAX_DAYS} days")
    return Event(
        id=event_id,
        title=args["title"].strip(),
        start=start,
        end=end,
        all_day=all_day,
        timezone=zone.key,
        location=args["location"].strip(),
        description=args.get("message", "").strip(),
        attendees=unique(parse_recipients(args["attendees"])),
        conference=args["location"].strip().lower() in VIDEO_CALL,
    )


def shown(event: Event) -> dict[str, str]:
    """The arguments that a card shows of an event of `event_of`."""
    start, end = edges(event)
    return {
        "title": event.title,
        "attendees": format_addresses(event.attendees),
        "start": start,
        "end": end,
        "timezone": event.timezone,
        "location": event.location,
        "message": event.description,
    }


def over_concern(event: Event, now: datetime) -> list[Concern]:
    """That nobody can come any more: a card may wait for long, and an edit name another year."""
    if event.end > now:
        return []
    return [
        Concern(f"over:{event.end.isoformat()}", "This time is over. Accept again to create it all the same.")
    ]


def edges(event: Event | EventProposal) -> tuple[str, str]:
    """Start and end as a card shows them: times, or the first and the last day."""
    if not event.all_day:
        return event.start.isoformat(), event.end.isoformat()
    zone = ZoneInfo(event.timezone)
    last = (event.end.astimezone(UTC) - timedelta(seconds=1)).astimezone(zone)
    return event.start.astimezone(zone).date().isoformat(), last.date().isoformat()


def when(start: str, end: str) -> str:
    """A shown start and end in words."""
    if day_of(start) is None:
        return f"{start} to {end}"
    return f"{start}, all day" if start == end else f"{start} to {end}, all day, the last day included"


def _span(start: str, end: str, zone: ZoneInfo) -> tuple[datetime, datetime, bool]:
    first, last = day_of(start), day_of(end)
    if (first is None) != (last is None):
        raise InputError("'start' and 'end' must both be days or both be times")
    if first is None or last is None:
        return _instant("start", start, zone), _instant("end", end, zone), False
    try:
        return start_of_day(first, zone), start_of_day(last + timedelta(days=1), zone), True
    except OverflowError:
        raise InputError(f"'start' or 'end' is out of range: {first}, {last}") from None


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name.strip())
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(
            f"'timezone' is not an IANA time zone: {name!r}; write it like Europe/Berlin"
        ) from None


def _instant(field: str, text: str, zone: ZoneInfo) -> datetime:
    try:
        instant = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError(
            f"'{field}' is not an ISO 8601 time: {text!r}; write it like 2026-11-26T10:00, or 2026-11-26 for whole days"
        ) from None
    try:
        local = instant.replace(tzinfo=zone) if instant.tzinfo is None else instant.astimezone(zone)
        local.astimezone(UTC)
    except OverflowError:
        raise InputError(f"'{field}' is out of range: {text!r}") from None
    return local


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
    wanted: Preferences = NONE,
    offered: Sequence[str] = (),
    theirs: tzinfo | None = None,
) -> dict[str, Any]:
    """{"asked", "options"} as `CardView.meeting` has them; `there` are the events of the `window`. "first" is the time that the mail
    names before the one that is proposed, if any.

    `offered` are times that the user has offered in its place; `theirs` is the clock of whoever asks, where somebody knows it.
    """
    there = [each for each in there if each.id != event.id]
    asked = _asked(event, named, own)
    first = _local(named[0].split("/"), own) if named and "/" in named[0] else None
    found = {
        "asked": _with_what_takes_it(asked, there),
        "options": [
            {"start": start.isoformat(), "end": end.isoformat(), **_named_too(start, named)}
            for start, end in _options(event, [*named, *offered], there, own, now, hours, wanted, theirs)
        ],
    }
    return found | ({"first": _with_what_takes_it(first, there)} if first and first != asked else {})


def _named_too(start: datetime, named: Sequence[str]) -> dict[str, bool]:
    starts = (datetime.fromisoformat(each.partition("/")[0]) for each in named if "/" in each)
    return {"is_named": True} if any(start == each for each in starts) else {}


def collisions_of(clashing: Iterable[Event]) -> list[dict[str, str]]:
    """The collisions of a meeting as its card has them; "" for the times of an event whose times cannot be read."""
    times = ((each, ("", "") if each.unread else edges(each)) for each in list(clashing)[:MAX_CLASHES])
    return [{"title": title_of(each), "start": start, "end": end} for each, (start, end) in times]


def looked(clashing: Iterable[Event], now: datetime) -> dict[str, Any]:
    """{"collisions", "looked_at"} of `CardView.meeting`, where somebody has looked at `now`."""
    return {"collisions": collisions_of(clashing), "looked_at": now.isoformat()}


def as_meeting(event: Event, taken: Iterable[Event] | None, now: datetime) -> dict[str, Any]:
    """The event as `CardView.meeting` has it, by its own clock, with what is in its way where somebody has looked, at `now`."""
    zone = ZoneInfo(event.timezone)
    at = replace(event, start=event.start.astimezone(zone), end=event.end.astimezone(zone))
    return {"asked": None, "options": [], **({} if taken is None else looked(taken, now)), **shown(at)}


def asks_for(times: dict[str, Any], event: Event, own: str, theirs: tzinfo | None, beside: str | None) -> str:
    """The card's first sentence: what for, the hours that the mail names, by both clocks, and what is in the way of them; where it
    names none, the one that was chosen. `beside` is what stands behind a free one, None where it is taken.

    "" of whole days, and of one that was chosen and is taken.
    """
    asked = [each for each in (times.get("first"), times["asked"]) if each and not day_of(each["start"])]
    if event.all_day or not (asked or beside is not None):
        return ""
    if not asked:
        at = _at(event.start, own, theirs)
        return f"{{who}} asks for a meeting, “{{title}}”; {at} is free{beside}."
    lines = []
    for each in asked:
        start, taken = datetime.fromisoformat(each["start"]), each["taken_by"]
        close = beside or "" if start == event.start else ""
        lines.append(_at(start, own, theirs) + (f", when you have “{taken}”" if taken else close))
    return f"{{who}} wants “{{title}}”: {', or '.join(lines)}."


def _at(moment: datetime, own: str, theirs: tzinfo | None) -> str:
    """Day and hour, and the hour by the other clock where that is another."""
    start, there = moment.astimezone(ZoneInfo(own)), moment.astimezone(theirs or ZoneInfo(own))
    beside = f" ({there:%H:%M %Z})" if there.utcoffset() != start.utcoffset() else ""
    return f"{day_in_words(start.date())}, {start:%H:%M}{beside}"


def _asked(event: Event, named: Sequence[str], own: str) -> tuple[str, str] | None:
    """The time that the mail asks for: the proposed one where it is among those, else the first."""
    if not named:
        return None
    chosen = next((each for each in named if fits(event, each, own)), named[0])
    start, slash, end = chosen.partition("/")
    return _local((start, end), own) if slash else (start, start)


def _local(times: Sequence[str], own: str) -> tuple[str, str]:
    first, last = (datetime.fromisoformat(each).astimezone(ZoneInfo(own)).isoformat() for each in times)
    return first, last


def _with_what_takes_it(asked: tuple[str, str] | None, there: Sequence[Event]) -> dict[str, str] | None:
    return {"start": asked[0], "end": asked[1], "taken_by": _taken_by(asked, there)} if asked else None


def _taken_by(asked: tuple[str, str], there: Sequence[Event]) -> str:
    if day_of(asked[0]):
        return ""
    clashing = conflicts(there, *map(datetime.fromisoformat, asked))
    return title_of(clashing[0]) if clashing else ""


def _options(
    event: Event,
    named: Sequence[str],
    there: Sequence[Event],
    own: str,
    now: datetime,
    hours: WorkingHours,
    wanted: Preferences,
    theirs: tzinfo | None,
) -> list[Interval]:
    """Free times in place of the proposed one: what else is named first, then what is free on its days by working hours."""
    if event.all_day or unread_events(there):  # Then nobody knows what is free.
        return []
    zone, length = ZoneInfo(own), event.end - event.start
    read_from, read_to = window(event, named, own)
    offered = [
        (start.astimezone(zone), (start + length).astimezone(zone))
        for each in named
        if "/" in each and (start := datetime.fromisoformat(each.partition("/")[0])) > now
    ]
    busy = busy_intervals(there)
    offered = [
        each
        for each in offered
        if read_from <= each[0]
        and each[1] <= read_to
        and not conflicts(there, *each)
        and not wanted.broken_by(*each, busy)
    ]
    for begin, end in [
        *_windows(named, length),
        *(_edges_of(day, zone) for day in _days(event, named[:1], zone)),
    ]:
        if now < end and read_from <= begin and end <= read_to and length < _WORKDAY:
            free = open_slots(there, (max(begin, now), end), length, own, hours, wanted)
            beside = [each for each in free if not _overlap(each, (event.start, event.end))]
            offered += spread(awake(beside, theirs, hours), theirs or zone, hours)
    chosen: list[Interval] = []
    for slot in offered:
        if not any(_overlap(slot, each) for each in [*chosen, (event.start, event.end)]):
            chosen.append(slot)
    return chosen[:MAX_OPTIONS]


def open_slots(
    there: Iterable[Event],
    period: Interval,
    length: timedelta,
    own: str,
    hours: WorkingHours,
    wanted: Preferences,
) -> list[Interval]:
    """The times of a period that are free, within the working hours, and as the user wants meetings: what may be offered."""
    there = list(there)
    busy = busy_intervals(there)
    free = free_slots(there, start=period[0], end=period[1], duration=length, timezone=own, hours=hours)
    return [slot for slot in free if not wanted.broken_by(*slot, busy)]


def awake(free: Iterable[Interval], theirs: tzinfo | None, hours: WorkingHours) -> list[Interval]:
    """Those of the times that are within working hours by the other side's clock, too: nobody is offered a time of their night."""
    return [
        each for each in free if theirs is None or hours.hold(*(edge.astimezone(theirs) for edge in each))
    ]


def _windows(named: Sequence[str], length: timedelta) -> Iterator[Interval]:
    """What the mail names that is longer than the meeting: a time within which it may be."""
    for start, slash, end in (each.partition("/") for each in named):
        if slash and datetime.fromisoformat(end) - datetime.fromisoformat(start) > length:
            yield datetime.fromisoformat(start), datetime.fromisoformat(end)


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


def clashing_with(event: Event, there: Sequence[Event]) -> list[Event]:
    """What is in the way; nothing when the event itself is in the calendar already."""
    return [] if any(each.id == event.id for each in there) else conflicts_with(event, there)
