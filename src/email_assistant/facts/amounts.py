"""Money, percentages, quantities with a unit (lengths of time among them) and bare numbers."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import chain

from email_assistant.facts.fact import Claim, Key
from email_assistant.language.money import amounts
from email_assistant.language.number_words import number_words
from email_assistant.language.numbers import Number, numbers, percent_after, shown

_UNITS = {
    "minutes": (1, "minutes minute min mins minuten minuto minutos"),
    "hours": (60, "hours hour hrs hr h std stunde stunden heure heures hora horas"),
    "days": (1440, "days day tage tag tagen tages jour jours día días"),
    "weeks": (10080, "weeks week woche wochen semaine semaines semana semanas"),
}
_OTHER_UNITS = {
    "working days": "workday workdays werktage werktagen arbeitstage arbeitstagen", "months": (
        "months month monate monat monaten mois mes meses"),
    "years": "years year jahre jahr jahren ans an années año años", "g": "g gram grams gramm", "kg": "kg kilo kilos kilograms",
    "mm": "mm", "cm": "cm", "m": "m metres meters metre meter metros mètres", "km": "km kilometer kilometers kilometres",
    "m2": "m2 sqm qm", "l": "l litres liters litre liter", "ml": "ml", "kw": "kw", "w": "w watt watts", "kwh": "kwh",
    "gb": "gb", "mb": "mb", "tb": "tb", "inch": "inch inches zoll", "ft": "ft feet foot",
    "pieces": "pcs pc pieces piece stück stk unités pièces piezas unidades",
}  # fmt: skip
_UNIT = {name: (unit, Decimal(1)) for unit, names in _OTHER_UNITS.items() for name in names.split()}
_UNIT |= {name: ("minutes", Decimal(factor)) for factor, names in _UNITS.values() for name in names.split()}
_METRIC: dict[str, tuple[str, Decimal]] = {
    "kg": ("g", Decimal(1000)),
    "km": ("m", Decimal(1000)),
    "cm": ("m", Decimal("0.01")),
    "mm": ("m", Decimal("0.001")),
}
_WORKING = re.compile(r"[\s-]?(?:working|business|work)\s?-?days?\b", re.IGNORECASE)
_UNIT_AFTER = re.compile(r"[\s-]?(?P<u>[^\W\d_]+[2²]?)(?![\w])")
_FRACTION = re.compile(r"(?<!\d)(?:(?P<n>\d{1,6})\s?)?(?P<f>[¼½¾])")
_FRACTIONS = {"¼": Decimal("0.25"), "½": Decimal("0.5"), "¾": Decimal("0.75")}
# "a week" is a length of time after these, and an idiom elsewhere ("have a good week").
_A_WHILE = re.compile(
    r"\b(?:in|within|for|after|takes|about|another|binnen|innerhalb|nach|dans|pendant|dentro de|durante)\s"
    r"(?:about\s|only\s|just\s|von\s)?(?P<span>(?:an?|one|eine[rsmn]?|une?|una)\s(?P<u>[^\W\d_]+))\b",
    re.IGNORECASE,
)
_ONE = re.compile(r"\bone\s(?P<u>[^\W\d_]+)\b", re.IGNORECASE)
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
    words = (number for number in number_words(text) if number.value and not number.bare)
    for number in chain(fractions, words, numbers(text)):
        yield _claim(text, number)
    for match in _A_WHILE.finditer(text):
        if match["u"].lower() in _UNIT:
            yield Claim(
                "quantity", match.start("span"), match.end(), _unit_keys(match["u"].lower(), {Decimal(1)})
            )
    for match in _ONE.finditer(text):
        if match["u"].lower() in _UNIT:
            yield Claim("quantity", match.start(), match.end(), _unit_keys(match["u"].lower(), {Decimal(1)}))


def _claim(text: str, number: Number) -> Claim:
    start, end, values = number.start, number.end, number.readings
    if (percent := percent_after(text, end)) >= 0:
        return Claim("percentage", start, percent, frozenset(("percentage", shown(n)) for n in values))
    if working := _WORKING.match(text, end):
        return Claim("quantity", start, working.end(), _unit_keys("workdays", values))
    unit = _UNIT_AFTER.match(text, end)
    if (
        unit
        and unit["u"].lower() in _UNIT
        and not (unit["u"] in {"h", "m"} and text[end] != " " and "-" in unit.group())
    ):
        return Claim("quantity", start, unit.end(), _unit_keys(unit["u"].lower(), values))
    nouns = _NOUNS.match(text, end)
    found = tuple(word.lower()[:5] for word in nouns.groups() if word) if nouns else ()
    return Claim("number", start, end, frozenset(("number", shown(n)) for n in values), nouns=found)


def is_list_mark(text: str, start: int, end: int) -> bool:
    """Whether a number begins a line as "1." or "2)" does."""
    return text[end : end + 1] in {".", ")"} and bool(_LIST_MARK.search(text[max(0, start - 20) : start]))


def _unit_keys(name: str, numbers: Iterable[Decimal]) -> frozenset[Key]:
    unit, factor = _UNIT[name.replace("²", "2")]
    metric, more = _METRIC.get(unit, (unit, Decimal(1)))
    return frozenset(("quantity", metric, shown(n * factor * more)) for n in numbers)
