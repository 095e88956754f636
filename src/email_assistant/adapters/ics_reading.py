"""What an iCalendar file says (RFC 5545): parsed strictly where time is concerned, and expanded into events."""

import hashlib
import re
import threading
import warnings
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
import recurring_ical_events
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from email_assistant.calendars.event import Event, is_zone, overlaps
from email_assistant.errors import ProviderError
from email_assistant.mail.address import Address, is_email
from email_assistant.mail.text import clean, one_line

_TIMES = ("DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID")
_ONCE = ("DTSTART", "DTEND", "DURATION", "RECURRENCE-ID")
_RECURRING = ("RRULE", "RDATE", "RECURRENCE-ID")
_TOO_OFTEN = {"SECONDLY", "MINUTELY"}
_NAMES_A_TIME = re.compile("|".join(_TIMES), re.IGNORECASE)
_BOUNDARY = re.compile(rb"^(BEGIN|END):", re.IGNORECASE | re.MULTILINE)
_MARGIN = timedelta(days=2)
# What the two libraries raise on values they cannot make sense of.
_UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, AssertionError)

# The library remembers custom zones by name for the whole process; two files may use one name differently.
_parsing = threading.Lock()


class Agenda:
    """The events of one calendar file; `zone` is the owner's, in which floating times and days are read.

    Raises `ProviderError` that starts with `source` when any event's times cannot be read for certain.
    Not safe to use from two threads at once.
    """

    def __init__(self, raw: bytes, *, source: str, zone: ZoneInfo) -> None:
        self._source = source
        self._zone = zone
        self._calendars = _parse(raw, source)
        self._components = [c for calendar in self._calendars for c in calendar.walk("VEVENT")]
        for component in self._components:
            _check(component, source)
            _settle_end(component)
        self._series = frozenset(_uid(c) for c in self._components if any(name in c for name in _RECURRING))
        self._single = [self._event(c) for c in _latest(self._components) if _uid(c) not in self._series]
        try:
            self._queries = [recurring_ical_events.of(self._recurring(c)) for c in self._calendars]
        except _UNREADABLE as error:
            raise ProviderError(f"{source}: an event's recurrence cannot be read: {error}") from error

    def between(self, start: datetime, end: datetime) -> list[Event]:
        """Every occurrence that overlaps [start, end), ordered by start (both aware)."""
        # The margin covers what date arithmetic on clock times gets wrong around a change of offset.
        first, last = (_shifted(start, -_MARGIN, self._zone), _shifted(end, _MARGIN, self._zone))
        found = self._single + [self._event(component) for component in self._expanded(first, last)]
        return sorted((e for e in found if overlaps(e, start, end)), key=lambda e: (e.start, e.end, e.id))

    def get(self, uid: str) -> Event | None:
        """The event of this UID, for a series its first one, or None."""
        masters = [c for c in self._components if _uid(c) == uid]
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
            if _uid(component) in self._series:
                copy.add_component(component)
        return copy

    def _expanded(self, first: datetime, last: datetime) -> Iterator[Any]:
        for query in self._queries:
            try:
                yield from query.between(first, last)
            except _UNREADABLE as error:
                raise ProviderError(
                    f"{self._source}: an event's recurrence cannot be read: {error}"
                ) from error

    def _event(self, component: Any, *, id: str = "") -> Event:
        start, end = component["DTSTART"].dt, _end(component)
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
            busy=_is_busy(component),
            timezone=self._zone_name(component["DTSTART"], start),
            location=one_line(str(component.get("LOCATION", ""))),
            description=clean(str(component.get("DESCRIPTION", "")))[0],
            attendees=_attendees(component),
        )

    def _id(self, component: Any, start: datetime) -> str:
        uid = _uid(component)
        if uid not in self._series:
            return uid
        occurrence = component["RECURRENCE-ID"].dt if "RECURRENCE-ID" in component else start
        if not isinstance(occurrence, datetime):
            return f"{uid}_{occurrence:%Y%m%d}"
        return f"{uid}_{self._instant(occurrence):%Y%m%dT%H%M%SZ}"

    def _instant(self, value: date) -> datetime:
        """A date, floating time or time with zone as an instant in UTC."""
        moment = value if isinstance(value, datetime) else datetime.combine(value, time.min)
        try:
            return (moment if moment.tzinfo else moment.replace(tzinfo=self._zone)).astimezone(UTC)
        except OverflowError as error:
            raise ProviderError(f"{self._source}: a time is out of range: {value.isoformat()}") from error

    def _zone_name(self, prop: Any, start: date) -> str:
        """The IANA name of the zone a time was entered in; the owner's when it has none or one of its own making."""
        if isinstance(start, datetime) and start.tzinfo is not None:
            if isinstance(start.tzinfo, ZoneInfo) and start.tzinfo.key:
                return start.tzinfo.key
            name = str(prop.params.get("TZID", "UTC" if start.utcoffset() == timedelta(0) else ""))
            name = WINDOWS_TO_OLSON.get(name, name)
            return name if is_zone(name) else self._zone.key
        return self._zone.key


