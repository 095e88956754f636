"""Lengths of time: "45 minutes", "half an hour", "anderthalb Stunden", "in vier Wochen", "three working days", "30分"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Literal

from email_assistant.language.folding import fold
from email_assistant.language.number_words import number_words
from email_assistant.language.numbers import Number, numbers

Unit = Literal["minute", "hour", "day", "working_day", "week"]
MINUTES: dict[Unit, int] = {"minute": 1, "hour": 60, "day": 1440, "working_day": 1440, "week": 10_080}
"""Minutes of each unit: a day has 24 hours, a working day is a day that is counted."""
_UNIT = re.compile(
    r"(?:[\s-]|d')?(?:"
    r"(?P<minute>(?:min|mins|minutes?|minuten?|minutos?|minut[io])(?![^\W\d_])|分)"
    r"|(?P<hour>(?:hours?|hrs?|h|stunden?|heures?|horas?|or[ae]|uur)(?![^\W\d_])|時間)"
    r"|(?P<working_day>(?:(?:business|working|work)[\s-]?days?|(?:werk|arbeits)tage?n?|jours? ouvr(?:és?|ables?)|werkdagen)(?![^\W\d_]))"
    r"|(?P<day>(?:days?|tage?[ns]?|jours?|días?|dias?|giorn[io]|dag(?:en)?)(?![^\W\d_]))"
    r"|(?P<week>(?:weeks?|wochen?|semaines?|semanas?|settiman[ae]|weken)(?![^\W\d_])))",
    re.IGNORECASE,
)
_HALVES = re.compile(r"\s(?:and a half|und eine halbe|et demie?|y media|e mezza)\b", re.IGNORECASE)
_PHRASES: tuple[tuple[re.Pattern[str], Decimal], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), Decimal(hours))
    for pattern, hours in (
        (r"\b(?:one and a half hours|anderthalb stunden|eineinhalb stunden)\b|1時間半", "1.5"),
        (r"\b(?:three[- ]quarters of an hour|dreiviertelstunde|trois quarts d'heure)\b", "0.75"),
        (r"\b(?:half an hour|half[- ]hour|halbe(?:n|s)? stunde|(?:une )?demi-heure|media hora|mezz'?ora|half uur)\b", "0.5"),
        (r"\b(?:quarter of an hour|viertelstunde|quart d'heure|cuarto de hora|kwartier)\b", "0.25"),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Length:
    """A length of time, at a place of a text."""

    start: int
    end: int
    count: Decimal
    unit: Unit
    bare: bool = False
    """Whether its number is an article: "a week" may be a length, or a figure of speech ("have a good week" is none of these)."""

    @property
    def minutes(self) -> Decimal:
        """The length in minutes."""
        return self.count * MINUTES[self.unit]


def lengths(text: str) -> Iterator[Length]:
    """The lengths of time in a text in order; of those that overlap the one that begins first, and is longest."""
    folded = fold(text)
    found = [
        Length(match.start(), match.end(), hours, "hour")
        for pattern, hours in _PHRASES
        for match in pattern.finditer(folded)
    ]
    found += [
        length
        for number in chain(numbers(folded), number_words(folded))
        if (length := _length(folded, number)) is not None
    ]
    at = 0
    for length in sorted(found, key=lambda length: (length.start, -length.end)):
        if length.start >= at:
            yield length
            at = length.end


def _length(text: str, number: Number) -> Length | None:
    unit = _UNIT.match(text, number.end)
    # "15時30分" is a time of day.
    if unit is None or (text[number.start - 1 : number.start] == "時" and unit["minute"]):
        return None
    name = next(name for name in MINUTES if unit[name])
    half = _HALVES.match(text, unit.end())
    count = number.value + (Decimal("0.5") if half else 0)
    return Length(number.start, half.end() if half else unit.end(), count, name, number.bare and not half)
