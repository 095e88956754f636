"""One VEVENT of an invitation as a proposal."""

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.calendars import ics
from email_assistant.calendars.invitation_rules import FIRST_YEAR, LAST_YEAR
from email_assistant.calendars.invitation_text import LINK_PROPERTIES
from email_assistant.calendars.proposal import (
    DEFAULT_MINUTES,
    MAX_ATTENDEES,
    MAX_LOCATION,
    MAX_TITLE,
    EventProposal,
    plain_description,
)
from email_assistant.calendars.video_link import call_link, https_link
from email_assistant.errors import ProviderError
from email_assistant.mail.address import Address, unique
from email_assistant.mail.text import one_line

SOURCE = "the calendar"
"""What errors about an invitation begin with."""
NO_END = f"It names no end; {DEFAULT_MINUTES} minutes are taken."

_MAX_RAW = 20_000
_NOT_PEOPLE = frozenset({"ROOM", "RESOURCE"})


def proposal_of(component: Any, *, owner: ZoneInfo, subject: str) -> EventProposal:
    """What the event says, its times in its own zone (UTC and floating times in the owner's).

    Raises `ProviderError` when its times cannot be told for certain. `subject` is the title when it has none.
    """
    ics.check(component, SOURCE)
    ics.settle_end(component, SOURCE)
    begins, ends = component["DTSTART"].dt, ics.end_of(component)
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


def organizer_of(component: Any) -> Address:
    """Who invites (RFC 5545 §3.8.4.3); an address without email when nobody is named."""
    value = _first(component, "ORGANIZER")
    return (ics.address_of(value) if value is not None else None) or Address("")


def _zone(component: Any, begins: date, owner: ZoneInfo) -> ZoneInfo:
    name = ics.zone_name(component["DTSTART"], begins, owner)
    # Many programs write every time in UTC, which says nothing about where the event is.
    return owner if name in {"UTC", "Etc/UTC"} else ZoneInfo(name)


def _first(component: Any, name: str) -> Any:
    value = component.get(name)
    return (value[0] if value else None) if isinstance(value, list) else value


def _raw(component: Any, name: str) -> str:
    value = _first(component, name)
    return "" if value is None else str(value)[:_MAX_RAW]


def _text(component: Any, name: str, limit: int) -> str:
    return one_line(_raw(component, name), limit=limit)


def _video_link(component: Any) -> str:
    """The video call's address: from the properties made for it, else one that stands in the texts."""
    for name in LINK_PROPERTIES:
        values = component.get(name, [])
        for value in values if isinstance(values, list) else [values]:
            if link := https_link(str(value)):
                return link
    location = _raw(component, "LOCATION").strip()
    texts = "\n".join((location, _raw(component, "URL"), _raw(component, "DESCRIPTION")))
    return https_link(location) or call_link(texts)


def _people(component: Any) -> tuple[Address, ...]:
    values = component.get("ATTENDEE", [])
    values = values if isinstance(values, list) else [values]
    people = [v for v in values if str(getattr(v, "params", {}).get("CUTYPE", "")).upper() not in _NOT_PEOPLE]
    found = [address for value in people if (address := ics.address_of(value))]
    return unique(found)[:MAX_ATTENDEES]
