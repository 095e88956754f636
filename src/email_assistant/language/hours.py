"""Times of day as people write them in digits: "10:00", "3 pm", "14 Uhr", "15h30", "between 2 and 4 pm"; and noon."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import time, tzinfo

from email_assistant.language.measures import SIGN
from email_assistant.language.time_words import AFTER_HOUR, BEFORE_HOUR, NOON
from email_assistant.language.zones import zone_at

_CLOCK = re.compile(
    r"(?P<pre>\b(?:at|um|gegen|ab|à|vers|a las?|sobre las|from|von|entre las|entre|between|zwischen|de las)\s|@\s?)?"
    rf"(?<![\d.,:/#])(?<!{SIGN})"
    r"(?P<h>\d{1,2})(?P<m>[:.h]\d{2}|:(?=\D))?(?![\d/%])"
    r"(?P<suffix>\s?(?:[ap]\.?\s?m\b\.?|uhr\b(?:\s?[0-5]\d\b)?|(?:heures?|horas)\b(?:\s[0-5]\d\b)?|h(?:rs?)?\b(?:\s?[0-5]\d\b)?|o'clock\b))?",
    re.IGNORECASE,
)
_ALSO_LENGTHS = re.compile(r"\s?(?:heures?|horas)\b", re.IGNORECASE)
"""Units by which lengths are told as well: they make a time only behind a preposition, or in a range."""
_DAY_BEFORE = re.compile(r"\S?\s{4,}$")
_DAY_BEHIND = re.compile(r",?\s(?:on|am|le|el)?\s{4,}")
"""A day that was blanked out."""
_FROM = re.compile(r"\b(?:de|du|von)\s$", re.IGNORECASE)
_SURE = re.compile(r"(?:a las?|sobre las)\s", re.IGNORECASE)
"""Prepositions that say by themselves that a number is a time."""
AFTER_BARE = re.compile(
    r"\s*(?:$|[,;.?!)]|(?:or|and|oder|und|ou|et|o|y|on|for|in|if|am|le|el|works?|sounds?|looks?|would|might|is|are|instead|please|sharp|suits?|fits?|could|can"
    r"|should|then|that|ginge|geht|passt|passen|wäre|würde|möglich|bei|in|[a-zäöü]{3,}en|–|-|to|bis)\b|[–-]|"
    r"\(?[A-Z]{2,4}\b|\(?\w+ time\b)"
)
"""What may stand behind a mere number that is a time: no noun, which would be counted by it."""
_RANGE = re.compile(
    r"\s?(?:(?:-|–|—|~|to|till|until|bis|and|und|et|y|à|a)\s?(?:las\s)?)",
    re.IGNORECASE,
)
_OR_THEN = re.compile(r"\s(?:or|oder|ou|o|and|und|et|y)\s|\s?/\s?", re.IGNORECASE)
"""Between a time and a number that is one as well: "at 10 or 11"."""
_OPEN_HOUR = 7
"""Of the morning or of the evening, where nobody says which."""
_AND = frozenset({"and", "und", "et", "y", "a", "y las"})
_WINDOW = re.compile(r"\b(?:between|zwischen|entre(?: las)?)\s$", re.IGNORECASE)
_OPENED = frozenset({"von", "de", "de las"})


@dataclass(frozen=True, slots=True)
class FoundHour:
    """A time of day named at a place of a text; `until` when a range was given, `zone` when one was named."""

    start: int
    end: int
    at: time
    until: time | None = None
    zone: tzinfo | None = None
    unclear: bool = False
    """Whether it may as well be the other half of the day: seven, or three by a clock of 24 hours."""
    latest: time | None = None
    """The end of a time within which something may be: "between 2 and 4"."""


@dataclass(frozen=True, slots=True)
class _Token:
    match: re.Match[str]
    hour: int
    minute: int
    half: str
    """ "am", "pm", or "" when the text does not say."""
    plain: bool
    """Whether it is a mere number that may mean anything."""
    end: int
    """Where it ends, with the part of the day behind it."""


def find_hours(text: str, own: tzinfo, *, whole: str = "") -> tuple[FoundHour, ...]:
    """The times of day in a sentence whose days were blanked out, in order.

    A zone named once in the sentence holds for all of its times. Hours from 1 to 6 without "am" or a leading
    zero are afternoon hours. `own` is the user's zone, for "your time". `whole` is the sentence with its days, which may say which part
    of the day is meant ("this evening at 8").
    """
    whole = whole or text
    said = list(_noons(text, own))
    hours = [
        *said,
        *(hour for hour in _clocks(text, own, whole) if not any(_overlap(hour, each) for each in said)),
    ]
    zones = {str(hour.zone): hour.zone for hour in hours if hour.zone}
    only = next(iter(zones.values())) if len(zones) == 1 else None
    return tuple(replace(h, zone=h.zone or only) for h in sorted(hours, key=lambda hour: hour.start))


def _overlap(one: FoundHour, other: FoundHour) -> bool:
    return one.start < other.end and other.start < one.end


def _noons(text: str, own: tzinfo) -> Iterator[FoundHour]:
    for match in NOON.finditer(text):
        yield FoundHour(match.start(), match.end(), time(12), zone=zone_at(text, match.end(), own))


def _part(text: str, start: int, end: int) -> tuple[str, int]:
    """Which half of the day is named beside a time, and where that ends."""
    for pattern, half in AFTER_HOUR:
        if part := pattern.match(text, end):
            return half, part.end()
    before = text[max(0, start - 30) : start]
    return next((half for pattern, half in BEFORE_HOUR if pattern.search(before)), ""), end


def _clocks(text: str, own: tzinfo, whole: str) -> Iterator[FoundHour]:
    tokens = [token for match in _CLOCK.finditer(text) if (token := _token(match, whole))]
    index, accepted = 0, -1
    while index < len(tokens):
        first = tokens[index]
        second = tokens[index + 1] if index + 1 < len(tokens) else None
        if second and _is_range(first, second, text):
            yield _range(first, second, text, own)
            index += 2
            continue
        if _stands_alone(first, text) or (
            accepted >= 0 and _OR_THEN.fullmatch(text, accepted, first.match.start())
        ):
            accepted = first.end
            at = _time(first)
            is_open = not first.half and (
                at.hour < _OPEN_HOUR or (at.hour == _OPEN_HOUR and not _counts_to_24(first))
            )
            zone = _zone(text, first, own)
            yield FoundHour(first.match.start(), first.end, at, zone=zone, unclear=is_open)
        index += 1


def _token(match: re.Match[str], whole: str) -> _Token | None:
    suffix = (match["suffix"] or "").strip().lower().replace(".", "").replace(" ", "")
    minutes = match["m"][1:] if match["m"] else ""
    if not minutes and (inner := re.search(r"(?:uhr|heures?|horas|hr?s?)(\d{1,2})", suffix)):
        minutes = inner[1]
    hour, minute, end = int(match["h"]), int(minutes or 0), match.end()
    half = suffix[:2] if suffix[:2] in {"am", "pm"} else ""
    if not half:
        half, end = _part(whole, match.start(), end)
        half = "" if half == "pm" and hour >= 12 else half
    if hour > 23 or minute > 59 or (half and suffix[:2] == half and not 1 <= hour <= 12):
        return None
    if match["m"] and match["m"][0] == "." and not (suffix or match["pre"]):
        return None
    return _Token(match, hour, minute, half, not (minutes or suffix or half), end)


def _is_range(first: _Token, second: _Token, text: str) -> bool:
    start, end = first.match.start("h"), second.match.start("h")
    between = _RANGE.fullmatch(text, first.match.end(), end)
    if not between:
        return False
    opened = first.match["pre"] or (_FROM.search(text, 0, start) or [""])[0]
    if text[first.match.end() : end].strip().lower() in _AND:
        return bool(_WINDOW.search(opened)) or (opened.strip().lower() in _OPENED and not second.plain)
    beside = _DAY_BEFORE.search(text, 0, start) or _DAY_BEHIND.match(text, second.end)
    return not (first.plain and second.plain) or bool(opened or beside)


def _range(first: _Token, second: _Token, text: str, own: tzinfo) -> FoundHour:
    end = _time(second)
    half = first.half
    if not half and second.half == "pm" and first.hour < 12 and (first.hour % 12) < (second.hour % 12 or 12):
        half = "pm" if second.hour != 12 else ""
    elif not half and second.half == "am":
        half = "am"
    start = _time(replace(first, half=half))
    window = bool(_WINDOW.search(first.match["pre"] or ""))
    until, latest = (None, end) if window else (end if end > start else None, None)
    zone = _zone(text, second, own)
    return FoundHour(first.match.start(), second.end, start, until, zone, latest=latest)


def _stands_alone(token: _Token, text: str) -> bool:
    match = token.match
    if token.plain:
        if match["pre"] is None or token.hour == 0:
            return False
        return bool(_SURE.fullmatch(match["pre"]) or AFTER_BARE.match(text, match.end()))
    if _ALSO_LENGTHS.match(match["suffix"] or "") and not (match["pre"] or token.half):
        return _DAY_BEFORE.search(text[: match.start()]) is not None
    # "1:50" alone is more often a scale or a score than a time in the night.
    colon = match["m"] and not match["suffix"] and not token.half and not match["pre"]
    return not (colon and token.hour < 7 and len(match["h"]) == 1)


def _time(token: _Token) -> time:
    hour = token.hour
    if token.half == "pm" and hour < 12:
        hour += 12
    elif token.half == "am" and hour == 12:
        hour = 0
    elif not token.half and 1 <= hour <= 6 and len(token.match["h"]) == 1 and not _is_24_hours(token):
        hour += 12
    return time(hour, token.minute)


def _is_24_hours(token: _Token) -> bool:
    """Whether the way it is written counts to 24: "3 Uhr", "3h"."""
    return bool(re.match(r"\s?(?:uhr|heures?|horas|h)", token.match["suffix"] or "", re.IGNORECASE))


def _counts_to_24(token: _Token) -> bool:
    """Whether seven is the morning's: by its unit, or by its zero."""
    return _is_24_hours(token) or len(token.match["h"]) == 2


def _zone(text: str, token: _Token, own: tzinfo) -> tzinfo | None:
    return zone_at(text, token.end, own)
