"""An event as lines of an iCalendar file, put in beside what is there without touching it."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

import icalendar
from icalendar.parser import Contentline

from email_assistant.calendars.event import Event, Partstat
from email_assistant.errors import InputError, ProviderError
from email_assistant.mail.address import Address, is_email
from email_assistant.mail.text import one_line

EMPTY_CALENDAR = (
    b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//email_assistant//calendar//EN\r\nEND:VCALENDAR\r\n"
)

_LAST_END = re.compile(rb"^END:VCALENDAR[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_ZONE_YEARS = (2000, 2050)
_END = b"END:VEVENT\r\n"


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
            component.add(name, _day(field, instant, owner) if event.all_day else instant.astimezone(zone))
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
        component.add("ORGANIZER", _person("organizer", event.organizer), encode=False)
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


def _day(field: str, instant: datetime, owner: ZoneInfo) -> date:
    day = instant.astimezone(owner).date()
    # Where clocks change at midnight, a day may begin at one o'clock: it begins when the day before has ended.
    if (instant.astimezone(UTC) - timedelta(seconds=1)).astimezone(owner).date() == day:
        raise InputError(
            f"'{field}' of an all-day event is not midnight in {owner.key}: {instant.isoformat()}"
        )
    return day


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def folded(line: str) -> bytes:
    """A content line as it stands in a file (RFC 5545 §3.1)."""
    written: bytes = Contentline(line).to_ical()  # type: ignore[no-untyped-call]
    return written + b"\r\n"


def _attendee(address: Address, partstat: Partstat) -> icalendar.vCalAddress:
    value = _person("attendees", address)
    value.params["ROLE"] = "REQ-PARTICIPANT"
    value.params["PARTSTAT"] = partstat.upper()
    if partstat is Partstat.NEEDS_ACTION:
        value.params["RSVP"] = "TRUE"
    return value


def _person(field: str, address: Address) -> icalendar.vCalAddress:
    if not is_email(address.email):
        raise InputError(f"'{field}' has what is not an email address: {address.email[:80]!r}")
    value = icalendar.vCalAddress(f"mailto:{address.email}")
    name = one_line(address.name).replace('"', "'")
    if name:
        value.params["CN"] = name
    return value
