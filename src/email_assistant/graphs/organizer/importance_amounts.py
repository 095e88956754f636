"""Amounts of money in a text: "4,000 euro", "€ 1.240,00", "$4k", "CHF 2'500"."""

import re
from dataclasses import dataclass

# What one unit is worth in euro, roughly: only the size of an amount matters here.
_WORTH = {
    "EUR": 1.0, "USD": 0.9, "GBP": 1.2, "CHF": 1.0, "CAD": 0.65, "AUD": 0.6, "JPY": 0.006, "CNY": 0.13, "INR": 0.011,
    "SEK": 0.09, "NOK": 0.085, "DKK": 0.13, "PLN": 0.23, "CZK": 0.04, "MXN": 0.05, "BRL": 0.17,
}  # fmt: skip
_NAMES = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "$": "USD", "us$": "USD", "dollar": "USD", "dollars": "USD", "dólares": "USD",
    "bucks": "USD", "£": "GBP", "pounds": "GBP", "pfund": "GBP", "quid": "GBP", "sfr": "CHF", "franken": "CHF", "francs": "CHF",
    "¥": "JPY", "yen": "JPY", "円": "JPY", "₹": "INR", "rupees": "INR", "zł": "PLN", "pesos": "MXN", "r$": "BRL",
} | {code.lower(): code for code in _WORTH}  # fmt: skip
_NAME = "|".join(sorted(map(re.escape, _NAMES), key=len, reverse=True))
_NUMBER = r"\d{1,12}(?:[.,'’\u00a0\u202f ]\d{3}(?!\d)){0,4}(?:[.,](?:\d{1,2}|-{1,2}|–))?"
_SCALE = r"(?:\s?(?P<{0}>k|tsd\.?|thousand|mille|mil|tausend|m|mio\.?|millions?|million(?:en)?|millones|millón|bn|billion)(?![^\W\d_]))?"
_BEFORE = re.compile(
    rf"(?<![^\W\d_])(?P<unit>{_NAME})\s?(?P<number>{_NUMBER})(?!\d)" + _SCALE.format("scale"), re.IGNORECASE
)
_BEHIND = re.compile(
    rf"(?<![\d.,])(?P<number>{_NUMBER})" + _SCALE.format("scale") + rf"[\s-]?(?P<unit>{_NAME})(?![^\W\d_])",
    re.IGNORECASE,
)
_THOUSAND = frozenset(["k", "tsd", "thousand", "mille", "mil", "tausend"])
_MAX_FOUND = 200
_MAX_WORTH = 1e12


@dataclass(frozen=True, slots=True)
class Amount:
    """So many units of a currency (ISO 4217), as far as its sign tells which; `worth` is that in euro, roughly."""

    number: float
    currency: str

    @property
    def worth(self) -> float:
        """The size of the amount in euro, to compare with others; no rate of exchange."""
        return self.number * _WORTH[self.currency]

    def __str__(self) -> str:
        """Written by us: whole units, a comma for thousands, the currency's code."""
        cents = self.number < 100 and self.number != int(self.number)
        return f"{self.number:,.2f} {self.currency}" if cents else f"{self.number:,.0f} {self.currency}"


def largest_amount(text: str) -> Amount | None:
    """The amount worth most of those in the text, or None; of very many, the first 200 of each way of writing."""
    found: list[Amount] = []
    for pattern in (_BEFORE, _BEHIND):
        for count, match in enumerate(pattern.finditer(text)):
            if count == _MAX_FOUND:
                break
            found.append(_amount(match))
    return max((a for a in found if 0 < a.worth <= _MAX_WORTH), key=lambda a: a.worth, default=None)


def _amount(match: re.Match[str]) -> Amount:
    scale = (match["scale"] or "").lower().rstrip(".")
    factor = 1.0 if not scale else 1e3 if scale in _THOUSAND else 1e9 if scale in {"bn", "billion"} else 1e6
    return Amount(_number(match["number"]) * factor, _NAMES[match["unit"].lower()])


def _number(text: str) -> float:
    """The number, whichever of point and comma its writer takes for thousands."""
    digits = re.sub(r"['’\u00a0\u202f ]", "", text.rstrip("-–"))
    whole, mark, rest = digits.rpartition("," if digits.rfind(",") > digits.rfind(".") else ".")
    if not mark or len(rest) == 3:
        return float(re.sub(r"[.,]", "", digits))
    return float(f"{re.sub(r'[.,]', '', whole)}.{rest or '0'}")
