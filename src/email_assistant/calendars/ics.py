"""Pieces of iCalendar data (RFC 5545) read strictly where time is concerned: what cannot be told raises."""

import hashlib
import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
from icalendar.parser import Contentline

from email_assistant.calendars.event import Guest, Partstat, check_email
from email_assistant.calendars.ics_parsing import UNREADABLE, iana_name
from email_assistant.calendars.recurrence_rules import check_rule
from email_assistant.errors import ProviderError
from email_assistant.mail.address import Address, is_email
from email_assistant.mail.text import one_line

_TIMES = ("DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID")
_ONCE = ("DTSTART", "DTEND", "DURATION", "RECURRENCE-ID")
RECURRING = ("RRULE", "RDATE", "RECURRENCE-ID")
"""Properties that make an event one of a series."""
_FLOATING = ("DTSTART", "DTEND", "RECURRENCE-ID")
_KINDS: dict[str, type | tuple[type, ...]] = {"DURATION": timedelta, "RDATE": (date, tuple)}
"""What the values of a property are where they are not dates; a tuple is a period."""
_NAMES_A_TIME = re.compile("|".join(_TIMES), re.IGNORECASE)


def check(component: Any, source: str) -> None:
    """Refuse an event whose times cannot be read for certain: leaving it out would make up free time."""
    where = f"{source}: event {uid_of(component)[:80]!r}"
    for name, problem in component.errors:
        if name in _TIMES or (name is None and _NAMES_A_TIME.search(str(problem))):
            raise ProviderError(f"{where} cannot be read: {problem}")
    if "DTSTART" not in component:
        raise ProviderError(f"{where} has no DTSTART")
    for name in _TIMES:
        values = values_of(component, name)
        if name in _ONCE and len(values) > 1:
            raise ProviderError(f"{where} has {name} more than once")
        for value in values:
            if name != "RRULE":
                _check_value(name, value, where)
    for rule in values_of(component, "RRULE"):
        check_rule(rule, component["DTSTART"].dt, where)


def _check_value(name: str, value: Any, where: str) -> None:
    moments = [entry.dt for entry in value.dts] if hasattr(value, "dts") else [getattr(value, "dt", None)]
    if not all(isinstance(moment, _KINDS.get(name, date)) for moment in moments):
        raise ProviderError(f"{where} has a {name} of another kind")
    zone = str(value.params.get("TZID", ""))
    starts = [moment[0] if isinstance(moment, tuple) else moment for moment in moments]
    if zone and any(isinstance(moment, datetime) and moment.tzinfo is None for moment in starts):
        raise ProviderError(f"{where} names an unknown time zone in {name}: {zone[:80]!r}")


def latest_of(components: list[Any]) -> list[Any]:
    """The components without those that a later revision of the same UID replaces (RFC 5545 §3.8.7.4)."""
    newest: dict[str, int] = {}
    for component in components:
        uid = uid_of(component)
        newest[uid] = max(newest.get(uid, 0), sequence_of(component))
    return [c for c in components if sequence_of(c) == newest[uid_of(c)]]


def sequence_of(component: Any) -> int:
    """The number of the revision (RFC 5545 §3.8.7.4); 0 when it is missing or no number."""
    sequence = component.get("SEQUENCE", 0)
    return max(0, sequence) if isinstance(sequence, int) else 0


def uid_of(component: Any) -> str:
    """The UID (RFC 5545 §3.8.4.7), of several the first; without one, a digest of what the component says."""
    uid = str(next(iter(values_of(component, "UID")), ""))
    return uid or hashlib.sha256(component.to_ical()).hexdigest()[:32]


def settle(component: Any, floating: ZoneInfo | None) -> None:
    """Write the UID and SEQUENCE into the component as `uid_of` and `sequence_of` read them, since those who expand series
    take them as they stand; and give floating times the calendar's zone, if it has one."""
    component["UID"] = icalendar.vText(uid_of(component))
    if not isinstance(component.get("SEQUENCE", 0), int):
        del component["SEQUENCE"]
    for name in _FLOATING if floating else ():
        value = component.get(name)
        moment = value.dt if isinstance(value, icalendar.vDDDTypes) else None
        if isinstance(moment, datetime) and moment.tzinfo is None and "TZID" not in value.params:
            component[name] = icalendar.vDDDTypes(moment.replace(tzinfo=floating))
            component[name].params.update(value.params)


def span_of(component: Any, source: str) -> tuple[date, date]:
    """Where an event starts and ends (RFC 5545 §3.6.1): at DTEND, after DURATION or, without either, where it starts.

    Both are days or both are times; of a day and a time the day is its midnight, in the time's zone.
    """
    start, end = component["DTSTART"].dt, None
    if "DTEND" in component:
        end = component["DTEND"].dt
    elif "DURATION" in component:
        try:
            end = _after(start, component["DURATION"].dt)
        except UNREADABLE as error:
            raise ProviderError(f"{source}: a duration cannot be read: {error}") from error
    if end is None or isinstance(end, datetime) == isinstance(start, datetime):
        return start, start if end is None else end
    if isinstance(end, datetime):
        return datetime.combine(start, time.min, end.tzinfo), end
    return start, datetime.combine(end, time.min, start.tzinfo)


def _after(start: date, duration: timedelta) -> date:
    """Days are counted by the calendar, hours by the clock (§3.3.6)."""
    if isinstance(start, datetime) and start.tzinfo is not None:
        return (start + timedelta(days=duration.days)).astimezone(UTC) + timedelta(seconds=duration.seconds)
    if duration.seconds and not isinstance(start, datetime):
        start = datetime.combine(start, time.min)
    return start + duration


