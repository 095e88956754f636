"""Events as the Google Calendar API v3 tells of them."""

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import (
    Event,
    Guest,
    Partstat,
    is_zone,
    start_of_day,
)
from email_assistant.errors import ProviderError
from email_assistant.mail.address import Address, is_email
from email_assistant.mail.text import one_line

BUSY_TITLE = "busy"
"""The title of a time of which no more is known."""

_GOOGLE_ID = re.compile(r"[a-v0-9]{5,1024}")
_FREE_TYPES = frozenset({"birthday", "workingLocation"})

RESPONSES = {
    "accepted": Partstat.ACCEPTED,
    "declined": Partstat.DECLINED,
    "tentative": Partstat.TENTATIVE,
}
"""Google's `responseStatus` of those who have answered."""
STAMP = "dtstamp"
"""The private property of an event in which its DTSTAMP is kept."""

Resource = dict[str, Any]
"""A JSON object of Google's."""


@dataclass(frozen=True, slots=True)
class Zones:
    """The zones that Google's times are read in: of days, and of times that do not name theirs."""

    owner: ZoneInfo
    calendar: ZoneInfo


def google_id(event_id: str) -> str:
    """The id for Google: our own where it is base32hex (RFC 4648 §7) and long enough, else its SHA-256."""
    if _GOOGLE_ID.fullmatch(event_id):
        return event_id
    return hashlib.sha256(event_id.encode("utf-8", "surrogatepass")).hexdigest()


def read_event(resource: Any, zones: Zones, own: frozenset[str] = frozenset()) -> Event:
    """The event that Google tells of; raises `ProviderError` when its times cannot be read for certain.

    `own` are the owner's addresses in lower case: what they have declined leaves the time free.
    """
    resource = mapping(resource, "an event")
    event_id = resource.get("id")
    if not isinstance(event_id, str) or not event_id:
        raise ProviderError("Google's answer has an event without an id")
    start, end = (_read(resource, edge, zones) for edge in ("start", "end"))
    all_day = _is_day(resource["start"]) and _is_day(resource["end"])
    if all_day and end <= start:
        end = _next_day(start, zones.owner)
    if end.astimezone(UTC) < start.astimezone(UTC):
        raise ProviderError(f"Google's answer has an event that ends before it starts: {event_id[:80]!r}")
    link = _video_link(resource)
    return Event(
        id=event_id,
        title=_text(resource, "summary"),
        start=start,
        end=end,
        all_day=all_day,
        busy=_is_busy(resource, own),
        timezone=_zone_name(resource["start"], zones, all_day=all_day),
        location=_text(resource, "location"),
        description=_text(resource, "description"),
        attendees=tuple(_attendees(resource)),
        guests=tuple(_answers(resource)),
        organizer=_organizer(resource),
        uid=_text(resource, "iCalUID"),
        sequence=_sequence(resource),
        stamp=_stamp(resource),
        recurrence=_recurrence(resource),
        recurrence_id=_read(resource, "originalStartTime", zones)
        if "originalStartTime" in resource
        else None,
        cancelled=is_cancelled(resource),
        conference=bool(link) or _is_pending(resource),
        conference_link=link,
    )


def original_start(resource: Any, zones: Zones) -> datetime | None:
    """Of an occurrence of a series, when it starts by the series' rule, in UTC; None of anything else."""
    if not isinstance(resource, dict) or "originalStartTime" not in resource:
        return None
    return _read(resource, "originalStartTime", zones).astimezone(UTC)


def read_busy(resource: Any, calendar_id: str, zone: ZoneInfo) -> Event:
    """A busy time of a calendar that shows no more than that."""
    resource = mapping(resource, "a busy time")
    start, end = (_busy_instant(resource.get(edge)) for edge in ("start", "end"))
    if end < start:
        raise ProviderError("Google's answer has a busy time that ends before it starts")
    # Google gives it no id; whose it is and when tells it from others.
    name = f"{calendar_id} {start.astimezone(UTC).isoformat()}"
    return Event(id=google_id(name), title=BUSY_TITLE, start=start, end=end, timezone=zone.key)


def is_cancelled(resource: Any) -> bool:
    """Whether it was deleted; Google may leave out everything but the id then."""
    return isinstance(resource, dict) and resource.get("status") == "cancelled"


def mapping(resource: Any, what: str) -> Resource:
    """The value, if it is a JSON object; else raises `ProviderError`."""
    if not isinstance(resource, dict):
        raise ProviderError(f"Google's answer cannot be read: {what} is not an object")
    return resource


def _read(resource: Resource, field: str, zones: Zones) -> datetime:
    when = resource.get(field)
    try:
        if not isinstance(when, dict):
            raise ValueError
        if _is_day(when):
            return start_of_day(date.fromisoformat(str(when["date"])), zones.owner)
        instant = datetime.fromisoformat(str(when.get("dateTime")))
        if instant.tzinfo is None:
            instant = instant.replace(tzinfo=ZoneInfo(_zone_name(when, zones)))
        instant.astimezone(UTC)  # Which fails outside of the years that there are.
    except (ValueError, OverflowError):
        shown = f"{str(resource['id'])[:80]!r}"
        raise ProviderError(f"Google's answer has an event with an unreadable '{field}': {shown}") from None
    return instant


