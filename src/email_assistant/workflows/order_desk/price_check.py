"""Prices a reply of the desk may not name by itself, on top of the fact check: amounts that nobody worked out, and matters of others.

The fact check lets a reply restate what the customer writes. Here money is only what the shop's own texts say, and so are addresses,
links and references. Some matters are never the desk's: accounts, addresses, credit, goodwill. These are rules by words.

Prices are read in any spelling, with discounts, bare figures that can only be prices, and "free of charge": too much rather than too
little, because what is read is compared with what is known, and a figure that is known does no harm.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, tzinfo
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from email_assistant.facts.claims import claims_of
from email_assistant.facts.fact import CheckedDraft, Gap, blank
from email_assistant.facts.gaps import confirms_in
from email_assistant.language.measures import amounts
from email_assistant.language.numbers import numbers, readings
from email_assistant.language.text import fold
from email_assistant.workflows.order_desk.wording import WORDS

_REFERENCE = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+|\bhttps?://[^\s\]]{1,300}|\bwww\.[^\s\]]{1,300}|"
    r"\b[A-Z]{1,6}-?\d{2,10}\b"
)
with WORDS.section("prices") as section:
    _MATTERS = section.pattern(r"\b(?:{matters})")
    _COSTS = section.pattern(
        r"\b(?:{costs})\W{1,3}(?:(?:of|is|are|a|the|only|just|now|von|ist|nur|de|est|es|about|around|price)\W{1,2}){0,3}$"
    )
    _EACH = section.pattern(r"\s?(?:{each})")
    FREE = section.pattern(r"\b(?:{free})\b")
    """Words for costing nothing, or half."""
    _ORDERED = section.pattern(r"\b(?:{ordered})\b")
    _ENDS = section.pattern(r"\W*(?:$|\n|[.,;:!?)](?:\s|$)|(?:{ends})\b)")
_LONGEST = 180

PriceKind = Literal["money", "percentage", "bare", "free"]
_TWO_DECIMALS = re.compile(
    r"(?<![\w.,'])\d{1,12}[.,]\d{2}(?![\d.,]?\d|\s?(?:%|(?:mm|cm|m|kg|g|l|uhr|h|am|pm)\b))", re.IGNORECASE
)


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


@dataclass(frozen=True, slots=True)
class When:
    """When and where the fact check reads. No price depends on it, but what both ask for is read once."""

    day: date = date(2000, 1, 1)
    zone: tzinfo = UTC


_ANY = When()


def prices(text: str, when: When = _ANY) -> Iterator[Price]:
    """The prices of a text in order; of those that overlap the one that begins first, and is longest."""
    found = sorted(_prices(fold(text), when), key=lambda price: (price.start, -price.end))
    end = 0
    for price in found:
        if price.start >= end:
            yield price
            end = price.end


@lru_cache(maxsize=256)
def _of_the_shop(text: str, when: When) -> tuple[Price, ...]:
    """The texts of the catalogue are read again with each mail that asks for the same products."""
    return tuple(prices(text, when))


def _prices(text: str, when: When) -> Iterator[Price]:
    for amount in amounts(text):
        yield Price("money", amount.start, amount.end, frozenset(amount.readings), amount.currency)
    for number in numbers(text):  # "12.4." may be a day, too.
        if _is_price(text, number.start, number.end):
            yield Price("bare", number.start, number.end, frozenset(number.readings))
    for claim in claims_of(text, when.day, when.zone, day_first=None):
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


@dataclass(frozen=True, slots=True)
class ShopPrices:
    """What the shop itself says of prices."""

    text: str
    amounts: frozenset[Decimal]
    percentages: frozenset[Decimal]
    currencies: frozenset[str]

    @classmethod
    def of(cls, ours: Sequence[str], sums: Iterable[Decimal], when: When) -> "ShopPrices":
        """From the shop's texts, and from sums besides; a sum of nothing is no price."""
        read = [price for text in ours for price in _of_the_shop(text, when)]
        told = {value for price in read if price.kind in ("money", "bare") for value in price.values}
        return cls(
            "\n".join(ours).casefold(),
            frozenset(told | {value for value in sums if value}),
            frozenset(value for price in read if price.kind == "percentage" for value in price.values),
            frozenset(price.currency for price in read if price.currency),
        )

    def has(self, price: Price, text: str) -> bool:
        """Whether the shop has said it, too, in the same currency."""
        if price.kind == "free":
            return text[price.start : price.end].casefold() in self.text
        if price.kind == "percentage":
            return bool(price.values & self.percentages)
        is_ours = not price.currency or not self.currencies or price.currency in self.currencies
        return is_ours and bool(price.values & self.amounts)


def unbacked_prices(
    checked: CheckedDraft,
    ours: Sequence[str],
    amounts: Iterable[Decimal],
    asked: str,
    *,
    ordered: bool,
    when: When = _ANY,
) -> CheckedDraft:
    """The draft with further gaps.

    `ours`: what the shop's own texts say; `amounts`: sums besides those in them; `asked`: words of the mail that are asked
    about, whose references may be quoted; `ordered`: whether there is an order to speak of.
    """
    known = ShopPrices.of(ours, amounts, when)
    spans = sorted(_spans(checked.text, known, asked, when, ordered=ordered))
    text, parts, at, gaps = checked.text, [], 0, list(checked.gaps)
    for start, end, reason in spans:
        if start < at:
            continue
        parts += [text[at:start], f"[confirm: {text[start:end]}]"]
        gaps.append(Gap("gap", text[start:end], reason))
        at = end
    return replace(checked, text="".join([*parts, text[at:]]), gaps=tuple(gaps))


def _spans(
    text: str, known: ShopPrices, asked: str, when: When, *, ordered: bool
) -> Iterator[tuple[int, int, str]]:
    open_text = blank(text, confirms_in(text))
    said, quoted = known.text, f"{known.text}\n{asked.casefold()}"
    for price in prices(open_text, when):
        if not known.has(price, open_text):
            yield price.start, price.end, "no price or total of the shop"
    for found in _REFERENCE.finditer(open_text):
        if found[0].casefold() not in quoted:
            yield found.start(), found.end(), "no reference of the shop"
    for found in _MATTERS.finditer(open_text):
        if found[0].casefold() not in said:
            yield found.start(), min(found.end(), found.start() + _LONGEST), "not a matter of this desk"
    if not ordered:
        for found in _ORDERED.finditer(open_text):
            yield found.start(), found.end(), "nothing was ordered"
