"""One VEVENT of an invitation as a proposal, and of a series the next one."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
import recurring_ical_events

from email_assistant.calendars import ics
from email_assistant.calendars.event import Event
from email_assistant.calendars.ics_parsing import UNREADABLE
from email_assistant.calendars.invitation_text import LINK_PROPERTIES, RULE
from email_assistant.calendars.proposal import (
    DEFAULT_MINUTES,
    MAX_ATTENDEES,
    MAX_LOCATION,
    MAX_TITLE,
    EventProposal,
    call_link,
    https_link,
    plain_description,
)
from email_assistant.calendars.recurrence_rules import FIRST_YEAR, LAST_YEAR, LOOKED_AHEAD, YEARS_AHEAD
from email_assistant.errors import ProviderError
from email_assistant.mail.address import Address, unique
from email_assistant.mail.text import one_line

SOURCE = "the calendar"
"""What errors about an invitation begin with."""
NO_END = f"It names no end; {DEFAULT_MINUTES} minutes are taken."

_MAX_RAW = 20_000
_NOT_PEOPLE = frozenset({"ROOM", "RESOURCE"})

ONE_OF_SERIES = "It changes one occurrence of a series; the others are not shown."
NONE_TO_COME = "It repeats, but no occurrence is to come; the first one is shown."
MAX_TIMES = 400
"""Occurrences of a series that are looked at."""
_WINDOWS = (timedelta(days=35), LOOKED_AHEAD, timedelta(days=366 * YEARS_AHEAD))


def proposal_of(component: Any, *, owner: ZoneInfo, subject: str) -> EventProposal:
    """What the event says, its times in its own zone (UTC and floating times in the owner's).

    Raises `ProviderError` when its times cannot be told for certain. `subject` is the title when it has none.
    """
    ics.check(component, SOURCE)
    begins, ends = ics.span_of(component, SOURCE)
    if not FIRST_YEAR <= begins.year <= LAST_YEAR or not FIRST_YEAR <= ends.year <= LAST_YEAR:
        raise ProviderError(f"{SOURCE}: the event's time is out of range")
    all_day = not isinstance(begins, datetime)
    if all_day and ends <= begins:
        ends = begins + timedelta(days=1)
    notes: list[str] = []
    start, end = ics.instant_of(begins, owner, SOURCE), ics.instant_of(ends, owner, SOURCE)
    if end < start:
        raise ProviderError(f"{SOURCE}: the event ends before it starts")
    if end == start:
        end += timedelta(minutes=DEFAULT_MINUTES)
        notes.append(NO_END)
    zone = _zone(component, begins, owner)
    return EventProposal(
        title=_text(component, "SUMMARY", MAX_TITLE) or subject or "Event",
        start=start.astimezone(zone),
        end=end.astimezone(zone),
        timezone=zone.key,
        all_day=all_day,
        location=_text(component, "LOCATION", MAX_LOCATION),
        video_link=_video_link(component),
        attendees=_people(component),
        description=plain_description(_raw(component, "DESCRIPTION")),
        notes=tuple(notes),
    )


def event_from(component: Any, proposal: EventProposal, *, owner: ZoneInfo) -> Event:
    """The event as a calendar takes it, under its own UID; `proposal` is what `proposal_of` made of the same component."""
    recurrence = _recurrence(component)
    begins = component["DTSTART"].dt
    in_utc = isinstance(begins, datetime) and begins.tzinfo is not None and not begins.utcoffset()
    occurrence = component["RECURRENCE-ID"].dt if "RECURRENCE-ID" in component else None
    uid = one_line(str(component.get("UID", "")))
    return Event(
        id=uid,
        uid=uid,
        title=proposal.title,
        start=proposal.start,
        end=proposal.end,
        all_day=proposal.all_day,
        busy=str(component.get("TRANSP", "")).strip().upper() != "TRANSPARENT",
        # What repeats at an hour of UTC must not follow the clocks of the owner's zone.
        timezone="UTC"
        if recurrence and in_utc and "TZID" not in component["DTSTART"].params
        else proposal.timezone,
        location=proposal.location,
        description=_with_link(proposal),
        attendees=unique(ics.attendees_of(component))[:MAX_ATTENDEES],
        guests=ics.guests_of(component),
        organizer=ics.organizer_of(component),
        sequence=ics.sequence_of(component),
        stamp=ics.stamp_of(component),
        recurrence=recurrence,
        recurrence_id=None if occurrence is None else ics.instant_of(occurrence, owner, SOURCE),
        cancelled=ics.is_cancelled(component),
    )


def _with_link(proposal: EventProposal) -> str:
    """What it says, with the video call's address where that stands nowhere else."""
    link, text = proposal.video_link, proposal.description
    return text if link in f"{text}\n{proposal.location}" else f"{text}\n\n{link}".strip()


def _recurrence(component: Any) -> tuple[str, ...]:
    """How it repeats, its dates as instants: the names of zones are the sender's."""
    if "RECURRENCE-ID" in component:
        return ()
    lines = [f"RRULE:{rule}" for rule in ics.values_of(component, RULE)]
    for name in ("RDATE", "EXDATE"):
        for value in ics.values_of(component, name):
            moments = [entry.dt for entry in getattr(value, "dts", ())]
            lines += [written for moment in moments if (written := _date_line(name, moment))]
    return tuple(lines)


def _date_line(name: str, moment: Any) -> str:
    """One date of a series; "" for a period, which no calendar here takes."""
    if isinstance(moment, datetime):
        return (
            f"{name}:{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"
            if moment.tzinfo
            else f"{name}:{moment:%Y%m%dT%H%M%S}"
        )
    return f"{name};VALUE=DATE:{moment:%Y%m%d}" if isinstance(moment, date) else ""


def _zone(component: Any, begins: date, owner: ZoneInfo) -> ZoneInfo:
    name = ics.zone_name(component["DTSTART"], begins, owner)
    # Many programs write every time in UTC, which says nothing about where the event is.
    return owner if name in {"UTC", "Etc/UTC"} else ZoneInfo(name)


def _raw(component: Any, name: str) -> str:
    return str(next(iter(ics.values_of(component, name)), ""))[:_MAX_RAW]


def _text(component: Any, name: str, limit: int) -> str:
    return one_line(_raw(component, name), limit=limit)


def _video_link(component: Any) -> str:
    """The video call's address: from the properties made for it, else one that stands in the texts."""
    for name in LINK_PROPERTIES:
        for value in ics.values_of(component, name):
            if link := https_link(str(value)):
                return link
    location = _raw(component, "LOCATION").strip()
    texts = "\n".join((location, _raw(component, "URL"), _raw(component, "DESCRIPTION")))
    return https_link(location) or call_link(texts)


def _people(component: Any) -> tuple[Address, ...]:
    values = ics.values_of(component, "ATTENDEE")
    people = [v for v in values if str(getattr(v, "params", {}).get("CUTYPE", "")).upper() not in _NOT_PEOPLE]
    return unique(address for value in people if (address := ics.address_of(value)))[:MAX_ATTENDEES]


def next_of_series(
    components: list[Any], *, owner: ZoneInfo, now: datetime | None
) -> tuple[Any, tuple[str, ...]]:
    """The occurrence to show of the components of one UID, and what is to be known about it.

    That is the first that starts at or after `now` and is not cancelled; without such a one, or without `now`, the
    first of all. Raises `ProviderError` when times or rules cannot be read.
    """
    for component in components:
        ics.check(component, SOURCE)
    main = next((c for c in components if "RECURRENCE-ID" not in c), None)
    if main is None:
        return components[0], (ONE_OF_SERIES,)
    if not any(name in c for c in components for name in ics.RECURRING):
        return main, ()
    begins = ics.instant_of(main["DTSTART"].dt, owner, SOURCE)
    after = max(now.astimezone(UTC), begins) if now else begins
    found = _first_from(components, after, owner)
    if found is None:
        return main, (NONE_TO_COME,)
    start = ics.instant_of(found["DTSTART"].dt, owner, SOURCE)
    return found, (next_time(start, owner.key, all_day=not isinstance(found["DTSTART"].dt, datetime)),)


def next_time(start: datetime, zone: str, *, all_day: bool) -> str:
    """The sentence about the next occurrence of a series, by the clock of `zone`."""
    day = start.astimezone(ZoneInfo(zone))
    return f"It repeats; the next time is {f'{day:%A %Y-%m-%d}' if all_day else f'{day:%A %Y-%m-%d %H:%M} ({zone})'}."


def times_of_series(
    components: Iterable[Any], *, owner: ZoneInfo, now: datetime | None
) -> tuple[tuple[datetime, datetime], ...]:
    """When a series takes place from `now` on, within about a year and at most `MAX_TIMES` times; () of a single event.

    Raises `ProviderError` when its rules cannot be read.
    """
    components = list(components)
    main = next((c for c in components if "RECURRENCE-ID" not in c), None)
    if main is None or not any(name in c for c in components for name in ics.RECURRING):
        return ()
    begins = ics.instant_of(main["DTSTART"].dt, owner, SOURCE)
    coming = _coming(components, max(now.astimezone(UTC), begins) if now else begins, _WINDOWS[1], owner)
    spans = (ics.span_of(component, SOURCE) for _, component in coming[:MAX_TIMES])
    times = [tuple(ics.instant_of(each, owner, SOURCE) for each in span) for span in spans]
    return tuple((start, end) for start, end in times if end > start)


def _first_from(components: Iterable[Any], after: datetime, owner: ZoneInfo) -> Any | None:
    """The first occurrence that starts at or after the instant, looked for ever further ahead."""
    components = list(components)
    return next(
        (found[0][1] for each in _WINDOWS if (found := _coming(components, after, each, owner))), None
    )


def _coming(
    components: Iterable[Any], after: datetime, window: timedelta, owner: ZoneInfo
) -> list[tuple[datetime, Any]]:
    """The occurrences that start at or after the instant, within a time, with their starts."""
    calendar = icalendar.Calendar()
    for component in components:
        calendar.add_component(component)
    try:
        # A day of margin: whole days and floating times are compared without a zone by the library.
        found = recurring_ical_events.of(calendar).between(after - timedelta(days=1), after + window)
        dated = [(ics.instant_of(c["DTSTART"].dt, owner, SOURCE), c) for c in found]
    except UNREADABLE as error:
        raise ProviderError(f"{SOURCE}: how it repeats cannot be read: {error}") from error
    coming = [one for one in dated if one[0] >= after and not ics.is_cancelled(one[1])]
    return sorted(coming, key=lambda one: one[0])
