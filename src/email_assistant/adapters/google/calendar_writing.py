"""An `Event` in the form of the Google Calendar API v3: to be made, imported, changed or answered."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from email_assistant.adapters.google.calendar_events import RESPONSES, STAMP, Resource, google_id
from email_assistant.calendars.event import Event, Partstat, check_email, day_begun
from email_assistant.errors import InputError
from email_assistant.mail.address import Address
from email_assistant.mail.text import one_line

_STATUS = {partstat: status for status, partstat in RESPONSES.items()}


def write_event(event: Event, *, owner: str, zone: ZoneInfo) -> Resource:
    """The body of `events.insert`; days of an all-day event are those of the owner's `zone`.

    Raises `InputError` naming the field that is wrong.
    """
    body: Resource = {
        "id": google_id(event.id),
        **_times(event, zone),
        "attendees": [_invited(address, owner) for address in event.attendees],
    }
    body |= {name: text for name, text in _texts(event).items() if text}
    if event.recurrence:
        body["recurrence"] = list(event.recurrence)
    if not event.busy:
        body["transparency"] = "transparent"
    if event.conference:
        wanted = {"requestId": body["id"], "conferenceSolutionKey": {"type": "hangoutsMeet"}}
        body["conferenceData"] = {"createRequest": wanted}
    return body


def imported(event: Event, zone: ZoneInfo) -> Resource:
    """The body of `events.import`: a private copy of somebody's event, under its own UID; see `write_event` for `zone`.

    Raises `InputError` naming the field that is wrong.
    """
    body: Resource = {
        "iCalUID": event.uid,
        "status": "cancelled" if event.cancelled else "confirmed",
        **_times(event, zone),
        **{name: text for name, text in _texts(event).items() if text},
        "attendees": [_guest(address, event) for address in event.attendees],
        "sequence": event.sequence,
        "transparency": "opaque" if event.busy else "transparent",
    }
    if event.organizer:
        body["organizer"] = _person("organizer", event.organizer)
    if event.recurrence:
        body["recurrence"] = list(event.recurrence)
    if event.recurrence_id:
        by_rule = replace(event, start=event.recurrence_id, end=event.recurrence_id)
        body["originalStartTime"] = _times(by_rule, zone)["start"]
    return body | _stamped(event)


def patch(resource: Resource, before: Event, event: Event, zone: ZoneInfo) -> Resource:
    """The body of `events.patch` that makes `before`, which Google tells of as `resource`, the `event`; {} when it is that already.

    Nothing is in it that stays as it was: what it leaves out Google keeps.
    """
    body: Resource = {}
    if (before.start, before.end, before.all_day) != (event.start, event.end, event.all_day):
        body |= _times(event, zone)
    was = _texts(before)
    body |= {name: text for name, text in _texts(event).items() if text != was[name]}
    if before.recurrence != event.recurrence:
        body["recurrence"] = list(event.recurrence)
    if before.cancelled != event.cancelled:
        body["status"] = "cancelled" if event.cancelled else "confirmed"
    elif before.busy != event.busy:
        body["transparency"] = "opaque" if event.busy else "transparent"
    if _people(before) != _people(event):
        known = {str(guest.get("email")).lower(): guest for guest in resource.get("attendees") or []}
        body["attendees"] = [known.get(a.key, {}) | _guest(a, event) for a in event.attendees]
    if before.sequence != event.sequence:
        body["sequence"] = event.sequence
    return body | (_stamped(event) if event.stamp != before.stamp else {})


def notifies_guests(body: Resource) -> bool:
    """Whether a change of an own meeting is one that its guests should hear of: more than who has answered what."""
    return bool(body.keys() - {"attendees", "extendedProperties", "transparency"})


def answer(resource: Resource, me: str, partstat: Partstat) -> Resource:
    """The body of `events.patch` that gives one's own answer, as the guest of address `me`, and leaves everybody else's alone.

    Google tells the account's own guest; one invited by another address is one of many to it, so all are told again.
    """
    status = {"responseStatus": _STATUS.get(partstat, "needsAction")}
    guests = resource.get("attendees") or []
    if any(guest.get("self") is True and guest.get("email") == me for guest in guests):
        return {"attendees": [{"email": me, **status}], "attendeesOmitted": True}
    return {"attendees": [{**guest, **(status if guest.get("email") == me else {})} for guest in guests]}


def _people(event: Event) -> tuple[frozenset[str], frozenset[tuple[str, Partstat]]]:
    keys = frozenset(address.key for address in event.attendees)
    return keys, frozenset((guest.key, guest.partstat) for guest in event.guests if guest.key in keys)


def _guest(address: Address, event: Event) -> Resource:
    status = _STATUS.get(event.partstat_of(address.key), "needsAction")
    return _person("attendees", address) | {"responseStatus": status}


def _stamped(event: Event) -> Resource:
    if event.stamp is None:
        return {}
    return {"extendedProperties": {"private": {STAMP: event.stamp.astimezone(UTC).isoformat()}}}


def _texts(event: Event) -> Resource:
    """What is said of it in words."""
    texts = {"summary": event.title, "location": event.location, "description": event.description}
    return {name: text.encode("utf-8", "replace").decode() for name, text in texts.items()}


def _person(field: str, address: Address) -> Resource:
    """A guest or an organizer; raises `InputError` that names the `field` when it is no email address."""
    check_email(field, address)
    name = one_line(address.name)
    return {"email": address.email} | ({"displayName": name} if name else {})


def _times(event: Event, zone: ZoneInfo) -> Resource:
    """Start and end, see `write_event`."""
    return {
        "start": _written("start", event.start, event, zone),
        "end": _written("end", event.end, event, zone),
    }


def _written(field: str, instant: datetime, event: Event, owner: ZoneInfo) -> Resource:
    try:
        if event.all_day:
            return {"date": day_begun(field, instant, owner).isoformat()}
        # The offset settles which of two equal clock times is meant when the clocks go back.
        local = instant.astimezone(ZoneInfo(event.timezone))
    except OverflowError:
        raise InputError(f"'{field}' is out of range: {instant.isoformat()}") from None
    return {"dateTime": local.isoformat(), "timeZone": event.timezone}


def _invited(address: Address, owner: str) -> Resource:
    guest = _person("attendees", address)
    if address.key == owner.lower():
        # Whoever calls the meeting comes to it and is not asked.
        guest["responseStatus"] = "accepted"
    return guest
