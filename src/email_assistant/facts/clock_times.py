"""Times of day and ranges of them as claims; a time with a zone is compared in UTC."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, tzinfo

from email_assistant.facts.fact import Claim, Key
from email_assistant.language.hours import find_hours

# After a space "12:00-15:00" is a range and no offset.
_STAMP = re.compile(
    r"(?<!\w)(?P<d>\d{4}-\d\d-\d\d)(?:T| (?=\d\d:\d\d(?:\D|$)))(?P<t>\d\d:\d\d)(?P<s>:\d\d(?:\.\d{1,6})?)?"
    r"(?P<z>\s?Z\b|\s?\+\d\d:?\d\d|(?<=:\d\d:\d\d)-\d\d:?\d\d)?(?!\d)"
)
_MAYBE = re.compile(r"\d|noon|midday|mittag|midi\b|mediodía", re.IGNORECASE)
_PIECE = re.compile(r"[^\n]{1,400}")


def stamps(text: str, zone: tzinfo) -> Iterator[tuple[Claim, Claim]]:
    """ISO 8601 date-times, as a date and a time in the user's zone."""
    for match in _STAMP.finditer(text):
        try:
            at = datetime.fromisoformat(f"{match['d']}T{match['t']}{(match['z'] or '').strip()}")
        except ValueError:
            continue
        local = at.astimezone(zone) if at.tzinfo else at
        day = frozenset({("date", local.date().isoformat()), ("near", local.date().isoformat())})
        cut = match.start() + 10
        yield (
            Claim("date", match.start(), cut, day),
            Claim("time", cut + 1, match.end(), _keys(at.time(), at.tzinfo, at.date(), zone)),
        )


def times(text: str, on: date, zone: tzinfo) -> Iterator[Claim]:
    """Times in a text whose dates were blanked out; `on` decides about summer time."""
    for piece in _PIECE.finditer(text):
        if not _MAYBE.search(piece.group()):
            continue
        for hour in find_hours(piece.group(), zone):
            start, end = _trimmed(piece.group(), hour.start, hour.end)
            first = _keys(hour.at, hour.zone, on, zone)
            parts = (
                (first, _keys(hour.until, hour.zone, on, zone))
                if hour.until
                else _ends(piece.group()[start:end], hour.at, first)
            )
            length = _length(hour.at, hour.until)
            yield Claim("time", piece.start() + start, piece.start() + end, first | length, parts=parts)


def _keys(at: time, named: tzinfo | None, on: date, zone: tzinfo) -> frozenset[Key]:
    written = at.strftime("%H:%M")
    if named is None:
        return frozenset({("time", written), ("unzoned", written)})
    moment = datetime.combine(on, at, named)
    local = moment.astimezone(zone).strftime("%H:%M")
    return frozenset({("time", local), ("zoned", moment.astimezone(UTC).strftime("%H:%M"))})


def _ends(written: str, at: time, first: frozenset[Key]) -> tuple[frozenset[Key], ...]:
    """The ends of "between 2 and 4 pm", of which the rules for meetings keep the first only."""
    inner = re.search(r"\D(\d{1,2})(?:[:.](\d\d))?\D*$", written[2:])
    if inner is None or not re.search(r"\b(?:and|und|et|y)\b|[-–—]|\bto\b", written, re.IGNORECASE):
        return ()
    hour, minute = int(inner[1]), int(inner[2] or 0)
    if hour < at.hour and hour < 12:
        hour += 12
    if hour > 23 or minute > 59 or time(hour, minute) == at:
        return ()
    last = f"{hour:02}:{minute:02}"
    return first, frozenset({("time", last), ("unzoned", last)})


def _length(start: time, end: time | None) -> frozenset[Key]:
    """How long a range is, which a draft may state."""
    if end is None:
        return frozenset()
    minutes = (end.hour - start.hour) * 60 + end.minute - start.minute
    return frozenset({("length", str(minutes))}) if minutes > 0 else frozenset()


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the preposition and the spaces that the recogniser takes in."""
    while (
        start < end
        and not text[start].isdecimal()
        and text[start : start + 2].lower() not in {"no", "mi", "zw", "me", "午前"}
    ):
        start += 1
    return start, end
