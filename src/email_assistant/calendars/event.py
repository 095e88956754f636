"""Calendar events."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from email_assistant.errors import InputError
from email_assistant.mail.address import Address, is_email
from email_assistant.mail.text import one_line

MAX_REASON = 300
_MAX_ID = 255
VIDEO_CALL = frozenset({"video call", "google meet", "meet", "online"})
"""Locations (lower case) that ask the calendar for a video call's link."""
NO_PLACE = VIDEO_CALL | {"phone"}
_RECURRENCE = re.compile(r"(?:RRULE|RDATE|EXDATE)[;:][\x21-\x7e]{1,64000}")


class Partstat(StrEnum):
    """Whether somebody comes (RFC 5545 §3.2.12)."""

    NEEDS_ACTION = "needs-action"
    """Has not said so; also what is not known."""
    ACCEPTED = "accepted"
    DECLINED = "declined"
    TENTATIVE = "tentative"
    DELEGATED = "delegated"
    """Sends somebody else."""


@dataclass(frozen=True, slots=True)
class Guest:
    """What one of an event's attendees has answered."""

    key: str
    """The address in the form to compare addresses by (`Address.key`)."""
    partstat: Partstat


@dataclass(frozen=True, slots=True)
class Event:
    """One event or one occurrence of a recurring event.

    `start` (inclusive) and `end` (exclusive) are aware instants; an all-day event runs from midnight to
    midnight in the calendar owner's zone.
    """

    id: str
    """What the calendar knows it by: of an event of our own the id it was created under."""
    title: str
    start: datetime
    end: datetime
    all_day: bool = False
    busy: bool = True
    """False for events that leave the time free (RFC 5545 TRANSP:TRANSPARENT or cancelled)."""
    timezone: str = "UTC"
    """IANA name of the zone the event was entered in."""
    location: str = ""
    description: str = ""
    attendees: tuple[Address, ...] = ()
    guests: tuple[Guest, ...] = ()
    """What attendees have answered; who is not among them has not. See `partstat_of` and `answered`."""
    organizer: Address | None = None
    """Who invites (RFC 5545 §3.8.4.3); None when nobody is named, as in an event of one's own without guests."""
    sent_by: Address | None = None
    """Who writes in the organizer's name (RFC 5545 §3.2.18), where the calendar keeps that."""
    uid: str = ""
    """The UID (RFC 5545 §3.8.4.7), the same in every calendar and mail about it; what the calendar says, also after `create`."""
    sequence: int = 0
    """The number of the revision (RFC 5545 §3.8.7.4), which the organizer counts."""
    stamp: datetime | None = None
    """When this revision was written (DTSTAMP, RFC 5545 §3.8.7.2), aware; None when the calendar does not keep it."""
    recurrence: tuple[str, ...] = ()
    """How it repeats: lines of RFC 5545 like "RRULE:FREQ=WEEKLY", "EXDATE:…", "RDATE:…"; () for a single event or occurrence."""
    recurrence_id: datetime | None = None
    """Of one occurrence of a series: when it starts by the series' own rule (RFC 5545 §3.8.4.4), aware; a day is its midnight."""
    cancelled: bool = False
    """Whether it has been called off; it is kept so that late mail about it is known for what it is."""
    conference: bool = False
    """Whether to add a link for a video call."""
    conference_link: str = ""
    """Where the video call is (https), once the calendar has made it."""
    unread: str = ""
    """Why nobody knows its hours, in a sentence; such an event is told of whatever period is asked for, without length."""

    @property
    def is_elsewhere(self) -> bool:
        """Whether it is at a place, to which there is a way."""
        place = self.location.strip().lower()
        return bool(place) and not (self.conference or "://" in place or place in NO_PLACE)

    def partstat_of(self, key: str) -> Partstat:
        """What the attendee of that address (`Address.key`) has answered."""
        return next((guest.partstat for guest in self.guests if guest.key == key), Partstat.NEEDS_ACTION)

    def answered(self, key: str, partstat: Partstat) -> "Event":
        """The event with that answer of the attendee in place of an earlier one."""
        others = tuple(guest for guest in self.guests if guest.key != key)
        new = () if partstat is Partstat.NEEDS_ACTION else (Guest(key, partstat),)
        return replace(self, guests=tuple(sorted((*others, *new), key=lambda guest: guest.key)))


