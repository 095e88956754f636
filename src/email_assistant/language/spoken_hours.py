"""Times of day said in words: "half past nine", "halb zehn", "nove e mezza", "quinze para as dez"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import time

from email_assistant.language.folding import unaccented
from email_assistant.language.hour_words import NOON, SPOKEN, SPOKEN_SIGNS
from email_assistant.language.number_words import ARTICLES, languages_of, number_of

_ONES = {"una": "es it", "uma": "pt", "une": "fr", "een": "nl", "eins": "de", "one": "en", "l'una": "it"}
_IN_DIGITS = frozenset({"en", "de", "fr", "nl"})
"""Languages whose hours and minutes in digits are a clock's."""
_DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class SpokenHour:
    """A time in words at a place of a text."""

    start: int
    end: int
    at: time
    """By a clock of twelve hours where the hour is at most 12: who asks decides which half of the day is meant."""
    plain: bool = False
    """Whether it is a mere number behind a preposition."""


def spoken_hours(text: str) -> Iterator[SpokenHour]:
    """The times in words in order; where several readings begin at a place, the first of the table."""
    if not SPOKEN_SIGNS.search(text):
        return
    found: list[SpokenHour] = []
    for pattern, language, minutes in SPOKEN:
        for match in pattern.finditer(text):
            overlaps = any(each.start < match.end() and match.start() < each.end for each in found)
            if not overlaps and (at := _at(match, language, minutes)):
                found.append(SpokenHour(match.start(), match.end(), at, plain=minutes == 0))
    yield from sorted(found, key=lambda each: each.start)


def noons(text: str) -> Iterator[SpokenHour]:
    """Noon by its names, half past as some languages say it."""
    for match in NOON.finditer(text):
        yield SpokenHour(match.start(), match.end(), time(12, 30 if any(match.groupdict().values()) else 0))


def _at(match: re.Match[str], language: str, minutes: int) -> time | None:
    groups = match.groupdict()
    written, more = groups["h"] or "", groups.get("m")
    hour = _number(written, language)
    said = _number(more, language) if more else 0
    if hour is None or said is None or not 1 <= hour <= 24 or not 0 <= said <= 59:
        return None
    in_digits = written.isdecimal()
    if (
        in_digits
        and (minutes == 0 or (minutes == 1 and language in _IN_DIGITS))
        and (not more or more.isdecimal())
    ):
        return None  # Digits alone are no words.
    if in_digits and minutes == -1 and language == "en" and (more or "").isdecimal():
        return None  # "10 to 11" is a range.
    if in_digits and re.match(r"half \d", match.group(), re.IGNORECASE):
        return None  # Half past for some, half to for others.
    if minutes in {1, -1, -31, -29}:
        minutes = {1: said, -1: -said, -31: -30 - said, -29: said - 30}[minutes]
    total = hour * 60 + minutes
    total += 12 * 60 if total < 60 else 0
    return time(total % _DAY // 60, total % 60)


def _number(written: str, language: str) -> int | None:
    """A number of this language, in digits or in a word."""
    if written.isdecimal():
        return int(written)
    word = unaccented(written)
    if word in ARTICLES or word in _ONES:
        return 1 if language in _ONES.get(word, "") else None
    parts = word.replace("-", " ").split()
    return number_of(parts) if parts and all(language in languages_of(part) for part in parts) else None
