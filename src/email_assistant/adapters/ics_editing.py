"""A VEVENT of an iCalendar file brought up to date line by line: what an `Event` does not say stays as it is."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import icalendar
from icalendar.parser import Contentline

from email_assistant.adapters.ics_writing import folded
from email_assistant.calendars.event import Event
from email_assistant.calendars.ics import address_of, partstat_of
from email_assistant.calendars.ics_parsing import UNREADABLE
from email_assistant.errors import ProviderError
from email_assistant.mail.address import Address
from email_assistant.mail.text import clean, one_line

_LINE = re.compile(rb"[^\n]*(?:\n[ \t][^\n]*)*(?:\n|\Z)")
_NAME = re.compile(rb"[A-Za-z0-9-]+")
_VEVENT = re.compile(rb"^(BEGIN|END):VEVENT[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)

_RULES = ("RRULE", "RDATE", "EXDATE", "EXRULE")
_SAID: tuple[tuple[tuple[str, ...], Callable[[Event], Any]], ...] = (
    (("DTSTART", "DTEND", "DURATION"), lambda e: (e.start, e.end, e.all_day)),
    (("RECURRENCE-ID",), lambda e: e.recurrence_id),
    (_RULES, lambda e: e.recurrence),
    (("SUMMARY",), lambda e: one_line(e.title)),
    (("LOCATION",), lambda e: one_line(e.location)),
    # Programs keep a second, formatted text beside the description, which would go on saying what it said.
    (("DESCRIPTION", "X-ALT-DESC"), lambda e: clean(e.description)[0].strip()),
    (("SEQUENCE",), lambda e: e.sequence),
    (("STATUS",), lambda e: e.cancelled),
)
"""Properties and what an event says of them: where it says the same as before, the lines stay."""
_ATTENDEE = "ATTENDEE"


def vevents(raw: bytes) -> list[tuple[int, int]]:
    """Where each VEVENT of a file begins and ends, in order; raises `ProviderError` when they do not close."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    for boundary in _VEVENT.finditer(raw):
        begins = boundary.group(1).upper() == b"BEGIN"
        if begins != (start is None):
            raise ProviderError("the calendar has an event within an event")
        if begins:
            start = boundary.start()
        elif start is not None:
            found.append((start, min(boundary.end() + 1, len(raw))))
            start = None
    return found


def is_same(before: Event, after: Event) -> bool:
    """Whether a VEVENT that says the one says the other."""
    people = [({a.key for a in e.attendees}, e.guests) for e in (before, after)]
    stamps = after.stamp is None or before.stamp == after.stamp
    return people[0] == people[1] and stamps and not _changed(before, after) - {"DTSTAMP"}


def edited(block: bytes, written: bytes, before: Event, after: Event) -> bytes:
    """The VEVENT `block`, which says `before`, saying `after`; `written` is a VEVENT made of `after` alone."""
    changed = _changed(before, after)
    missing = {address.key for address in after.attendees}
    kept: list[bytes] = []
    for name, line, is_own in _walk(block):
        if is_own and name == _ATTENDEE:
            kept.append(_attendee(line, after, missing))
        elif not is_own or name not in changed:
            kept.append(line)
    new = [line for name, line, is_own in _walk(written) if is_own and name in changed]
    new += [
        line
        for name, line, is_own in _walk(written)
        if is_own and name == _ATTENDEE and (address := _address(line)) and address.key in missing
    ]
    if b"\r\n" not in block:
        new = [line.replace(b"\r\n", b"\n") for line in new]
    # Behind its own properties and before alarms and the like.
    place = next(i for i, line in enumerate(kept) if i and line.upper().startswith((b"BEGIN:", b"END:")))
    return b"".join((*kept[:place], *new, *kept[place:]))


def occurrence(block: bytes) -> bytes:
    """The series' VEVENT without how it repeats: what one occurrence of it says."""
    return b"".join(line for name, line, is_own in _walk(block) if not is_own or name not in _RULES)


def _changed(before: Event, after: Event) -> set[str]:
    """The properties whose lines are to be written anew."""
    names = {name for names, said in _SAID if said(before) != said(after) for name in names}
    if before.busy != after.busy and not (before.cancelled or after.cancelled):
        names.add("TRANSP")
    return names | ({"DTSTAMP"} if before.stamp is None or before.stamp != after.stamp else set())


def _walk(block: bytes) -> Iterator[tuple[str, bytes, bool]]:
    """Each content line with its name, and whether it is the event's own and not of a component within."""
    depth = 0
    for match in _LINE.finditer(block):
        line = match.group()
        if not line:
            continue
        found = _NAME.match(line)
        name = found.group().decode("ascii").upper() if found else ""
        depth -= name == "END"
        yield name, line, depth == 1 and name not in {"BEGIN", "END"}
        depth += name == "BEGIN"


def _attendee(line: bytes, after: Event, missing: set[str]) -> bytes:
    """The line of a guest, with the answer that the event tells; nothing of one who is not invited any more."""
    address = _address(line)
    if address is None:
        return line
    if address.key not in missing:
        return b""
    missing.discard(address.key)
    name, params, value = _parts(line)
    partstat = after.partstat_of(address.key)
    if partstat_of(_person(value, params)) is partstat:
        return line
    params["PARTSTAT"] = partstat.upper()
    changed = folded(Contentline.from_parts(name, params, value, sorted=False))
    return changed if line.endswith(b"\r\n") else changed.replace(b"\r\n", b"\n")


def _address(line: bytes) -> Address | None:
    try:
        _, params, value = _parts(line)
        return address_of(_person(value, params))
    except UNREADABLE:
        return None


def _parts(line: bytes) -> tuple[str, icalendar.Parameters, str]:
    """Name, parameters and value of a content line."""
    parts: tuple[str, icalendar.Parameters, str] = Contentline.from_ical(line.strip()).parts()  # type: ignore[no-untyped-call]
    return parts


def _person(value: str, params: Any) -> icalendar.vCalAddress:
    person = icalendar.vCalAddress(value)
    person.params = params
    return person
