"""Money, percentages, quantities with a unit (lengths of time among them) and bare numbers."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import chain

from email_assistant.facts.fact import Claim, Key
from email_assistant.language.lengths import Length, lengths
from email_assistant.language.money import amounts
from email_assistant.language.number_words import number_words
from email_assistant.language.numbers import Number, numbers, percent_after, shown

_UNITS = {
    "months": "months month monate monat monaten mois mes meses",
    "years": "years year jahre jahr jahren ans an années año años", "g": "g gram grams gramm", "kg": "kg kilo kilos kilograms",
    "mm": "mm", "cm": "cm", "m": "m metres meters metre meter metros mètres", "km": "km kilometer kilometers kilometres",
    "m2": "m2 sqm qm", "l": "l litres liters litre liter", "ml": "ml", "kw": "kw", "w": "w watt watts", "kwh": "kwh",
    "gb": "gb", "mb": "mb", "tb": "tb", "inch": "inch inches zoll", "ft": "ft feet foot",
    "pieces": "pcs pc pieces piece stück stk unités pièces piezas unidades",
}  # fmt: skip
_UNIT = {name: unit for unit, names in _UNITS.items() for name in names.split()}
_METRIC: dict[str, tuple[str, Decimal]] = {
    "kg": ("g", Decimal(1000)),
    "km": ("m", Decimal(1000)),
    "cm": ("m", Decimal("0.01")),
    "mm": ("m", Decimal("0.001")),
}
_UNIT_AFTER = re.compile(r"[\s-]?(?P<u>[^\W\d_]+[2²]?)(?![\w])")
_FRACTION = re.compile(r"(?<!\d)(?:(?P<n>\d{1,6})\s?)?(?P<f>[¼½¾])")
_FRACTIONS = {"¼": Decimal("0.25"), "½": Decimal("0.5"), "¾": Decimal("0.75")}
# "a week" is a length of time after these, and an idiom elsewhere ("have a good week").
_A_WHILE = re.compile(
    r"\b(?:in|within|for|after|takes|about|another|binnen|innerhalb|nach|dans|pendant|dentro de|durante)\s"
    r"(?:about\s|only\s|just\s|von\s)?$",
    re.IGNORECASE,
)
_NOUNS = re.compile(r"(?:\s?x)?[\s-](?P<a>[^\W\d_]{3,})(?:[\s-](?P<b>[^\W\d_]{3,}))?")
_LIST_MARK = re.compile(r"(?:^|\n)[ \t>*-]*$")
_IDIOMS = re.compile(r"24/7|\b24-7\b|\b365 days\b", re.IGNORECASE)


def idioms(text: str) -> Iterator[tuple[int, int]]:
    """Figures of speech that count nothing."""
    return (match.span() for match in _IDIOMS.finditer(text))


def money(text: str) -> Iterator[Claim]:
    """Amounts with a currency before or after."""
    for amount in amounts(text):
        keys: Iterator[Key] = (("money", amount.currency, shown(value)) for value in amount.readings)
        yield Claim("money", amount.start, amount.end, frozenset(keys))


def quantities(text: str) -> Iterator[Claim]:
    """Percentages, quantities with units, and other numbers, in digits or words, longest reading first."""
    fractions = (
        Number(m.start(), m.end(), (Decimal(m["n"] or 0) + _FRACTIONS[m["f"]],))
        for m in _FRACTION.finditer(text)
    )
    words = (number for number in number_words(text) if number.value)
    for length in lengths(text):
        if not length.bare or _counts_one(text, length.start):
            yield Claim("quantity", length.start, length.end, frozenset({_length_key(length)}))
    for number in chain(fractions, words, numbers(text)):
        claim = _claim(text, number)
        if not number.bare or (claim.kind != "number" and _counts_one(text, number.start)):
            yield claim


def _length_key(length: Length) -> Key:
    if length.unit == "working_day":
        return "quantity", "working days", shown(length.count)
    return "quantity", "minutes", shown(length.minutes)


def _counts_one(text: str, start: int) -> bool:
    """Whether "one" or an article counts: where it says "one", or behind a word that a length follows."""
    return text.startswith(("one ", "One "), start) or bool(_A_WHILE.search(text, max(0, start - 40), start))


def _claim(text: str, number: Number) -> Claim:
    start, end, values = number.start, number.end, number.readings
    if (percent := percent_after(text, end)) >= 0:
        return Claim("percentage", start, percent, frozenset(("percentage", shown(n)) for n in values))
    unit = _UNIT_AFTER.match(text, end)
    if unit and unit["u"].lower() in _UNIT and unit.group() != "-m":
        return Claim("quantity", start, unit.end(), _unit_keys(unit["u"].lower(), values))
    nouns = _NOUNS.match(text, end)
    found = tuple(word.lower()[:5] for word in nouns.groups() if word) if nouns else ()
    return Claim("number", start, end, frozenset(("number", shown(n)) for n in values), nouns=found)


def is_list_mark(text: str, start: int, end: int) -> bool:
    """Whether a number begins a line as "1." or "2)" does."""
    return text[end : end + 1] in {".", ")"} and bool(_LIST_MARK.search(text[max(0, start - 20) : start]))


def _unit_keys(name: str, numbers: Iterable[Decimal]) -> frozenset[Key]:
    unit = _UNIT[name.replace("²", "2")]
    metric, factor = _METRIC.get(unit, (unit, Decimal(1)))
    return frozenset(("quantity", metric, shown(n * factor)) for n in numbers)
