"""Events as JSON, for what waits in a checkpoint until a person has decided."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from email_assistant.calendars.event import Event, Guest, Partstat
from email_assistant.mail.address import Address

_MOMENTS = ("start", "end", "stamp", "recurrence_id")
_PEOPLE = ("organizer", "sent_by")


def event_json(event: Event) -> dict[str, Any]:
    """The event as a JSON object."""
    moments = {name: getattr(event, name) for name in _MOMENTS}
    lists = {"recurrence": list(event.recurrence), "attendees": [asdict(each) for each in event.attendees]}
    guests = {"guests": [{"key": each.key, "partstat": str(each.partstat)} for each in event.guests]}
    return asdict(event) | lists | guests | {name: at and at.isoformat() for name, at in moments.items()}


def event_of_json(value: Mapping[str, Any]) -> Event:
    """The inverse of `event_json`."""
    moments = {name: at and datetime.fromisoformat(at) for name in _MOMENTS for at in [value.get(name)]}
    people = {name: who and Address(**who) for name in _PEOPLE for who in [value.get(name)]}
    return Event(
        **{
            **value,
            **moments,
            **people,
            "recurrence": tuple(value.get("recurrence", ())),
            "attendees": tuple(Address(**each) for each in value.get("attendees", ())),
            "guests": tuple(
                Guest(each["key"], Partstat(each["partstat"])) for each in value.get("guests", ())
            ),
        }
    )
