"""What an iCalendar file says (RFC 5545): parsed strictly where time is concerned, and expanded into events."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
import recurring_ical_events

from email_assistant.calendars.event import Event, Guest, Partstat, in_period, unread_event
from email_assistant.calendars.ics import (
    RECURRING,
    attendees_of,
    check,
    guests_of,
    instant_of,
    is_busy,
    is_cancelled,
    latest_of,
    organizer_of,
    recurrence_of,
    sent_by,
    sequence_of,
    settle,
    span_of,
    stamp_of,
    uid_of,
    zone_name,
)
from email_assistant.calendars.ics_parsing import UNREADABLE, floating_zone, parse
from email_assistant.errors import ProviderError
from email_assistant.mail.text import clean, one_line

_MARGIN = timedelta(days=2)


class IcsAgenda:
    """The events of one calendar file; `zone` is the owner's, in which floating times and days are read, `own` the owner's
    addresses in lower case: what they have declined leaves the time free.

    Raises `ProviderError` that starts with `source` when the file is not whole. An event whose times cannot be read for certain
    is `unread` with all that has its UID. Not safe to use from two threads at once.
    """

    def __init__(self, raw: bytes, *, source: str, zone: ZoneInfo, own: frozenset[str] = frozenset()) -> None:
        self._source = source
        self._zone = zone
        self._own = own
        self._calendars = parse(raw, source)
        self._components = [c for calendar in self._calendars for c in calendar.walk("VEVENT")]
        self._unread: dict[str, Event] = {}
        for calendar in self._calendars:
            for component in calendar.walk("VEVENT"):
                settle(component, floating_zone(calendar))
        for component in self._components:
            try:
                check(component, source)
            except ProviderError as error:
                self._leave_out(component, error)
        self._series = frozenset(uid_of(c) for c in self._components if any(name in c for name in RECURRING))
        self._single = [
            *self._events(c for c in latest_of(self._components) if uid_of(c) not in self._series)
        ]
        self._expansions = [found for each in self._calendars for found in self._expansions_of(each)]

    def between(self, start: datetime, end: datetime) -> list[Event]:
        """Every occurrence that overlaps [start, end), ordered by start (both aware), and every event that is `unread`."""
        # The margin covers what date arithmetic on clock times gets wrong around a change of offset.
        first, last = (_shifted(start, -_MARGIN, self._zone), _shifted(end, _MARGIN, self._zone))
        expanded = [c for series in self._expansions for c in self._occurrences(*series, first, last)]
        read = [*self._single, *self._events(expanded)]
        # By now, what has its UID may have turned out to be unreadable.
        found = [event for uid, event in read if uid not in self._unread]
        return in_period([*found, *self._unread.values()], start, end)

    def get(self, uid: str) -> Event | None:
        """The event of this UID, for a series its first one, or None; raises `ProviderError` for one that is `unread`."""
        if uid in self._unread:
            raise ProviderError(f"{self._source}: {self._unread[uid].unread}")
        masters = [c for c in self._components if uid_of(c) == uid]
        masters.sort(key=lambda c: "RECURRENCE-ID" in c)
        return self._event(masters[0], id=uid) if masters else None

    def find(self, uid: str, recurrence_id: datetime | None = None) -> Event | None:
        """The event of this UID with its recurrence, or its one occurrence, or None; of several revisions the latest.

        Raises `ProviderError` for one that is `unread`.
        """
        if uid in self._unread:
            raise ProviderError(f"{self._source}: {self._unread[uid].unread}")
        place = self.place(uid, recurrence_id)
        if place is not None:
            return self._event(self._components[place], id="" if recurrence_id else uid, whole=True)
        return self._expanded(uid, recurrence_id) if recurrence_id and uid in self._series else None

    def is_unread(self, uid: str) -> bool:
        """Whether nobody knows the event's hours."""
        return uid in self._unread

    def place(self, uid: str, recurrence_id: datetime | None = None) -> int | None:
        """Which of the file's VEVENTs, counted from 0, is that event or says of that occurrence what the series does not."""
        found = [
            (sequence_of(self._components[number]), number) for number in self.places(uid, recurrence_id)
        ]
        return max(found)[1] if found else None

    def places(self, uid: str, recurrence_id: datetime | None = None) -> list[int]:
        """The same with those that later revisions replace."""
        return [
            number
            for number, component in enumerate(self._components)
            if uid_of(component) == uid and self._recurrence_id(component) == recurrence_id
        ]

    def changed_occurrences(self, uid: str) -> list[datetime]:
        """The recurrence ids of the occurrences that have VEVENTs of their own."""
        ids = [self._recurrence_id(c) for c in self._components if uid_of(c) == uid]
        return sorted({each for each in ids if each is not None})

    def _expanded(self, uid: str, recurrence_id: datetime) -> Event | None:
        """The occurrence as the series' own rule has it."""
        first, last = (_shifted(recurrence_id, by, self._zone) for by in (-_MARGIN, _MARGIN))
        series = [each for each in self._expansions if each[0] == uid]
        found = [c for each in series for c in self._occurrences(*each, first, last)]
        if uid in self._unread:
            raise ProviderError(f"{self._source}: {self._unread[uid].unread}")
        return next((self._event(c) for c in found if self._recurrence_id(c) == recurrence_id), None)

    def _recurrence_id(self, component: Any) -> datetime | None:
        return self._instant(component["RECURRENCE-ID"].dt) if "RECURRENCE-ID" in component else None

    @property
    def uids(self) -> frozenset[str]:
        """Of its events, those that are `unread` among them."""
        return frozenset(uid_of(c) for c in self._components)

    @property
    def zone_names(self) -> frozenset[str]:
        """The TZIDs that the file defines itself."""
        return frozenset(str(z.get("TZID", "")) for c in self._calendars for z in c.walk("VTIMEZONE"))

    def _expansions_of(self, calendar: icalendar.Calendar) -> Iterator[tuple[str, Any]]:
        """What expands each series of the calendar; other events are exact as they are and need no expansion."""
        parts: dict[str, list[Any]] = {}
        for component in calendar.walk("VEVENT"):
            parts.setdefault(uid_of(component), []).append(component)
        for uid in sorted(parts.keys() & self._series - self._unread.keys()):
            copy = calendar.copy()
            for component in parts[uid]:
                copy.add_component(component)
            try:
                yield uid, recurring_ical_events.of(copy)
            except UNREADABLE as error:
                self._leave_out_series(uid, error)

    def _occurrences(self, uid: str, expansion: Any, first: datetime, last: datetime) -> list[Any]:
        if uid in self._unread:
            return []
        try:
            return [*expansion.between(first, last)]
        except UNREADABLE as error:
            self._leave_out_series(uid, error)
            return []

    def _leave_out_series(self, uid: str, error: Exception) -> None:
        component = next(c for c in self._components if uid_of(c) == uid)
        text = f"event {uid[:80]!r} has a recurrence that cannot be read: {error}"
        self._leave_out(component, ProviderError(text))

    def _leave_out(self, component: Any, error: ProviderError) -> None:
        uid = uid_of(component)
        reason = str(error).removeprefix(f"{self._source}: ")
        self._unread.setdefault(uid, unread_event(uid, str(component.get("SUMMARY", "")), reason))

    def _events(self, components: Iterable[Any]) -> Iterator[tuple[str, Event]]:
        """The events that can be read, each with its UID."""
        for component in components:
            uid = uid_of(component)
            if uid not in self._unread:
                try:
                    yield uid, self._event(component)
                except ProviderError as error:
                    self._leave_out(component, error)

    def _event(self, component: Any, *, id: str = "", whole: bool = False) -> Event:
        """`whole` for a VEVENT as it stands in the file, not an occurrence that was worked out from it."""
        start, end = span_of(component, self._source)
        all_day = not isinstance(start, datetime)
        if all_day and end == start:  # written by programs that take DTEND for the last day
            end = start + timedelta(days=1)
        first, last = sorted((self._instant(start), self._instant(end)))
        guests = guests_of(component)
        return Event(
            id=id or self._id(component, first),
            title=one_line(str(component.get("SUMMARY", ""))),
            start=first,
            end=last,
            all_day=all_day,
            busy=is_busy(component) and not self._is_declined(guests),
            timezone=zone_name(component["DTSTART"], start, self._zone),
            location=one_line(str(component.get("LOCATION", ""))),
            description=clean(str(component.get("DESCRIPTION", "")))[0],
            attendees=attendees_of(component),
            guests=guests,
            organizer=organizer_of(component),
            sent_by=sent_by(component),
            uid=uid_of(component),
            sequence=sequence_of(component),
            stamp=stamp_of(component),
            recurrence=recurrence_of(component) if whole else (),
            recurrence_id=self._recurrence_id(component),
            cancelled=is_cancelled(component),
        )

    def _is_declined(self, guests: Iterable[Guest]) -> bool:
        return any(guest.key in self._own and guest.partstat is Partstat.DECLINED for guest in guests)

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