def _is_day(when: Resource) -> bool:
    return when.get("date") is not None


def _busy_instant(value: Any) -> datetime:
    try:
        instant = datetime.fromisoformat(value)
        instant.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        instant = None
    if instant is None or instant.tzinfo is None:
        raise ProviderError(f"Google's answer has an unreadable busy time: {str(value)[:80]!r}")
    return instant


def _next_day(start: datetime, zone: ZoneInfo) -> datetime:
    """The end of a day that ends no later than it starts: at least the day it is on (RFC 5545 §3.6.1)."""
    try:
        return start_of_day(start.date() + timedelta(days=1), zone)
    except OverflowError:
        raise ProviderError("Google's answer has an event on a day that no day follows") from None


def _zone_name(when: Resource, zones: Zones, *, all_day: bool = False) -> str:
    if all_day:
        return zones.owner.key
    name = when.get("timeZone")
    return name if isinstance(name, str) and is_zone(name) else zones.calendar.key


def _is_busy(resource: Resource, own: frozenset[str]) -> bool:
    return (
        not is_cancelled(resource)
        and resource.get("transparency") != "transparent"
        and resource.get("eventType") not in _FREE_TYPES
        and not is_declined(resource, own)
    )


def own_guests(resource: Resource, own: frozenset[str]) -> list[Resource]:
    """The owner among the guests: as the account first, then under the other addresses of `own`, which Google does not know for theirs."""
    mine = [each for each in _guests(resource) if _is_self(each) or str(each.get("email")).lower() in own]
    return sorted(mine, key=_is_self, reverse=True)


def is_declined(resource: Resource, own: frozenset[str]) -> bool:
    """Whether the owner does not come; see `own_guests`."""
    return any(guest.get("responseStatus") == "declined" for guest in own_guests(resource, own)[:1])


def _is_self(guest: Resource) -> bool:
    return guest.get("self") is True


def _guests(resource: Resource) -> list[Resource]:
    guests = resource.get("attendees")
    return [guest for guest in guests if isinstance(guest, dict)] if isinstance(guests, list) else []


def _attendees(resource: Resource) -> list[Address]:
    return [address for guest in _guests(resource) if (address := _person(guest))]


def _answers(resource: Resource) -> list[Guest]:
    """What the guests have answered, those who have; ordered by address."""
    found = {}
    for guest in _guests(resource):
        address, partstat = _person(guest), RESPONSES.get(_text(guest, "responseStatus"))
        if address and partstat:
            found[address.key] = Guest(address.key, partstat)
    return [found[key] for key in sorted(found)]


def _person(resource: Resource) -> Address | None:
    local, _, domain = str(resource.get("email") or "").rpartition("@")
    email = f"{local}@{domain.lower()}"
    name = one_line(_text(resource, "displayName"))
    return Address(email, "" if name == email else name) if is_email(email) else None


def _organizer(resource: Resource) -> Address | None:
    organizer = resource.get("organizer")
    return _person(organizer) if isinstance(organizer, dict) else None


def _sequence(resource: Resource) -> int:
    sequence = resource.get("sequence")
    return sequence if isinstance(sequence, int) and sequence > 0 else 0


def _stamp(resource: Resource) -> datetime | None:
    """What we have noted beside the event; Google keeps no such time."""
    kept = resource.get("extendedProperties")
    private = kept.get("private") if isinstance(kept, dict) else None
    try:
        stamp = datetime.fromisoformat(str(private.get(STAMP))) if isinstance(private, dict) else None
        return stamp.astimezone(UTC) if stamp and stamp.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _recurrence(resource: Resource) -> tuple[str, ...]:
    lines = resource.get("recurrence")
    return tuple(line for line in lines if isinstance(line, str)) if isinstance(lines, list) else ()


def _video_link(resource: Resource) -> str:
    links = [resource.get("hangoutLink")]
    conference = resource.get("conferenceData")
    entries = conference.get("entryPoints") if isinstance(conference, dict) else None
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and entry.get("entryPointType") == "video":
            links.append(entry.get("uri"))
    # Other people's invitations may name anything; only what a browser opens safely is a link.
    return next((link for link in links if isinstance(link, str) and link.startswith("https://")), "")


def _is_pending(resource: Resource) -> bool:
    """Whether the video call has been asked for and Google is still making it."""
    conference = resource.get("conferenceData")
    request = conference.get("createRequest") if isinstance(conference, dict) else None
    status = request.get("status") if isinstance(request, dict) else None
    return isinstance(status, dict) and status.get("statusCode") == "pending"


def _text(resource: Resource, field: str) -> str:
    value = resource.get(field)
    return value if isinstance(value, str) else ""
