"""What an iCalendar file says (RFC 5545): parsed strictly where time is concerned, and expanded into events."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
import recurring_ical_events

from email_assistant.calendars.event import Event, overlaps
from email_assistant.calendars.ics import (
    RECURRING,
    UNREADABLE,
    attendees_of,
    check,
    end_of,
    instant_of,
    is_busy,
    latest_of,
    parse,
    settle_end,
    uid_of,
    zone_name,
)
from email_assistant.errors import ProviderError
from email_assistant.mail.text import clean, one_line

_MARGIN = timedelta(days=2)


class IcsAgenda:
    """The events of one calendar file; `zone` is the owner's, in which floating times and days are read.

    Raises `ProviderError` that starts with `source` when any event's times cannot be read for certain.
    Not safe to use from two threads at once.
    """

    def __init__(self, raw: bytes, *, source: str, zone: ZoneInfo) -> None:
        self._source = source
        self._zone = zone
        self._calendars = parse(raw, source)
        self._components = [c for calendar in self._calendars for c in calendar.walk("VEVENT")]
        for component in self._components:
            check(component, source)
            settle_end(component, source)
        self._series = frozenset(uid_of(c) for c in self._components if any(name in c for name in RECURRING))
        self._single = [self._event(c) for c in latest_of(self._components) if uid_of(c) not in self._series]
        try:
            self._queries = [recurring_ical_events.of(self._recurring(c)) for c in self._calendars]
        except UNREADABLE as error:
            raise ProviderError(f"{source}: an event's recurrence cannot be read: {error}") from error

    def between(self, start: datetime, end: datetime) -> list[Event]:
        """Every occurrence that overlaps [start, end), ordered by start (both aware)."""
        # The margin covers what date arithmetic on clock times gets wrong around a change of offset.
        first, last = (_shifted(start, -_MARGIN, self._zone), _shifted(end, _MARGIN, self._zone))
        found = self._single + [self._event(component) for component in self._expanded(first, last)]
        return sorted((e for e in found if overlaps(e, start, end)), key=lambda e: (e.start, e.end, e.id))

    def get(self, uid: str) -> Event | None:
        """The event of this UID, for a series its first one, or None."""
        masters = [c for c in self._components if uid_of(c) == uid]
        masters.sort(key=lambda c: "RECURRENCE-ID" in c)
        return self._event(masters[0], id=uid) if masters else None

    @property
    def zone_names(self) -> frozenset[str]:
        """The TZIDs that the file defines itself."""
        return frozenset(str(z.get("TZID", "")) for c in self._calendars for z in c.walk("VTIMEZONE"))

    def _recurring(self, calendar: icalendar.Calendar) -> icalendar.Calendar:
        """The calendar's series alone; other events are exact as they are and need no expansion."""
        copy = calendar.copy()
        for component in calendar.walk("VEVENT"):
            if uid_of(component) in self._series:
                copy.add_component(component)
        return copy

    def _expanded(self, first: datetime, last: datetime) -> Iterator[Any]:
        for query in self._queries:
            try:
                yield from query.between(first, last)
            except UNREADABLE as error:
                raise ProviderError(
                    f"{self._source}: an event's recurrence cannot be read: {error}"
                ) from error

    def _event(self, component: Any, *, id: str = "") -> Event:
        start, end = component["DTSTART"].dt, end_of(component)
        all_day = not isinstance(start, datetime)
        if all_day and end <= start:  # written by programs that take DTEND for the last day
            end = start + timedelta(days=1)
        first, last = self._instant(start), self._instant(end)
        return Event(
            id=id or self._id(component, first),
            title=one_line(str(component.get("SUMMARY", ""))),
            start=min(first, last),
            end=max(first, last),
            all_day=all_day,
            busy=is_busy(component),
            timezone=zone_name(component["DTSTART"], start, self._zone),
            location=one_line(str(component.get("LOCATION", ""))),
            description=clean(str(component.get("DESCRIPTION", "")))[0],
            attendees=attendees_of(component),
        )

    def _id(self, component: Any, start: datetime) -> str:
        uid = uid_of(component)
        if uid not in self._series:
            return uid
        occurrence = component["RECURRENCE-ID"].dt if "RECURRENCE-ID" in component else start
        if not isinstance(occurrence, datetime):
            return f"{uid}_{occurrence:%Y%m%d}"
        return f"{uid}_{self._instant(occurrence):%Y%m%dT%H%M%SZ}"

    def _instant(self, value: date) -> datetime:
        return instant_of(value, self._zone, self._source)


def _shifted(instant: datetime, by: timedelta, zone: ZoneInfo) -> datetime:
    try:
        return (instant + by).astimezone(zone)
    except OverflowError:
        return instant.astimezone(zone)
