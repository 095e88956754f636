"""What is to be asked of the Google Calendar API v3 so that an event says what an `Event` does."""

from dataclasses import replace
from datetime import UTC
from zoneinfo import ZoneInfo

from email_assistant.adapters.google.calendar_events import (
    RESPONSES,
    STAMP,
    Told,
    write_person,
    write_texts,
    write_times,
)
from email_assistant.calendars.event import Event, Partstat
from email_assistant.mail.address import Address

_STATUS = {partstat: status for status, partstat in RESPONSES.items()}


def imported(event: Event, zone: ZoneInfo) -> Told:
    """The body of `events.import`: a private copy of somebody's event, under its own UID; see `write_event` for `zone`.

    Raises `InputError` naming the field that is wrong.
    """
    body: Told = {
        "iCalUID": event.uid,
        "status": "cancelled" if event.cancelled else "confirmed",
        **write_times(event, zone),
        **{name: text for name, text in write_texts(event).items() if text},
        "attendees": [_guest(address, event) for address in event.attendees],
        "sequence": event.sequence,
        "transparency": "opaque" if event.busy else "transparent",
    }
    if event.organizer:
        body["organizer"] = write_person("organizer", event.organizer)
    if event.recurrence:
        body["recurrence"] = list(event.recurrence)
    if event.recurrence_id:
        by_rule = replace(event, start=event.recurrence_id, end=event.recurrence_id)
        body["originalStartTime"] = write_times(by_rule, zone)["start"]
    return body | _stamped(event)


def patch(told: Told, before: Event, event: Event, zone: ZoneInfo) -> Told:
    """The body of `events.patch` that makes `before`, which Google tells of as `told`, the `event`; {} when it is that already.

    Nothing is in it that stays as it was: what it leaves out Google keeps.
    """
    body: Told = {}
    if (before.start, before.end, before.all_day) != (event.start, event.end, event.all_day):
        body |= write_times(event, zone)
    was = write_texts(before)
    body |= {name: text for name, text in write_texts(event).items() if text != was[name]}
    if before.recurrence != event.recurrence:
        body["recurrence"] = list(event.recurrence)
    if before.cancelled != event.cancelled:
        body["status"] = "cancelled" if event.cancelled else "confirmed"
    elif before.busy != event.busy:
        body["transparency"] = "opaque" if event.busy else "transparent"
    if _people(before) != _people(event):
        known = {str(guest.get("email")).lower(): guest for guest in told.get("attendees") or []}
        body["attendees"] = [known.get(a.key, {}) | _guest(a, event) for a in event.attendees]
    if before.sequence != event.sequence:
        body["sequence"] = event.sequence
    return body | (_stamped(event) if event.stamp != before.stamp else {})


def tells_guests(body: Told) -> bool:
    """Whether a change of an own meeting is one that its guests should hear of: more than who has answered what."""
    return bool(body.keys() - {"attendees", "extendedProperties", "transparency"})


def answer(told: Told, me: str, partstat: Partstat) -> Told:
    """The body of `events.patch` that gives one's own answer, as the guest of address `me`, and leaves everybody else's alone.

    Google tells the account's own guest; one invited by another address is one of many to it, so all are told again.
    """
    status = {"responseStatus": _STATUS.get(partstat, "needsAction")}
    guests = told.get("attendees") or []
    if any(guest.get("self") is True and guest.get("email") == me for guest in guests):
        return {"attendees": [{"email": me, **status}], "attendeesOmitted": True}
    return {"attendees": [{**guest, **(status if guest.get("email") == me else {})} for guest in guests]}


def _people(event: Event) -> tuple[frozenset[str], frozenset[tuple[str, Partstat]]]:
    keys = frozenset(address.key for address in event.attendees)
    return keys, frozenset((guest.key, guest.partstat) for guest in event.guests if guest.key in keys)


def _guest(address: Address, event: Event) -> Told:
    status = _STATUS.get(event.partstat_of(address.key), "needsAction")
    return write_person("attendees", address) | {"responseStatus": status}


def _stamped(event: Event) -> Told:
    if event.stamp is None:
        return {}
    return {"extendedProperties": {"private": {STAMP: event.stamp.astimezone(UTC).isoformat()}}}
