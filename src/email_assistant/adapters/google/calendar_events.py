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

Told = dict[str, Any]
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


def read_event(told: Any, zones: Zones, own: frozenset[str] = frozenset()) -> Event:
    """The event that Google tells of; raises `ProviderError` when its times cannot be read for certain.

    `own` are the owner's addresses in lower case: what they have declined leaves the time free.
    """
    told = mapping(told, "an event")
    event_id = told.get("id")
    if not isinstance(event_id, str) or not event_id:
        raise ProviderError("Google's answer has an event without an id")
    start, end = (_read(told, edge, zones) for edge in ("start", "end"))
    all_day = _is_day(told["start"]) and _is_day(told["end"])
    if all_day and end <= start:
        end = _next_day(start, zones.owner)
    if end.astimezone(UTC) < start.astimezone(UTC):
        raise ProviderError(f"Google's answer has an event that ends before it starts: {event_id[:80]!r}")
    link = _video_link(told)
    return Event(
        id=event_id,
        title=_text(told, "summary"),
        start=start,
        end=end,
        all_day=all_day,
        busy=_is_busy(told, own),
        timezone=_zone_name(told["start"], zones, all_day=all_day),
        location=_text(told, "location"),
        description=_text(told, "description"),
        attendees=tuple(_attendees(told)),
        guests=tuple(_answers(told)),
        organizer=_organizer(told),
        uid=_text(told, "iCalUID"),
        sequence=_sequence(told),
        stamp=_stamp(told),
        recurrence=_recurrence(told),
        recurrence_id=_read(told, "originalStartTime", zones) if "originalStartTime" in told else None,
        cancelled=is_cancelled(told),
        conference=bool(link) or _is_pending(told),
        conference_link=link,
    )


def original_start(told: Any, zones: Zones) -> datetime | None:
    """Of an occurrence of a series, when it starts by the series' rule, in UTC; None of anything else."""
    if not isinstance(told, dict) or "originalStartTime" not in told:
        return None
    return _read(told, "originalStartTime", zones).astimezone(UTC)


def read_busy(told: Any, calendar_id: str, zone: ZoneInfo) -> Event:
    """A busy time of a calendar that shows no more than that."""
    told = mapping(told, "a busy time")
    start, end = (_busy_instant(told.get(edge)) for edge in ("start", "end"))
    if end < start:
        raise ProviderError("Google's answer has a busy time that ends before it starts")
    # Google gives it no id; whose it is and when tells it from others.
    name = f"{calendar_id} {start.astimezone(UTC).isoformat()}"
    return Event(id=google_id(name), title=BUSY_TITLE, start=start, end=end, timezone=zone.key)


def is_cancelled(told: Any) -> bool:
    """Whether it was deleted; Google may leave out everything but the id then."""
    return isinstance(told, dict) and told.get("status") == "cancelled"


def mapping(told: Any, what: str) -> Told:
    """The value, if it is a JSON object; else raises `ProviderError`."""
    if not isinstance(told, dict):
        raise ProviderError(f"Google's answer cannot be read: {what} is not an object")
    return told


def _read(told: Told, field: str, zones: Zones) -> datetime:
    when = told.get(field)
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
        shown = f"{str(told['id'])[:80]!r}"
        raise ProviderError(f"Google's answer has an event with an unreadable '{field}': {shown}") from None
    return instant


def _is_day(when: Told) -> bool:
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


def _zone_name(when: Told, zones: Zones, *, all_day: bool = False) -> str:
    if all_day:
        return zones.owner.key
    name = when.get("timeZone")
    return name if isinstance(name, str) and is_zone(name) else zones.calendar.key


def _is_busy(told: Told, own: frozenset[str]) -> bool:
    return (
        not is_cancelled(told)
        and told.get("transparency") != "transparent"
        and told.get("eventType") not in _FREE_TYPES
        and not is_declined(told, own)
    )


def own_guests(told: Told, own: frozenset[str]) -> list[Told]:
    """The owner among the guests: as the account first, then under the other addresses of `own`, which Google does not know for theirs."""
    mine = [each for each in _guests(told) if _is_self(each) or str(each.get("email")).lower() in own]
    return sorted(mine, key=_is_self, reverse=True)


def is_declined(told: Told, own: frozenset[str]) -> bool:
    """Whether the owner does not come; see `own_guests`."""
    return any(guest.get("responseStatus") == "declined" for guest in own_guests(told, own)[:1])


def _is_self(guest: Told) -> bool:
    return guest.get("self") is True


def _guests(told: Told) -> list[Told]:
    guests = told.get("attendees")
    return [guest for guest in guests if isinstance(guest, dict)] if isinstance(guests, list) else []


def _attendees(told: Told) -> list[Address]:
    return [address for guest in _guests(told) if (address := _person(guest))]


def _answers(told: Told) -> list[Guest]:
    """What the guests have answered, those who have; ordered by address."""
    found = {}
    for guest in _guests(told):
        address, partstat = _person(guest), RESPONSES.get(_text(guest, "responseStatus"))
        if address and partstat:
            found[address.key] = Guest(address.key, partstat)
    return [found[key] for key in sorted(found)]


def _person(told: Told) -> Address | None:
    local, _, domain = str(told.get("email") or "").rpartition("@")
    email = f"{local}@{domain.lower()}"
    name = one_line(_text(told, "displayName"))
    return Address(email, "" if name == email else name) if is_email(email) else None


def _organizer(told: Told) -> Address | None:
    organizer = told.get("organizer")
    return _person(organizer) if isinstance(organizer, dict) else None


def _sequence(told: Told) -> int:
    sequence = told.get("sequence")
    return sequence if isinstance(sequence, int) and sequence > 0 else 0


def _stamp(told: Told) -> datetime | None:
    """What we have noted beside the event; Google keeps no such time."""
    kept = told.get("extendedProperties")
    private = kept.get("private") if isinstance(kept, dict) else None
    try:
        stamp = datetime.fromisoformat(str(private.get(STAMP))) if isinstance(private, dict) else None
        return stamp.astimezone(UTC) if stamp and stamp.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _recurrence(told: Told) -> tuple[str, ...]:
    lines = told.get("recurrence")
    return tuple(line for line in lines if isinstance(line, str)) if isinstance(lines, list) else ()


def _video_link(told: Told) -> str:
    links = [told.get("hangoutLink")]
    conference = told.get("conferenceData")
    entries = conference.get("entryPoints") if isinstance(conference, dict) else None
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and entry.get("entryPointType") == "video":
            links.append(entry.get("uri"))
    # Other people's invitations may name anything; only what a browser opens safely is a link.
    return next((link for link in links if isinstance(link, str) and link.startswith("https://")), "")


def _is_pending(told: Told) -> bool:
    """Whether the video call has been asked for and Google is still making it."""
    conference = told.get("conferenceData")
    request = conference.get("createRequest") if isinstance(conference, dict) else None
    status = request.get("status") if isinstance(request, dict) else None
    return isinstance(status, dict) and status.get("statusCode") == "pending"


def _text(told: Told, field: str) -> str:
    value = told.get(field)
    return value if isinstance(value, str) else ""
