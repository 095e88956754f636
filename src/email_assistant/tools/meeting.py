"""A meeting's arguments as an event, and an event as the card shows it.

A day alone, like 2026-11-26, as `start` and `end` stands for whole days, the last one included: so people write them,
while events end where the next day begins.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from email_assistant.calendars.day_text import day_of
from email_assistant.calendars.event import Event, start_of_day
from email_assistant.calendars.proposal import EventProposal
from email_assistant.errors import InputError
from email_assistant.mail.address import format_addresses, parse_recipients

MAX_DAYS = 14
VIDEO_CALL = frozenset({"video call", "google meet", "meet", "online"})
"""Locations (lower case) that ask the calendar for a video call's link."""


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
        attendees=parse_recipients(args["attendees"]),
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
    }


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
    return instant.replace(tzinfo=zone) if instant.tzinfo is None else instant.astimezone(zone)
