"""Events as lines of an iCalendar file: new ones put in beside what is there, and a VEVENT that is there brought up to date line by line.

What is not said anew stays as it is, to the byte.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
from icalendar.parser import Contentline

from email_assistant.calendars.event import Event, Partstat, day_begun
from email_assistant.calendars.ics import address_of, partstat_of, person
from email_assistant.calendars.ics_parsing import UNREADABLE
from email_assistant.errors import ProviderError
from email_assistant.mail.address import Address
from email_assistant.mail.text import clean, one_line

EMPTY_CALENDAR = (
    b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//email_assistant//calendar//EN\r\nEND:VCALENDAR\r\n"
)

_LAST_END = re.compile(rb"^END:VCALENDAR[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_ZONE_YEARS = (2000, 2050)
_END = b"END:VEVENT\r\n"

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


def insert(raw: bytes, *components: bytes) -> bytes:
    """The file with the components put at the end of its last calendar; every other byte stays as it was.

    A file whose lines end in "\\n" alone is written to in that way.
    """
    ends = list(_LAST_END.finditer(raw))
    if not ends:
        raise ProviderError("the calendar has no END:VCALENDAR line")
    position = ends[-1].start()
    added = b"".join(components)
    if b"\r\n" not in raw:
        added = added.replace(b"\r\n", b"\n")
    return raw[:position] + added + raw[position:]


def event_lines(event: Event, *, owner: ZoneInfo, zone: ZoneInfo, stamp: datetime) -> bytes:
    """The event as a VEVENT with its times in `zone`; guests who have not answered are asked to.

    Days of an all-day event are those of the `owner`'s zone. `stamp` is when it is written, for an event that does not say
    when its revision was. Raises `InputError` naming the field that is wrong.
    """
    component = icalendar.Event()
    component.add("UID", event.uid or event.id)
    component.add("DTSTAMP", (event.stamp or stamp).astimezone(UTC))
    for name, field, instant in (
        ("DTSTART", "start", event.start),
        ("DTEND", "end", event.end),
        ("RECURRENCE-ID", "recurrence_id", event.recurrence_id),
    ):
        if instant:
            component.add(
                name, day_begun(field, instant, owner) if event.all_day else instant.astimezone(zone)
            )
    if event.sequence:
        component.add("SEQUENCE", event.sequence)
    if event.cancelled:
        component.add("STATUS", "CANCELLED")
    for name, text in (
        ("SUMMARY", event.title),
        ("LOCATION", event.location),
        ("DESCRIPTION", event.description),
    ):
        if text:
            component.add(name, _encodable(text))
    component.add("TRANSP", "OPAQUE" if event.busy or event.cancelled else "TRANSPARENT")
    if event.organizer:
        component.add("ORGANIZER", person("organizer", event.organizer), encode=False)
    for address in event.attendees:
        component.add("ATTENDEE", _attendee(address, event.partstat_of(address.key)), encode=False)
    lines: bytes = component.to_ical()
    rules = b"".join(folded(line) for line in event.recurrence)
    head, end = lines[: -len(_END)], lines[-len(_END) :]
    return head + rules + end


@lru_cache(maxsize=32)  # Thousands of days are looked through for one.
def zone_lines(zone: ZoneInfo, *, around: int) -> bytes:
    """A VTIMEZONE (RFC 5545 §3.6.5) for an IANA zone, good for the usual years and those up to `around`."""
    first, last = min(_ZONE_YEARS[0], max(around - 1, 1)), max(_ZONE_YEARS[1], min(around + 1, 9999))
    start = datetime(first, 1, 1, tzinfo=UTC)
    onsets: dict[tuple[str, timedelta, timedelta, str], list[datetime]] = {}
    initial = start.astimezone(zone)
    _add_onset(onsets, start, _offset(initial), initial)
    for instant, before in _transitions(zone, start, datetime(last, 1, 1, tzinfo=UTC)):
        _add_onset(onsets, instant, before, instant.astimezone(zone))
    lines = ["BEGIN:VTIMEZONE", f"TZID:{zone.key}"]
    for (kind, before, after, name), instants in onsets.items():
        lines.extend(_observance(kind, before, after, name, instants))
    lines.append("END:VTIMEZONE")
    return ("\r\n".join(lines) + "\r\n").encode("ascii")


def _add_onset(
    onsets: dict[tuple[str, timedelta, timedelta, str], list[datetime]],
    instant: datetime,
    before: timedelta,
    local: datetime,
) -> None:
    kind = "DAYLIGHT" if local.dst() else "STANDARD"
    onsets.setdefault((kind, before, _offset(local), local.tzname() or ""), []).append(instant)


def _observance(
    kind: str, before: timedelta, after: timedelta, name: str, instants: list[datetime]
) -> Iterator[str]:
    # An onset is written in the local time that it ends.
    walls = [f"{instant.astimezone(timezone(before)):%Y%m%dT%H%M%S}" for instant in instants]
    yield f"BEGIN:{kind}"
    yield f"DTSTART:{walls[0]}"
    yield from (f"RDATE:{wall}" for wall in walls[1:])
    yield f"TZOFFSETFROM:{_utc_offset(before)}"
    yield f"TZOFFSETTO:{_utc_offset(after)}"
    if re.fullmatch(r"[A-Z+\-0-9]+", name):
        yield f"TZNAME:{name}"
    yield f"END:{kind}"


def _transitions(zone: ZoneInfo, start: datetime, end: datetime) -> Iterator[tuple[datetime, timedelta]]:
    """Each instant at which the offset changes, and the offset before, found day by day and then to the second."""
    low = start
    while low < end:
        high = low + timedelta(days=1)
        before = _offset(low.astimezone(zone))
        if _offset(high.astimezone(zone)) != before:
            left, right = low, high
            while right - left > timedelta(seconds=1):
                middle = left + timedelta(seconds=(right - left) // timedelta(seconds=2))
                left, right = (
                    (middle, right) if _offset(middle.astimezone(zone)) == before else (left, middle)
                )
            yield right, before
        low = high


def _offset(local: datetime) -> timedelta:
    return local.utcoffset() or timedelta(0)


def _utc_offset(offset: timedelta) -> str:
    seconds = int(offset.total_seconds())
    hours, rest = divmod(abs(seconds), 3600)
    minutes, left = divmod(rest, 60)
    return f"{'-' if seconds < 0 else '+'}{hours:02}{minutes:02}" + (f"{left:02}" if left else "")


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def folded(line: str) -> bytes:
    """A content line as it stands in a file (RFC 5545 §3.1)."""
    written: bytes = Contentline(line).to_ical()  # type: ignore[no-untyped-call]
    return written + b"\r\n"


def _attendee(address: Address, partstat: Partstat) -> icalendar.vCalAddress:
    value = person("attendees", address)
    value.params["ROLE"] = "REQ-PARTICIPANT"
    value.params["PARTSTAT"] = partstat.upper()
    if partstat is Partstat.NEEDS_ACTION:
        value.params["RSVP"] = "TRUE"
    return value


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
            kept.append(_edited_attendee(line, after, missing))
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


def without_scheduling(raw: bytes) -> bytes:
    """The file with its people marked as written to by us, not by the server that keeps it (SCHEDULE-AGENT, RFC 6638 §7.1)."""
    return _LINE.sub(lambda match: _ours(match.group()), raw)


def _ours(line: bytes) -> bytes:
    found = _NAME.match(line)
    if found is None or found.group().upper() not in {b"ORGANIZER", b"ATTENDEE"}:
        return line
    try:
        name, params, value = _parts(line)
    except UNREADABLE:
        return line
    if params.get("SCHEDULE-AGENT", "").upper() in {"CLIENT", "NONE"}:
        return line
    params["SCHEDULE-AGENT"] = "CLIENT"
    return folded(Contentline.from_parts(name, params, value, sorted=False))


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


def _edited_attendee(line: bytes, after: Event, missing: set[str]) -> bytes:
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
