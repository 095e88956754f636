"""Calendar events."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from email_assistant.errors import InputError
from email_assistant.mail.address import Address

_MAX_ID = 255


@dataclass(frozen=True, slots=True)
class Event:
    """One event or one occurrence of a recurring event.

    `start` (inclusive) and `end` (exclusive) are aware instants; an all-day event runs from midnight to
    midnight in the calendar owner's zone.
    """

    id: str
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
    conference: bool = False
    """Whether to add a link for a video call."""
    conference_link: str = ""
    """Where the video call is (https), once the calendar has made it."""


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
    if not event.id.strip() or len(event.id) > _MAX_ID or not event.id.isprintable():
        raise InputError(f"'id' must be 1 to {_MAX_ID} printable characters")
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
