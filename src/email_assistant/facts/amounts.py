"""Money, percentages, quantities with a unit (lengths of time among them) and bare numbers."""

import re
from collections.abc import Iterator
from decimal import Decimal

from email_assistant.facts.fact import Claim, Key
from email_assistant.facts.numbers import NUMBER, number_words, shown, values

_CURRENCIES = {
    "EUR": "€ eur euro euros euró", "USD": "$ usd us$ dollar dollars bucks", "GBP": "£ gbp pound pounds pfund quid",
    "CHF": "chf fr. franken sfr francs", "JPY": "¥ jpy yen", "SEK": "sek", "NOK": "nok", "DKK": "dkk", "PLN": "pln zł", "CAD": "cad ca$",
    "AUD": "aud a$", "INR": "₹ inr rupees", "CZK": "czk kč", "HUF": "huf", "TRY": "₺", "RUB": "₽", "KRW": "₩",
    "kr": "kr kr. kronor kroner", "cent": "¢ ct cent cents pence rappen centimes céntimos",
}  # fmt: skip
_CURRENCY = {name: code for code, names in _CURRENCIES.items() for name in names.split()}
_AFTER = "|".join(
    sorted((re.escape(n) + (r"\b" if n[-1].isalpha() else "") for n in _CURRENCY), key=len, reverse=True)
)
_BEFORE = "|".join(
    sorted(
        (re.escape(n) for n in _CURRENCY if n == "kr" or not n.isalpha() or len(n) == 3),
        key=len,
        reverse=True,
    )
)
_SCALES = {"k": 1000, "thousand": 1000, "tausend": 1000, "mil": 1000, "mille": 1000, "million": 10**6, "millions": 10**6,
           "millionen": 10**6, "mio": 10**6, "m": 10**6, "bn": 10**9, "billion": 10**9, "milliarden": 10**9}  # fmt: skip
_SCALE = rf"(?:\s?(?P<scale>{'|'.join(sorted(_SCALES, key=len, reverse=True))})\b\.?(?!\w))?"
_MONEY_BEFORE = re.compile(
    rf"(?<!\w)(?P<c>{_BEFORE})\s?(?P<n>{NUMBER})(?:[.,][-–—]+)?{_SCALE}", re.IGNORECASE
)
_MONEY_AFTER = re.compile(rf"(?P<n>{NUMBER})(?:[.,][-–—]+)?{_SCALE}[\s-]?(?P<c>{_AFTER})", re.IGNORECASE)
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
_CURRENCY_WORD = re.compile(rf"[\s-](?P<c>{_AFTER})", re.IGNORECASE)
_SINGLE = re.compile(
    rf"\b(?P<n>(?P<none>zero|null|zéro|cero|nul)|an?|one|ein(?:en?|er)?|une?|un[oa])\s(?P<c>{_AFTER})",
    re.IGNORECASE,
)
_WORKING = re.compile(r"[\s-]?(?:working|business|work)\s?-?days?\b", re.IGNORECASE)
_UNIT_AFTER = re.compile(r"[\s-]?(?P<u>[^\W\d_]+[2²]?)(?![\w])")
_PERCENT = re.compile(
    r"\s?(?:%|percent\b|per cent\b|prozent\b|pour cent\b|por ciento\b|pct\b)", re.IGNORECASE
)
_DIGITS = re.compile(NUMBER)
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
    for pattern in (_MONEY_BEFORE, _MONEY_AFTER):
        for match in pattern.finditer(text):
            code = _CURRENCY[match["c"].lower()]
            amounts = [value * _SCALES.get((match["scale"] or "").lower(), 1) for value in values(match["n"])]
            yield Claim(
                "money", match.start(), match.end(), frozenset(("money", code, shown(a)) for a in amounts)
            )
    for match in _SINGLE.finditer(text):
        amount = "0" if match["none"] else "1"
        key: Key = ("money", _CURRENCY[match["c"].lower()], amount)
        yield Claim("money", match.start(), match.end(), frozenset({key}))


def quantities(text: str) -> Iterator[Claim]:
    """Percentages, quantities with units, and other numbers, in digits or words, longest reading first."""
    found: list[tuple[int, int, frozenset[Decimal]]] = [
        (m.start(), m.end(), frozenset({Decimal(m["n"] or 0) + _FRACTIONS[m["f"]]}))
        for m in _FRACTION.finditer(text)
    ]
    found += [(m.start(), m.end(), values(m.group())) for m in _DIGITS.finditer(text)]
    found += [(start, end, frozenset({value})) for start, end, value in number_words(text)]
    for start, end, numbers in found:
        yield _claim(text, start, end, numbers)
    for match in _A_WHILE.finditer(text):
        if match["u"].lower() in _UNIT:
            yield Claim(
                "quantity", match.start("span"), match.end(), _unit_keys(match["u"].lower(), {Decimal(1)})
            )
    for match in _ONE.finditer(text):
        if match["u"].lower() in _UNIT:
            yield Claim("quantity", match.start(), match.end(), _unit_keys(match["u"].lower(), {Decimal(1)}))


def _claim(text: str, start: int, end: int, numbers: frozenset[Decimal]) -> Claim:
    if percent := _PERCENT.match(text, end):
        return Claim("percentage", start, percent.end(), frozenset(("percentage", shown(n)) for n in numbers))
    if currency := _CURRENCY_WORD.match(text, end):
        keys = frozenset(("money", _CURRENCY[currency["c"].lower()], shown(n)) for n in numbers)
        return Claim("money", start, currency.end(), keys)
    if working := _WORKING.match(text, end):
        return Claim("quantity", start, working.end(), _unit_keys("workdays", numbers))
    unit = _UNIT_AFTER.match(text, end)
    if (
        unit
        and unit["u"].lower() in _UNIT
        and not (unit["u"] in {"h", "m"} and text[end] != " " and "-" in unit.group())
    ):
        return Claim("quantity", start, unit.end(), _unit_keys(unit["u"].lower(), numbers))
    nouns = _NOUNS.match(text, end)
    found = tuple(word.lower()[:5] for word in nouns.groups() if word) if nouns else ()
    return Claim("number", start, end, frozenset(("number", shown(n)) for n in numbers), nouns=found)


def is_list_mark(text: str, start: int, end: int) -> bool:
    """Whether a number begins a line as "1." or "2)" does."""
    return text[end : end + 1] in {".", ")"} and bool(_LIST_MARK.search(text[max(0, start - 20) : start]))


def _unit_keys(name: str, numbers: frozenset[Decimal] | set[Decimal]) -> frozenset[Key]:
    unit, factor = _UNIT[name.replace("²", "2")]
    metric, more = _METRIC.get(unit, (unit, Decimal(1)))
    return frozenset(("quantity", metric, shown(n * factor * more)) for n in numbers)