def is_busy(component: Any) -> bool:
    """Whether the event takes up time: it is neither transparent nor cancelled (RFC 5545 §3.8.2.7)."""
    transparent = str(component.get("TRANSP", "")).upper() == "TRANSPARENT"
    return not transparent and not is_cancelled(component)


def is_cancelled(component: Any) -> bool:
    """Whether it has been called off (RFC 5545 §3.8.1.11)."""
    return str(component.get("STATUS", "")).strip().upper() == "CANCELLED"


def values_of(component: Any, name: str) -> list[Any]:
    """The values of a property that may stand there several times, in order."""
    values = component.get(name, [])
    return values if isinstance(values, list) else [values]


def sent_by(component: Any) -> Address | None:
    """Who writes in the organizer's name (RFC 5545 §3.2.18); None when nobody else does."""
    value = next(iter(values_of(component, "ORGANIZER")), None)
    named = getattr(value, "params", {}).get("SENT-BY")
    return address_of(str(named).strip('"')) if named else None


def attendees_of(component: Any) -> tuple[Address, ...]:
    """The guests that have an email address (RFC 5545 §3.8.4.1), in order."""
    return tuple(address for value in values_of(component, "ATTENDEE") if (address := address_of(value)))


def guests_of(component: Any) -> tuple[Guest, ...]:
    """What the guests have answered, those who have; ordered by address."""
    found = {}
    for value in values_of(component, "ATTENDEE"):
        address, partstat = address_of(value), partstat_of(value)
        if address and partstat is not Partstat.NEEDS_ACTION:
            found[address.key] = Guest(address.key, partstat)
    return tuple(found[key] for key in sorted(found))


def partstat_of(value: Any) -> Partstat:
    """What an ATTENDEE says of coming; what is not known counts as no answer (RFC 5545 §3.2.12)."""
    text = str(getattr(value, "params", {}).get("PARTSTAT", "")).strip().lower()
    return Partstat(text) if text in set(Partstat) else Partstat.NEEDS_ACTION


def organizer_of(component: Any) -> Address | None:
    """Who invites (RFC 5545 §3.8.4.3); None when nobody is named by an email address."""
    value = next(iter(values_of(component, "ORGANIZER")), None)
    return None if value is None else address_of(value)


def stamp_of(component: Any) -> datetime | None:
    """When the revision was written (DTSTAMP), in UTC; None when that is missing or no instant."""
    value = next(iter(values_of(component, "DTSTAMP")), None)
    moment = value.dt if isinstance(value, icalendar.vDDDTypes) else None
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        return None
    try:
        return moment.astimezone(UTC)
    except UNREADABLE:
        return None


def recurrence_of(component: Any) -> tuple[str, ...]:
    """How it repeats, as lines of RFC 5545."""
    return tuple(
        str(Contentline.from_parts(name, value.params, value, sorted=False))
        for name in ("RRULE", "RDATE", "EXDATE")
        for value in values_of(component, name)
    )


def address_of(value: Any) -> Address | None:
    """The address of an ATTENDEE or ORGANIZER, with its common name; None when it is no email address."""
    scheme, _, email = str(value).partition(":")
    email = email.strip()
    if scheme.lower() != "mailto" or not is_email(email):
        return None
    local, _, domain = email.rpartition("@")
    name = one_line(str(getattr(value, "params", {}).get("CN", "")))
    return Address(f"{local}@{domain.lower()}", "" if name == email else name)


def person(field: str, address: Address, *, sent_by: Address | None = None) -> icalendar.vCalAddress:
    """An ATTENDEE or ORGANIZER; raises `InputError` naming the field for what is no email address."""
    check_email(field, address)
    value = icalendar.vCalAddress(f"mailto:{address.email}")
    # A quote cannot stand in a parameter's value; older programs do not know how it is written instead (RFC 6868).
    if name := one_line(address.name).replace('"', "'"):
        value.params["CN"] = name
    if sent_by is not None and sent_by.key != address.key:
        check_email("sent_by", sent_by)
        value.params["SENT-BY"] = f"mailto:{sent_by.email}"
    return value


def instant_of(value: date, zone: ZoneInfo, source: str) -> datetime:
    """A date, floating time or time with zone as an instant in UTC; `zone` is that of days and floating times."""
    moment = value if isinstance(value, datetime) else datetime.combine(value, time.min)
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except OverflowError as error:
        raise ProviderError(f"{source}: a time is out of range: {value.isoformat()}") from error
    except UNREADABLE as error:  # a zone that the file defines may have rules that make no sense
        raise ProviderError(f"{source}: a time's zone cannot be read: {error}") from error


def zone_name(prop: Any, start: date, owner: ZoneInfo) -> str:
    """The IANA name of the zone a time was entered in; the owner's when it has none or one of its own making."""
    if isinstance(start, datetime) and start.tzinfo is not None:
        if isinstance(start.tzinfo, ZoneInfo) and start.tzinfo.key:
            return start.tzinfo.key
        name = iana_name(str(prop.params.get("TZID", "UTC" if start.utcoffset() == timedelta(0) else "")))
        # A file may define a zone under a name and mean another one by it.
        is_so = name and start.utcoffset() == start.astimezone(ZoneInfo(name)).utcoffset()
        return name if is_so else owner.key
    return owner.key
