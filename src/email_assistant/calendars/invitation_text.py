"""A calendar part cut down to what an invitation says: bounded, before any library expands what is in it.

The libraries follow every rule they are given, and a calendar from outside may repeat something each second for
ever, nest thousands of components or name thousands of guests.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from email_assistant.calendars.ics_parsing import iana_name
from email_assistant.calendars.proposal import MAX_ATTENDEES
from email_assistant.calendars.recurrence_rules import MAX_DATES, event_rule, is_zone_rule_line
from email_assistant.errors import ProviderError

MAX_EVENTS = 200
_MAX_ZONES = 20
_MAX_OBSERVANCES = 40
_MAX_LINE = 4_000
_MAX_TEXT_LINE = 20_000
_MAX_DATE_LINE = 64_000
_NAME = re.compile(r"(?P<name>[A-Za-z0-9-]{1,60})(?=[;:])")
_START = re.compile(r'DTSTART(?:[^:"]|"[^"]{0,300}"){0,300}:(?P<year>\d{4})', re.IGNORECASE)
# Some programs forget the quotes about a name with a colon in it.
_TZID = re.compile(
    r"(?:DTSTART|DTEND|RECURRENCE-ID|RDATE|EXDATE)(?:;(?!TZID)[A-Z-]{1,40}=[^;:]{0,300})*;TZID="
    r'(?P<name>"[^"]{0,300}"|\((?:UTC|GMT)[^)]{0,20}\)[^:;]{0,300}|[^":;]{0,300})(?=[;:])',
    re.IGNORECASE,
)
_BOUNDARY = re.compile(r"(?P<kind>BEGIN|END):(?P<component>[A-Za-z0-9-]{1,60})\s*", re.IGNORECASE)

_EVENT, _ZONE, _CALENDAR = ("VCALENDAR", "VEVENT"), ("VCALENDAR", "VTIMEZONE"), ("VCALENDAR",)
_OBSERVANCES = ((*_ZONE, "STANDARD"), (*_ZONE, "DAYLIGHT"))
LINK_PROPERTIES = (
    "CONFERENCE", "X-GOOGLE-CONFERENCE", "X-MICROSOFT-SKYPETEAMSMEETINGURL", "X-MICROSOFT-ONLINEMEETINGCONFLINK",
)  # fmt: skip
"""Properties of an event that hold the address of a video call (RFC 7986 §5.11 and makers' own)."""
RULE = "X-RULE-AS-IT-CAME"
"""Property that keeps an event's rule without the end that it was given for reading."""
_DATES = frozenset({"RDATE", "EXDATE"})
_TEXTS = frozenset({"DESCRIPTION"})
_KEPT: Mapping[tuple[str, ...], frozenset[str]] = {
    _CALENDAR: frozenset({"VERSION", "PRODID", "METHOD"}),
    _EVENT: frozenset(
        {"UID", "DTSTAMP", "DTSTART", "DTEND", "DURATION", "RRULE", "RECURRENCE-ID", "SEQUENCE", "STATUS", "SUMMARY",
         "LOCATION", "URL", "ORGANIZER", "ATTENDEE", "TRANSP", "COMMENT", *_DATES, *_TEXTS, *LINK_PROPERTIES}
    ),
    _ZONE: frozenset({"TZID"}),
    **dict.fromkeys(
        _OBSERVANCES, frozenset({"DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE", "RDATE", "TZNAME"})
    ),
}  # fmt: skip

_BAD_RULE = "How it repeats could not be read; only the first time is shown."
_BAD_ZONE = "A time zone that the calendar defines is beyond what is read."
_SECOND = "The calendar part holds a second calendar, which is not read."
_MANY_EVENTS = f"The calendar holds more events than are read; the first {MAX_EVENTS} are."


@dataclass(slots=True)
class BoundedCalendar:
    """What is left of a calendar part."""

    text: str = ""
    """One VCALENDAR with its time zones first, then its events."""
    notes: list[str] = field(default_factory=list)
    """What was left out although it matters, one sentence each."""


@dataclass(slots=True)
class _Block:
    """One top-level component and its lines."""

    lines: list[str]
    counts: Counter[str] = field(default_factory=Counter)
    readable: bool = True


def bounded(text: str, *, year: int) -> BoundedCalendar:
    """The calendar with nothing but what an invitation needs, its rules ending some years after `year`.

    Raises `ProviderError` when the components do not close, as in a calendar that was cut off.
    """
    found = BoundedCalendar()
    lines = _unfolded(text)
    if sum(line.strip().upper() == "BEGIN:VCALENDAR" for line in lines) > 1:
        found.notes.append(_SECOND)
    properties: list[str] = []
    blocks: dict[tuple[str, ...], list[_Block]] = {_ZONE: [], _EVENT: []}
    for path, line in _walk(lines):
        if path == _CALENDAR:
            properties.extend(_property(line, path))
        elif path in blocks and line.upper().startswith("BEGIN:"):
            blocks[path].append(_Block([line]))
        elif path[:2] in blocks:
            _take(blocks[path[:2]][-1], path, line)
    kept = [*_zones(blocks[_ZONE], found), *_events(blocks[_EVENT], found, year)]
    found.notes = list(dict.fromkeys(found.notes))
    defined = {
        _unquoted(line.partition(":")[2])
        for block in blocks[_ZONE]
        for line in block.lines
        if _name(line) == "TZID"
    }
    kept_lines = [
        "BEGIN:VCALENDAR",
        *properties,
        *(_with_zone(line, defined) for block in kept for line in block.lines),
        "END:VCALENDAR",
    ]
    found.text = "\n".join(kept_lines) + "\n"
    return found


def _with_zone(line: str, defined: Collection[str] | None = None) -> str:
    """The line with its zone's name in quotes, as it must be; and under its usual one where the calendar does not define it."""
    found = _TZID.match(line)
    if found is None:
        return line
    name = _unquoted(found["name"])
    if defined is not None and name not in defined:
        name = iana_name(name) or name
    return f'{line[: found.start("name")]}"{name}"{line[found.end("name") :]}'


def _unquoted(name: str) -> str:
    return name.strip().strip('"')


def _unfolded(text: str) -> list[str]:
    """The content lines (RFC 5545 §3.1)."""
    return [line for line in re.sub(r"\n[ \t]", "", text).split("\n") if line.strip()]


def _walk(lines: Iterable[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each line of the first calendar with the components it stands in, for BEGIN and END their own included.

    Without recursion, because components may be nested as deeply as somebody likes.
    """
    stack: list[str] = []
    for line in lines:
        boundary = _BOUNDARY.fullmatch(line)
        if boundary is None:
            if stack and len(stack) <= 3:
                yield tuple(stack), line
            continue
        component = boundary["component"].upper()
        if boundary["kind"].upper() == "BEGIN":
            stack.append(component)
        elif not stack or stack[-1] != component:
            raise ProviderError("its components do not close")
        if 2 <= len(stack) <= 3:
            yield tuple(stack), line.strip()
        if boundary["kind"].upper() == "END":
            stack.pop()
            if not stack and component == "VCALENDAR":
                return
    if stack:
        raise ProviderError("it was cut off")


def _take(block: _Block, path: tuple[str, ...], line: str) -> None:
    """Put a line of a component where it belongs, if it is worth reading."""
    if path not in _KEPT:
        return
    if _BOUNDARY.fullmatch(line):
        block.lines.append(line)
        block.counts["observances"] += path in _OBSERVANCES and line.upper().startswith("BEGIN:")
        return
    for kept in _property(line, path):
        name = _name(kept)
        block.counts[name] += 1
        if name in _DATES:
            block.counts["dates"] += kept.count(",") + 1
        if name == "RRULE" and path != _EVENT:
            block.readable = block.readable and is_zone_rule_line(kept)
        if not (name == "ATTENDEE" and block.counts[name] > MAX_ATTENDEES):
            block.lines.append(kept)


def _property(line: str, path: tuple[str, ...]) -> Iterator[str]:
    name = _name(line)
    if name in _KEPT[path]:
        limit = _MAX_TEXT_LINE if name in _TEXTS else _MAX_DATE_LINE if name in _DATES else _MAX_LINE
        # A backslash at the cut would take the line's end for an escaped character.
        yield _with_zone(line if len(line) <= limit else line[:limit].rstrip("\\"))


def _name(line: str) -> str:
    found = _NAME.match(line)
    return found["name"].upper() if found else ""


def _zones(blocks: list[_Block], found: BoundedCalendar) -> list[_Block]:
    """The time zones that can be worked out in good time; a time in another one is then no time that can be told."""
    kept: list[_Block] = []
    left = _MAX_OBSERVANCES
    for block in blocks:
        left -= block.counts["observances"]
        if (
            block.readable
            and left >= 0
            and len(kept) < _MAX_ZONES
            and block.counts["RRULE"] <= block.counts["observances"]
        ):
            kept.append(block)
        else:
            found.notes.append(_BAD_ZONE)
    return kept


def _events(blocks: list[_Block], found: BoundedCalendar, year: int) -> list[_Block]:
    """The events, with repetitions that are beyond reading taken out."""
    if len(blocks) > MAX_EVENTS:
        found.notes.append(_MANY_EVENTS)
    for block in blocks[:MAX_EVENTS]:
        repeats = block.counts["RRULE"] or block.counts["RDATE"]
        if repeats and not _settle_rule(block, year):
            block.lines = [line for line in block.lines if _name(line) not in {"RRULE", *_DATES}]
            found.notes.append(_BAD_RULE)
        if block.counts["ATTENDEE"] > MAX_ATTENDEES:
            count = block.counts["ATTENDEE"]
            found.notes.append(f"It names {count} guests; the first {MAX_ATTENDEES} are kept.")
    return blocks[:MAX_EVENTS]


def _settle_rule(block: _Block, year: int) -> bool:
    """Give the event's rule an end; False when there is no following it."""
    start = next((found for line in block.lines if (found := _START.match(line))), None)
    if start is None or block.counts["RRULE"] > 1 or block.counts["dates"] > MAX_DATES:
        return False
    rules = [line.partition(":")[2] for line in block.lines if _name(line) == "RRULE"]
    settled = [_settled(line, int(start["year"]), year) for line in block.lines]
    block.lines = [line for line in settled if line]
    is_followed = len(block.lines) == len(settled)
    if is_followed:
        block.lines[1:1] = [f"{RULE}:{rule}" for rule in rules]
    return is_followed


def _settled(line: str, start: int, year: int) -> str:
    return (event_rule(line, start, year) or "") if _name(line) == "RRULE" else line
