"""Times of day as people write them: "10:00", "3 pm", "14 Uhr", "15h30", "15時", "between 2 and 4 pm"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import time, tzinfo

from email_assistant.language.money import SIGN
from email_assistant.language.zones import zone_at

_CLOCK = re.compile(
    r"(?P<pre>\b(?:at|um|gegen|ab|à|vers|a las?|sobre las|from|von|entre las|entre|between|zwischen)\s|@\s?)?"
    r"(?P<jp>午前|午後)?"
    rf"(?<![\d.,:/#])(?<!{SIGN})"
    r"(?P<h>\d{1,2})(?P<m>[:.h]\d{2}|:(?=\D))?(?![\d/%])"
    r"(?P<suffix>\s?(?:[ap]\.?\s?m\b\.?|uhr\b(?:\s?[0-5]\d\b)?|h(?:rs?)?\b|o'clock\b|時(?:\d{1,2}分|半)?))?",
    re.IGNORECASE,
)
_NOON = re.compile(r"\b(?:noon|midday|zwölf uhr mittags|midi|mediodía)\b|正午", re.IGNORECASE)
_AFTER_BARE = re.compile(
    r"\s*(?:$|[,;.?!)]|(?:or|and|oder|und|ou|et|o|y|on|for|in|if|if|am|le|el|works?|would|would|might|–|-|to|bis)\b|[–-]|"
    r"\(?[A-Z]{2,4}\b|\(?\w+ time\b)"
)
_RANGE = re.compile(r"\s?(?:-|–|—|~|to|till|until|bis|and|und|et|y|à|a|から)\s?", re.IGNORECASE)
_WINDOW = re.compile(r"\b(?:between|zwischen|entre(?: las)?)\s$", re.IGNORECASE)
_MORNING = re.compile(
    r"[\s,]{0,2}(?:in the morning|morgens|früh|vormittags|du matin|de la mañana)\b", re.IGNORECASE
)
_EVENING = re.compile(
    r"[\s,]{0,2}(?:in the (?:afternoon|evening)|nachmittags|abends|de l'après-midi|du soir|de la (?:tarde|noche))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FoundHour:
    """A time of day named at a place of a text; `until` when a range was given, `zone` when one was named."""

    start: int
    end: int
    at: time
    until: time | None = None
    zone: tzinfo | None = None


@dataclass(frozen=True, slots=True)
class _Token:
    match: re.Match[str]
    hour: int
    minute: int
    half: str
    """ "am", "pm", or "" when the text does not say."""
    plain: bool
    """Whether it is a mere number that may mean anything."""


def find_hours(text: str, own: tzinfo) -> tuple[FoundHour, ...]:
    """The times of day in a sentence whose days were blanked out, in order.

    A zone named once in the sentence holds for all of its times. Hours from 1 to 6 without "am" or a leading
    zero are afternoon hours. `own` is the user's zone, for "your time".
    """
    hours = [*_clocks(text, own), *_noons(text, own)]
    zones = {str(hour.zone): hour.zone for hour in hours if hour.zone}
    only = next(iter(zones.values())) if len(zones) == 1 else None
    return tuple(replace(h, zone=h.zone or only) for h in sorted(hours, key=lambda hour: hour.start))


def _noons(text: str, own: tzinfo) -> Iterator[FoundHour]:
    for match in _NOON.finditer(text):
        yield FoundHour(match.start(), match.end(), time(12), zone=zone_at(text, match.end(), own))


def _clocks(text: str, own: tzinfo) -> Iterator[FoundHour]:
    tokens = [token for match in _CLOCK.finditer(text) if (token := _token(match, text))]
    index = 0
    while index < len(tokens):
        first = tokens[index]
        second = tokens[index + 1] if index + 1 < len(tokens) else None
        if second and _is_range(first, second, text):
            yield _range(first, second, text, own)
            index += 2
            continue
        if _stands_alone(first, text):
            end = first.match.end()
            yield FoundHour(first.match.start(), end, _time(first), zone=_zone(text, first.match, own))
        index += 1


def _token(match: re.Match[str], text: str) -> _Token | None:
    suffix = (match["suffix"] or "").strip().lower().replace(".", "").replace(" ", "")
    minutes = match["m"][1:] if match["m"] else ""
    if not minutes and (inner := re.search(r"(?:uhr|時)(半|\d{1,2})", suffix)):
        minutes = "30" if inner[1] == "半" else inner[1]
    hour, minute = int(match["h"]), int(minutes or 0)
    half = (
        suffix[:2] if suffix[:2] in {"am", "pm"} else {"午前": "am", "午後": "pm"}.get(match["jp"] or "", "")
    )
    if not half and _MORNING.match(text, match.end()):
        half = "am"
    elif not half and hour < 12 and _EVENING.match(text, match.end()):
        half = "pm"
    if hour > 23 or minute > 59 or (half and suffix[:2] == half and not 1 <= hour <= 12):
        return None
    if match["m"] and match["m"][0] == "." and not (suffix or match["pre"]):
        return None
    return _Token(match, hour, minute, half, plain=not (minutes or suffix or half))


def _is_range(first: _Token, second: _Token, text: str) -> bool:
    between = _RANGE.fullmatch(text, first.match.end(), second.match.start("h"))
    if not between:
        return False
    if text[first.match.end() : second.match.start("h")].strip().lower() in {"and", "und", "et", "y", "a"}:
        opened = first.match["pre"] or ""
        return bool(_WINDOW.search(opened)) or (opened.strip().lower() in {"von", "de"} and not second.plain)
    return not (first.plain and second.plain) or bool(first.match["pre"])


def _range(first: _Token, second: _Token, text: str, own: tzinfo) -> FoundHour:
    end = _time(second)
    half = first.half
    if not half and second.half == "pm" and first.hour < 12 and (first.hour % 12) < (second.hour % 12 or 12):
        half = "pm" if second.hour != 12 else ""
    elif not half and second.half == "am":
        half = "am"
    start = _time(replace(first, half=half))
    window = _WINDOW.search(first.match["pre"] or "")
    until = None if window or end <= start else end
    return FoundHour(first.match.start(), second.match.end(), start, until, _zone(text, second.match, own))


def _stands_alone(token: _Token, text: str) -> bool:
    match = token.match
    if token.plain:
        return (
            match["pre"] is not None and _AFTER_BARE.match(text, match.end()) is not None and token.hour > 0
        )
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
    """Whether the way it is written counts to 24: "3 Uhr", "3h", "3時"."""
    return bool(re.match(r"\s?(?:uhr|h|時)", token.match["suffix"] or "", re.IGNORECASE))


def _zone(text: str, match: re.Match[str], own: tzinfo) -> tzinfo | None:
    if text[: match.start("h")].rstrip().endswith("日本時間"):
        return zone_at("日本時間", 0, own)
    return zone_at(text, match.end(), own)