def _parse(raw: bytes, source: str) -> list[icalendar.Calendar]:
    kinds = [match.group(1).upper() for match in _BOUNDARY.finditer(raw)]
    if not kinds or kinds.count(b"BEGIN") != kinds.count(b"END"):
        raise ProviderError(f"{source}: not a whole iCalendar file")
    try:
        with _parsing, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # zone names guessed from their end are what is wanted
            icalendar.use_zoneinfo()  # type: ignore[no-untyped-call]  # forgets custom zones read before
            calendars = icalendar.Calendar.from_ical(raw.removeprefix(b"\xef\xbb\xbf"), multiple=True)
    except _UNREADABLE as error:
        raise ProviderError(f"{source}: not an iCalendar file: {error}") from error
    if not calendars or any(calendar.name != "VCALENDAR" for calendar in calendars):
        raise ProviderError(f"{source}: not an iCalendar file")
    return calendars


def _check(component: Any, source: str) -> None:
    """Refuse an event whose times cannot be read for certain: leaving it out would make up free time."""
    where = f"{source}: event {_uid(component)[:80]!r}"
    for name, problem in component.errors:
        if name in _TIMES or (name is None and _NAMES_A_TIME.search(str(problem))):
            raise ProviderError(f"{where} cannot be read: {problem}")
    if "DTSTART" not in component:
        raise ProviderError(f"{where} has no DTSTART")
    for name in _TIMES:
        values = component.get(name, [])
        if name in _ONCE and isinstance(values, list) and len(values) > 1:
            raise ProviderError(f"{where} has {name} more than once")
        for value in values if isinstance(values, list) else [values]:
            _check_value(name, value, where)


def _check_value(name: str, value: Any, where: str) -> None:
    if name == "RRULE":
        if _TOO_OFTEN & {str(f).upper() for f in value.get("FREQ", [])}:
            raise ProviderError(f"{where} repeats every minute or second, which is not supported")
        if any(int(interval) < 1 for interval in value.get("INTERVAL", [])):
            raise ProviderError(f"{where} has a recurrence that never advances")
        return
    zone = str(value.params.get("TZID", ""))
    moments = [entry.dt for entry in value.dts] if hasattr(value, "dts") else [getattr(value, "dt", None)]
    if zone and any(isinstance(moment, datetime) and moment.tzinfo is None for moment in moments):
        raise ProviderError(f"{where} names an unknown time zone in {name}: {zone[:80]!r}")


def _latest(components: list[Any]) -> list[Any]:
    """The components without those that a later revision of the same UID replaces (RFC 5545 §3.8.7.4)."""
    newest: dict[str, int] = {}
    for component in components:
        uid = _uid(component)
        newest[uid] = max(newest.get(uid, 0), _sequence(component))
    return [c for c in components if _sequence(c) == newest[_uid(c)]]


def _sequence(component: Any) -> int:
    sequence = component.get("SEQUENCE", 0)
    return max(0, sequence) if isinstance(sequence, int) else 0


def _uid(component: Any) -> str:
    uid = str(component.get("UID", ""))
    return uid or hashlib.sha256(component.to_ical()).hexdigest()[:32]


def _settle_end(component: Any) -> None:
    """Turn a DURATION into the DTEND it means: days are counted by the calendar, hours by the clock (§3.3.6)."""
    start = component["DTSTART"].dt
    if "DURATION" not in component or "DTEND" in component:
        return
    duration = component.pop("DURATION").dt
    if isinstance(start, datetime) and start.tzinfo is not None:
        end = (start + timedelta(days=duration.days)).astimezone(UTC) + timedelta(seconds=duration.seconds)
    else:
        end = start + duration
    component["DTEND"] = icalendar.vDDDTypes(end)


def _end(component: Any) -> date:
    """Where an event ends (RFC 5545 §3.6.1): DTEND, or the end of the day it is on, or the moment it starts."""
    start: date = component["DTSTART"].dt
    if "DTEND" not in component:
        return start
    end: date = component["DTEND"].dt
    if isinstance(end, datetime) == isinstance(start, datetime):
        return end
    return end.date() if isinstance(end, datetime) else datetime.combine(end, time.min)


def _is_busy(component: Any) -> bool:
    transparent = str(component.get("TRANSP", "")).upper() == "TRANSPARENT"
    return not transparent and str(component.get("STATUS", "")).upper() != "CANCELLED"


def _attendees(component: Any) -> tuple[Address, ...]:
    values = component.get("ATTENDEE", [])
    found = []
    for value in values if isinstance(values, list) else [values]:
        scheme, _, email = str(value).partition(":")
        email = email.strip()
        if scheme.lower() == "mailto" and is_email(email):
            local, _, domain = email.rpartition("@")
            name = one_line(str(getattr(value, "params", {}).get("CN", "")))
            found.append(Address(f"{local}@{domain.lower()}", "" if name == email else name))
    return tuple(found)


def _shifted(instant: datetime, by: timedelta, zone: ZoneInfo) -> datetime:
    try:
        return (instant + by).astimezone(zone)
    except OverflowError:
        return instant.astimezone(zone)
