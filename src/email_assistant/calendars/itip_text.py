"""Scheduling messages as text (iTIP, RFC 5546): what is mailed to the guests of a meeting, and what a guest answers.

Each text is one VCALENDAR with one METHOD and one VEVENT. Times are written in UTC, so that no definition of a zone can be read otherwise
by whoever gets it; whole days as dates.
"""

from datetime import UTC, date, datetime
from typing import Literal
from zoneinfo import ZoneInfo

import icalendar

from email_assistant.calendars import ics
from email_assistant.calendars.event import Event, day_begun
from email_assistant.errors import InputError
from email_assistant.mail.address import Address
from email_assistant.mail.text import clean, one_line

PRODUCT = "-//email_assistant//scheduling//EN"
_ANSWERS = frozenset({"ACCEPTED", "TENTATIVE", "DECLINED"})
"""What a guest may answer (PARTSTAT, RFC 5545 §3.2.12)."""
_MAX_UID = 255

Method = Literal["REQUEST", "CANCEL"]


def organizers_text(
    method: Method, event: Event, *, organizer: Address, stamp: datetime, owner: ZoneInfo
) -> str:
    """What the organizer mails: a REQUEST that invites or tells of a change, or a CANCEL (RFC 5546 §3.2.2, §3.2.5).

    Whole days are those of the `owner`'s zone. Raises `InputError` naming the field that cannot be written.
    """
    invited = [each for each in event.attendees if each.key != organizer.key]
    if not invited:
        raise InputError("'attendees' names nobody who could be told")
    component = _component(event.uid, event.sequence, stamp, None)
    component.add("DTSTART", _edge("start", event.start, event, owner))
    component.add("DTEND", _edge("end", event.end, event, owner))
    component.add("ORGANIZER", ics.person("organizer", organizer), encode=False)
    for guest in invited:
        value = ics.person("attendees", guest)
        value.params["ROLE"] = "REQ-PARTICIPANT"
        if method == "REQUEST":
            value.params |= {"PARTSTAT": "NEEDS-ACTION", "RSVP": "TRUE"}
        component.add("ATTENDEE", value, encode=False)
    component.add("SUMMARY", one_line(event.title))
    if location := one_line(event.location):
        component.add("LOCATION", location)
    if description := clean(event.description)[0]:
        component.add("DESCRIPTION", description)
    component.add("STATUS", "CONFIRMED" if method == "REQUEST" else "CANCELLED")
    component.add("TRANSP", "OPAQUE" if event.busy else "TRANSPARENT")
    return _calendar(method, component)


def answer_text(
    partstat: str,
    *,
    uid: str,
    sequence: int,
    organizer: Address,
    guest: Address,
    stamp: datetime,
    title: str = "",
    start: date | None = None,
    recurrence_id: date | None = None,
    sent_by: Address | None = None,
    comment: str = "",
    counter_end: datetime | None = None,
) -> str:
    """What a guest answers (REPLY, RFC 5546 §3.2.3): the one ATTENDEE is the guest, `sequence` that of the invitation.

    `start` is the invitation's DTSTART, a date or an aware time; with `counter_end` it is the time that the guest proposes in its
    place (COUNTER, §3.2.7), which ends then. Raises `InputError` naming the field that cannot be written.
    """
    if partstat not in _ANSWERS:
        raise InputError(f"'partstat' is none of {', '.join(sorted(_ANSWERS))}: {partstat[:40]!r}")
    component = _component(uid, sequence, stamp, recurrence_id)
    if start is not None:
        component.add("DTSTART", _moment("start", start))
    if counter_end is not None:
        component.add("DTEND", _moment("counter_end", counter_end))
    component.add("ORGANIZER", ics.person("organizer", organizer), encode=False)
    value = ics.person("guest", guest, sent_by=sent_by)
    value.params["PARTSTAT"] = partstat
    component.add("ATTENDEE", value, encode=False)
    if summary := one_line(title):
        component.add("SUMMARY", summary)
    if said := clean(comment)[0].strip():
        component.add("COMMENT", said)
    return _calendar("COUNTER" if counter_end else "REPLY", component)


def _component(uid: str, sequence: int, stamp: datetime, recurrence_id: date | None) -> icalendar.Event:
    if not uid or len(uid) > _MAX_UID or not uid.isprintable():
        raise InputError(f"'uid' must be 1 to {_MAX_UID} printable characters")
    component = icalendar.Event()
    component.add("UID", uid)
    component.add("SEQUENCE", sequence)
    component.add("DTSTAMP", _moment("stamp", stamp))
    if recurrence_id is not None:
        component.add("RECURRENCE-ID", _moment("recurrence_id", recurrence_id))
    return component


def _calendar(method: str, component: icalendar.Event) -> str:
    calendar = icalendar.Calendar()
    for name, value in (
        ("PRODID", PRODUCT),
        ("VERSION", "2.0"),
        ("CALSCALE", "GREGORIAN"),
        ("METHOD", method),
    ):
        calendar.add(name, value)
    calendar.add_component(component)
    # Folded at 75 octets, lines end in CRLF (RFC 5545 §3.1).
    return str(calendar.to_ical(sorted=False).decode())


def _moment(field: str, moment: date) -> date:
    """A day as it is, a time in UTC."""
    if not isinstance(moment, datetime):
        return moment
    if moment.utcoffset() is None:
        raise InputError(f"'{field}' has no time zone: {moment.isoformat()}")
    return moment.astimezone(UTC)


def _edge(field: str, instant: datetime, event: Event, owner: ZoneInfo) -> date:
    if not event.all_day:
        return _moment(field, instant)
    return day_begun(field, instant, owner)
