"""What a text says that something costs: money in any spelling, discounts, bare figures that can only be prices, and "free of charge".

The one reader of what a customer could hold us to pay or to take. It reads too much rather than too little: what it reads is compared
with what is known, and a figure that is known does no harm.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date
from decimal import Decimal
from typing import Literal

from email_assistant.facts.claims import claims_in
from email_assistant.language.folding import fold
from email_assistant.language.money import amounts
from email_assistant.language.numbers import numbers, readings

PriceKind = Literal["money", "percentage", "bare", "free"]
_TWO_DECIMALS = re.compile(
    r"(?<![\w.,'])\d{1,12}[.,]\d{2}(?![\d.,]?\d|\s?(?:%|(?:mm|cm|m|kg|g|l|uhr|h|am|pm)\b))", re.IGNORECASE
)
_COSTS = re.compile(
    r"\b(?:price[sd]?|costs?|total(?:s|ling)?|sum|amounts?(?: to)?|pay(?:s|ing)?|worth|fee|charge[sd]?|"
    r"preis|kostet|kosten|gesamt|summe|betrag|zahlen|prix|coûtent?|montant|precio|cuestan?|importe|prezzo|costano?|prijs|kost)\W{1,3}"
    r"(?:(?:of|is|are|a|the|only|just|now|von|ist|nur|de|est|es|about|around|price)\W{1,2}){0,3}$",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"\s?(?:each\b|apiece\b|a piece\b|per (?:piece|unit|item)\b|pro stück\b|das stück\b|(?:la )?pièce\b|cada un[oa]\b|"
    r"/\s?(?:piece|unit|stück|st)\b)",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\W*(?:$|\n|[.,;:!?)](?:\s|$)|(?:and|or|und|et|y|in total|insgesamt|altogether|plus|incl)\b)",
    re.IGNORECASE,
)
FREE = re.compile(
    r"\b(?:free of charge|for free|(?:completely|absolutely) free|at no (?:extra )?(?:cost|charge)|no charge|without charge|on the house|"
    r"complimentary|nothing to pay|half (?:the )?price|kostenlos\w*|umsonst|gratis|zum halben preis|gratuite?s?|gratuitement|"
    r"sans frais|à moitié prix|"
    r"sin (?:cargo|coste|costo)|gratuitamente|a mitad de precio|kosteloos)\b",
    re.IGNORECASE,
)
"""Words for costing nothing, or half."""


@dataclass(frozen=True, slots=True)
class Price:
    """What something is said to cost, at a place of the text."""

    kind: PriceKind
    start: int
    end: int
    values: frozenset[Decimal] = frozenset()
    """Readings of the figure; () for words."""
    currency: str = ""
    """ISO 4217, where it is named."""


def prices(text: str) -> Iterator[Price]:
    """The prices of a text in order; of those that overlap the one that begins first, and is longest."""
    found = sorted(_prices(fold(text)), key=lambda price: (price.start, -price.end))
    end = 0
    for price in found:
        if price.start >= end:
            yield price
            end = price.end


def _prices(text: str) -> Iterator[Price]:
    for amount in amounts(text):
        yield Price("money", amount.start, amount.end, frozenset(amount.readings), amount.currency)
    for number in numbers(text):  # "12.4." may be a day, too.
        if _is_price(text, number.start, number.end):
            yield Price("bare", number.start, number.end, frozenset(number.readings))
    for claim in claims_in(text, date(2000, 1, 1), UTC, day_first=None):
        figures = frozenset(Decimal(key[-1]) for key in claim.keys if claim.kind in ("percentage", "number"))
        if claim.kind == "percentage":
            yield Price("percentage", claim.start, claim.end, figures)
        elif claim.kind == "number" and _is_price(text, claim.start, claim.end):
            yield Price("bare", claim.start, claim.end, figures)
    for match in _TWO_DECIMALS.finditer(text):
        yield Price("bare", *match.span(), frozenset(readings(match.group())))
    for match in FREE.finditer(text):
        yield Price("free", *match.span())


def _is_price(text: str, start: int, end: int) -> bool:
    """Whether a bare number can only be a price: after a word for one and counting nothing, or "each"."""
    if _EACH.match(text, end):
        return True
    return bool(_COSTS.search(text[max(0, start - 60) : start]) and _ENDS.match(text, end))
