"""Numbers with a unit: amounts of money ("€ 1.240,00", "CHF 2'500.–", "2 Mio. Euro", "10–12 €") and lengths of time ("45 minutes",
"anderthalb Stunden", "three working days").
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from typing import Literal

from email_assistant.language.numbers import DIGITS, NUMBER, Number, number_words, numbers, readings
from email_assistant.language.text import fold
from email_assistant.language.words import COMMON, WORDS

with COMMON.section("money") as section:
    _CURRENCIES = section.entries("currencies")
    _SCALE_OF = {
        name: Decimal(factor) for factor, names in section.entries("scales").items() for name in names.split()
    }
_CODE = {name: code for code, names in _CURRENCIES.items() for name in names.split()}


def _any(names: list[str]) -> str:
    # "30 Sek." are seconds.
    written = [
        re.escape(name).replace("sek", "(?-i:SEK|sek)") for name in sorted(names, key=len, reverse=True)
    ]
    return "|".join(written)


_AFTER = rf"(?:{_any(list(_CODE))})(?![^\W\d_])"
_BEFORE = (
    rf"(?<![^\W\d_])(?:{_any([n for n in _CODE if not n.isalpha() or len(n) == 3 or n in {'kr', 'euro'}])})"
)
SIGN = "[€$£¥₹₺₽₩]"
"""A currency's sign, as a pattern for phrases that speak of money without an amount to read."""
CURRENCY = rf"(?:(?<![^\W\d_]){_AFTER})"
"""Any currency's sign, code or name, as a pattern that ignores case."""
_SCALE = rf"(?:\s?(?P<scale>{_any(list(_SCALE_OF))})(?!\w)(?:\sd[e'](?=\s?\w))?)?"
_ENDS = r"(?:[.,]?[-–—]{1,2}(?![\w-])|[.,][-–—]{1,2})?"
_TO = r"\s?(?:-|–|—|to|bis|à|a)\s?"
_AND = r"\s(?:and|und|et|y)\s"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<c>{_BEFORE})\s?(?P<n>{DIGITS})(?:(?:-|–)(?P<more>{DIGITS})(?![\w.-]))?(?!\s?(?:uhr|h)\b){_ENDS}{_SCALE}",
        rf"(?P<n>{NUMBER}){_ENDS}{_SCALE}[\s-]?(?P<c>{_AFTER})(?P<cents>(?<=[€$£])\d\d(?!\d|[.,]\d))?",
        rf"(?<![\w.,-])(?P<n>{DIGITS}){_TO}(?P<more>{DIGITS}){_SCALE}\s?(?P<c>{_AFTER})",
        rf"\b(?:between|zwischen|entre)\s(?P<n>{DIGITS}){_AND}(?P<more>{DIGITS}){_SCALE}\s?(?P<c>{_AFTER})",
        r"(?<![\w.,])(?P<n>\d{1,3})(?P<c>p)\b(?<!240p)(?<!360p)(?<!480p)(?<!720p)",
    )
)
_ISO = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(filter(str.isupper, _CURRENCIES))})(?![^\W\d_])")
_BEHIND = re.compile(rf"[\s-](?P<c>{_AFTER})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amount:
    """So much of a currency, at a place of a text; of "-5 €" the 5: what is taken and what is given, the sentence says."""

    start: int
    end: int
    readings: tuple[Decimal, ...]
    """What it may mean, the likeliest first: of "€ 1.240" 1240, then 1.24."""
    currency: str
    """ISO 4217, as far as its sign tells which; "kr" for crowns of any country, "cent" for hundredths of any currency."""

    @property
    def value(self) -> Decimal:
        """The likeliest reading."""
        return self.readings[0]


def amounts(text: str) -> Iterator[Amount]:
    """The amounts of a text in order, both ends of a range; of readings that overlap the one that begins first, and is longest."""
    return iter(_amounts(fold(text)))


@lru_cache(maxsize=8)  # A text is read for its amounts and for all that it claims.
def _amounts(folded: str) -> tuple[Amount, ...]:
    found = [_in_digits(match) for pattern in _PATTERNS for match in pattern.finditer(folded)]
    found += [[amount] for amount in _in_words(folded)]
    at, kept = 0, []
    for read in sorted(found, key=lambda read: (read[0].start, -read[-1].end)):
        if read[0].start >= at:
            kept += read
            at = read[-1].end
    return tuple(kept)


def codes_in(text: str) -> frozenset[str]:
    """The currencies (ISO 4217) that a text names by their codes in capitals, with or without an amount."""
    return frozenset(_ISO.findall(text))


def _in_digits(match: re.Match[str]) -> list[Amount]:
    groups = match.groupdict()
    code = "cent" if match["c"].lower() == "p" else _CODE[match["c"].lower()]
    scale = _SCALE_OF.get((groups.get("scale") or "").lower(), Decimal(1))
    first = readings(match["n"] + (f".{groups['cents']}" if groups.get("cents") else ""))
    ends = [tuple(value * scale for value in first)]
    if not groups.get("more"):
        return [Amount(match.start(), match.end(), ends[0], code)]
    ends += [tuple(value * scale for value in readings(match["more"]))]
    start, between, end = min(match.start("c"), match.start("n")), match.start("more"), match.end()
    return [Amount(start, match.end("n"), ends[0], code), Amount(between, end, ends[1], code)]


def _in_words(text: str) -> Iterator[Amount]:
    """ "a" and "one" are numbers only before a currency's name, not before its code."""
    if not _BEHIND.search(text):
        return
    for number in number_words(text):
        unit = _BEHIND.match(text, number.end)
        if unit and not (number.bare and len(unit["c"]) <= 3):
            yield Amount(number.start, unit.end(), number.readings, _CODE[unit["c"].lower()])


Unit = Literal["minute", "hour", "day", "working_day", "week"]
MINUTES: dict[Unit, int] = {"minute": 1, "hour": 60, "day": 1440, "working_day": 1440, "week": 10_080}
"""Minutes of each unit: a day has 24 hours, a working day is a day that is counted."""
_UNIT = re.compile(
    r"(?:[\s-]|d')?(?:"
    r"(?P<minute>(?:min|mins|minutes?|minuten?|minutos?)(?![^\W\d_]))"
    r"|(?P<hour>(?:hours?|hrs?|h|stunden?|heures?|horas?)(?![^\W\d_]))"
    r"|(?P<working_day>(?:(?:business|working|work)[\s-]?days?|(?:werk|arbeits)tage?n?|jours? ouvr(?:és?|ables?))(?![^\W\d_]))"
    r"|(?P<day>(?:days?|tage?[ns]?|jours?|días?|dias?)(?![^\W\d_]))"
    r"|(?P<week>(?:weeks?|wochen?|semaines?|semanas?)(?![^\W\d_])))",
    re.IGNORECASE,
)
_HOURS_AND_MINUTES = re.compile(r"(?<![\d:.,])(?P<h>\d)\s?h\s?(?P<m>[0-5]\d)(?!\d)", re.IGNORECASE)
with WORDS.section("lengths") as section:
    _HALVES = section.pattern(r"\s(?:{halves})\b")
    _PHRASES = (
        (section.pattern("{one_and_a_half}"), Decimal("1.5")),
        (section.pattern(r"\b(?:{three_quarters})\b"), Decimal("0.75")),
        (section.pattern(r"\b(?:{half})\b"), Decimal("0.5")),
        (section.pattern(r"\b(?:{quarter})\b"), Decimal("0.25")),
    )
    """Parts of hours in words, and how many hours they are."""


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
        Length(each.start(), each.end(), Decimal(int(each["h"]) * 60 + int(each["m"])), "minute")
        for each in _HOURS_AND_MINUTES.finditer(folded)
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
    if unit is None:
        return None
    name = next(name for name in MINUTES if unit[name])
    half = _HALVES.match(text, unit.end())
    count = number.value + (Decimal("0.5") if half else 0)
    return Length(number.start, half.end() if half else unit.end(), count, name, number.bare and not half)