def check_period(start: datetime, end: datetime) -> tuple[datetime, datetime]:
    """The period in UTC; raises `InputError` for naive times, times out of range, and for an end before the start."""
    # In UTC: within one zone, times would be compared by the clock on the wall, which repeats an hour once a year.
    first, last = in_utc("start", start), in_utc("end", end)
    if last < first:
        raise InputError("'end' is before 'start'")
    return first, last


def check_event(event: Event) -> None:
    """Raises `InputError` naming the field for an event that no calendar could take."""
    start, end = check_period(event.start, event.end)
    if end == start:
        raise InputError("'end' is not after 'start'")
    if event.start.microsecond or event.end.microsecond:
        raise InputError("an event's times are whole seconds")
    _check_name("id", event.id)
    _check_name("uid", event.uid or event.id)
    if event.recurrence_id is not None:
        in_utc("recurrence_id", event.recurrence_id)
    for line in event.recurrence:
        if not _RECURRENCE.fullmatch(line):
            raise InputError(f"'recurrence' has what is no rule or list of days: {line[:80]!r}")
    if event.recurrence and event.recurrence_id is not None:
        raise InputError("one occurrence ('recurrence_id') has no 'recurrence' of its own")
    if not is_zone(event.timezone):
        raise InputError(f"'timezone' is not an IANA time zone: {event.timezone!r}")


def overlaps(event: Event, start: datetime, end: datetime) -> bool:
    """Whether the event takes part of [start, end); one without length does so at its moment (all times aware)."""
    begins, ends = event.start.astimezone(UTC), event.end.astimezone(UTC)
    first, last = start.astimezone(UTC), end.astimezone(UTC)
    return first <= begins < last if begins == ends else begins < last and ends > first


def start_of_day(day: date, zone: ZoneInfo) -> datetime:
    """When the day begins; where the clocks change at midnight, that is an hour later.

    Raises `OverflowError` for days at the ends of the calendar.
    """
    wall = datetime(day.year, day.month, day.day, tzinfo=zone)
    return wall.astimezone(UTC).astimezone(zone)


def day_begun(field: str, instant: datetime, zone: ZoneInfo) -> date:
    """The day of the zone that begins at this instant, as an edge of an all-day event; raises `InputError` naming the field."""
    day = instant.astimezone(zone).date()
    # Where clocks change at midnight, a day may begin at one o'clock: it begins when the day before has ended.
    if (instant.astimezone(UTC) - timedelta(seconds=1)).astimezone(zone).date() == day:
        raise InputError(
            f"'{field}' of an all-day event is not midnight in {zone.key}: {instant.isoformat()}"
        )
    return day


def check_email(field: str, address: Address) -> None:
    """Raises `InputError` naming the field for what is no email address."""
    if not is_email(address.email):
        raise InputError(f"'{field}' has what is not an email address: {address.email[:80]!r}")


def check_uid(uid: str) -> None:
    """Raises `InputError` for what can be no event's UID."""
    _check_name("uid", uid)


def _check_name(field: str, value: str) -> None:
    if not value.strip() or len(value) > _MAX_ID or not value.isprintable():
        raise InputError(f"'{field}' must be 1 to {_MAX_ID} printable characters")


def unread_event(event_id: str, title: str, reason: str) -> Event:
    """An event whose hours nobody knows; `reason` is a sentence without its full stop."""
    never = datetime.min.replace(tzinfo=UTC)
    return Event(
        event_id, one_line(title), never, never, busy=False, unread=one_line(reason, limit=MAX_REASON)
    )


def in_period(events: Iterable[Event], start: datetime, end: datetime) -> list[Event]:
    """Those that overlap [start, end), ordered by start, and those whose hours nobody knows, at its beginning."""
    found = [
        replace(each, start=start, end=start) if each.unread else each
        for each in events
        if each.unread or overlaps(each, start, end)
    ]
    return sorted(found, key=lambda e: (e.start.astimezone(UTC), e.end.astimezone(UTC), e.id))


def unread_events(events: Iterable[Event]) -> list[Event]:
    """Those whose hours nobody knows."""
    return [event for event in events if event.unread]


def is_zone(name: str) -> bool:
    """Whether this is the IANA name of a time zone."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def in_utc(field: str, instant: datetime) -> datetime:
    """The instant in UTC; raises `InputError` naming the field for naive times and times out of range."""
    if instant.utcoffset() is None:
        raise InputError(f"'{field}' has no time zone: {instant.isoformat()}")
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise InputError(f"'{field}' is out of range: {instant.isoformat()}") from None
