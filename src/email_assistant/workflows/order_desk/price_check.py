"""What a reply of the desk may not say by itself, on top of the fact check: prices that only the customer names, and matters of others.

The fact check lets a reply restate what the customer writes. Here a price is only what the shop's own texts say, and so are addresses,
links and references. Some matters are never the desk's: accounts, addresses, credit, goodwill. These are rules by words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, tzinfo
from decimal import Decimal
from itertools import chain

from email_assistant.facts.check import Distrusted
from email_assistant.facts.claims import claims_of
from email_assistant.facts.fact import CheckedDraft, Claim, Gap, blank, confirms_in
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
    _FREE = section.pattern(r"\b(?:{free})\b")
    _ORDERED = section.pattern(r"\b(?:{ordered})\b")
    _ENDS = section.pattern(r"\W*(?:$|\n|[.,;:!?)](?:\s|$)|(?:{ends})\b)")
_LONGEST = 180

_TWO_DECIMALS = re.compile(r"\d{1,12}[.,]\d{2}")
_FIGURE = re.compile(r"(\d{1,2}\.\d{1,2})\.?")


def price_of(claim: Claim, text: str, currency: str) -> Claim | None:
    """The claim as what something costs, in the shop's currency where none is named; None for what can be no price.

    Money and discounts, and a bare figure after a word for a price, or "each", even one that may be a day: too much rather than too
    little, since a price that the shop's texts have does no harm.
    """
    if claim.kind in {"money", "percentage"}:
        return claim
    figures = [key[-1] for key in claim.keys if key[0] == "number"]
    if claim.kind == "date" and (written := _FIGURE.fullmatch(text, claim.start, claim.end)):
        figures = [f"{Decimal(written[1]).normalize():f}"]
    costs = _COSTS.search(text[max(0, claim.start - 60) : claim.start]) and _ENDS.match(text, claim.end)
    cents = claim.kind == "number" and _TWO_DECIMALS.fullmatch(text, claim.start, claim.end)
    if not figures or not (costs or cents or _EACH.match(text, claim.end)):
        return None
    return replace(claim, kind="money", keys=frozenset(("money", currency, figure) for figure in figures))


def prices_of_the_shop(ours: Sequence[str], currency: str, day: date, zone: tzinfo) -> Distrusted:
    """What the fact check asks of each claim: a price is to be read as those alone that the shop's own texts state."""
    texts = [fold(text) for text in ours]
    stated = [
        price
        for text in texts
        for claim in claims_of(text, day, zone, day_first=None)
        if (price := price_of(claim, text, currency))
    ]
    known = frozenset(key for price in stated for key in (*price.keys, *chain.from_iterable(price.parts)))

    def stated_by_the_shop(claim: Claim, text: str) -> Claim | None:
        price = price_of(claim, text, currency)
        if price is None:
            return None
        return replace(price, keys=price.keys & known, parts=tuple(part & known for part in price.parts))

    return stated_by_the_shop


def unbacked_words(checked: CheckedDraft, ours: Sequence[str], asked: str, *, ordered: bool) -> CheckedDraft:
    """The draft with further gaps.

    `ours`: what the shop's own texts say; `asked`: words of the mail that are asked about, whose references may be quoted;
    `ordered`: whether there is an order to speak of.
    """
    text, parts, at, gaps = checked.text, [], 0, list(checked.gaps)
    for start, end, reason in sorted(_spans(text, "\n".join(ours).casefold(), asked, ordered=ordered)):
        if start < at:
            continue
        parts += [text[at:start], f"[confirm: {text[start:end]}]"]
        gaps.append(Gap("gap", text[start:end], reason))
        at = end
    return replace(checked, text="".join([*parts, text[at:]]), gaps=tuple(gaps))


def _spans(text: str, ours: str, asked: str, *, ordered: bool) -> Iterator[tuple[int, int, str]]:
    open_text = blank(text, confirms_in(text))
    quoted = f"{ours}\n{asked.casefold()}"
    for found in _FREE.finditer(open_text):
        if found[0].casefold() not in ours:
            yield found.start(), found.end(), "no price or total of the shop"
    for found in _REFERENCE.finditer(open_text):
        if found[0].casefold() not in quoted:
            yield found.start(), found.end(), "no reference of the shop"
    for found in _MATTERS.finditer(open_text):
        if found[0].casefold() not in ours:
            yield found.start(), min(found.end(), found.start() + _LONGEST), "not a matter of this desk"
    if not ordered:
        for found in _ORDERED.finditer(open_text):
            yield found.start(), found.end(), "nothing was ordered"
