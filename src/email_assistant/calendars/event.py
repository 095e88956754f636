"""Calendar events."""

from dataclasses import dataclass
from datetime import datetime

from email_assistant.mail.address import Address


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
