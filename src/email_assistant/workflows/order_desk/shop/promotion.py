"""A promotion: what it asks for and what it gives, and the sentences in which a catalogue says so (docs/workflows/order_desk.md)."""

import re
import unicodedata
from dataclasses import dataclass, replace
from decimal import Decimal

from email_assistant.errors import InputError
from email_assistant.workflows.order_desk.wording import WORDS

with WORDS.section("promotions") as section:
    FORMS = section.lines("forms")
    """One example of each form; " together with CSH-1098", or with several ids joined by " and ", may follow."""
LONGEST_TEXT = 300
LONGEST_GIFT = 80
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_N = rf"(?:[0-9]{{1,3}}|{'|'.join(_WORDS)})"
_MONEY = r"[0-9]{1,7}(?:\.[0-9]{1,2})?"
_AT_LEAST = rf"(?: when you buy (?P<least>{_N}) or more)?"
_ID = r"[^\W_](?:[\w./-]{0,38}[^\W_])?"
# Letters of number words in ASCII only: "ſix" is no number.
_EFFECTS = tuple(
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        rf"buy (?P<paid>{_N}),? get (?P<free>{_N}) free",
        r"buy (?:1|one),? get (?:1|one) (?P<half>half price|50 ?% off)",
        rf"(?P<percent>{_MONEY}) ?% off{_AT_LEAST}",
        rf"(?P<amount>{_MONEY}) off(?:{_AT_LEAST}| for every (?P<every>{_N}))",
        rf"free (?P<gift>.+?)(?:{_AT_LEAST}| with every (?P<every>{_N}))",
    )
)
_TOGETHER = re.compile(rf"(?P<effect>.+?) together with (?P<ids>{_ID}(?: and {_ID})*)", re.IGNORECASE)
# These begin another part of the sentence, so a gift that holds one is a sentence misspelt.
_NO_GIFT = re.compile(r"\b(?:with every|for every|when you buy|together with)\b", re.IGNORECASE)
_GIFT_SIGNS = frozenset(" '’&,.()+-")


@dataclass(frozen=True, slots=True)
class Promotion:
    """A promotion of one product, as the catalogue gives it. Exactly one of the effects is set.

    What is counted are units that are fulfilled, never what was asked for.
    """

    text: str
    """The shop's own words, which the reply may quote."""
    min_quantity: int = 1
    """Units of the product that the order must hold."""
    applies_every: int | None = None
    """The effect comes once for each so many units; None: once for all units of the line."""
    product_combination: tuple[str, ...] = ()
    """Ids of other products. Each unit that the effect is for, or with `applies_every` each time that it comes, needs a unit of
    each of them in the order."""
    free_items: int = 0
    """Units among those taken that cost nothing, each time the effect comes: never more than were ordered."""
    free_gift: str = ""
    """A gift that is put in each time the effect comes; it is no product and has no stock."""
    percent_off: Decimal | None = None
    """Above 0 to 100, of the units the effect is for."""
    amount_off: Decimal | None = None
    """Off the price of a unit when the effect is for all units, else off the line, each time the effect comes."""
    second_half_price: bool = False
    """Of each two units one costs half."""


def read_promotion(text: str) -> Promotion:
    """The promotion that a sentence gives, in any case, with or without a full stop.

    A count is 1 to 999, in digits or from "one" to "ten"; an amount has at most two decimals. Whether the products named after
    "together with" exist is for the reader of the catalogue to check.

    Raises:
        InputError: the text is none of the forms, or a figure in it is out of range.
    """
    line = " ".join(text.split()) if len(text) <= LONGEST_TEXT else ""
    if not line:
        raise _wrong(f"it must be one sentence of at most {LONGEST_TEXT} characters")
    sentence = line.removesuffix(".")
    together = _TOGETHER.fullmatch(sentence)
    effect = _effect(line, together["effect"] if together else sentence)
    return replace(effect, product_combination=_ids(together["ids"])) if together else effect


def _effect(text: str, words: str) -> Promotion:
    match = next((match for form in _EFFECTS if (match := form.fullmatch(words))), None)
    if match is None:
        raise _wrong("it is none of the forms")
    parts = match.groupdict()
    least = _count(parts.get("least")) or 1
    every = _count(parts.get("every"))
    if parts.get("half"):
        return Promotion(text, applies_every=2, second_half_price=True)
    if paid := _count(parts.get("paid")):
        free = _count(parts["free"]) or 1
        return Promotion(text, applies_every=paid + free, free_items=free)
    if percent := parts.get("percent"):
        return Promotion(text, min_quantity=least, percent_off=_percent(percent))
    if amount := parts.get("amount"):
        return Promotion(text, min_quantity=least, applies_every=every, amount_off=_amount(amount))
    return Promotion(text, min_quantity=least, applies_every=every, free_gift=_gift(parts["gift"]))


def _count(word: str | None) -> int | None:
    if word is None:
        return None
    count = int(word) if word.isdigit() else _WORDS.index(word.lower()) + 1
    if count == 0:
        raise _wrong("a count must be 1 to 999")
    return count


def _percent(digits: str) -> Decimal:
    percent = Decimal(digits)
    if not 0 < percent <= 100:
        raise _wrong("a percentage must be above 0 and at most 100")
    return percent


def _amount(digits: str) -> Decimal:
    amount = Decimal(digits)
    if amount == 0:
        raise _wrong("an amount must be above 0")
    return amount


def _gift(words: str) -> str:
    gift = unicodedata.normalize("NFC", words)
    plain = all(sign in _GIFT_SIGNS or unicodedata.category(sign)[0] in "LMN" for sign in gift)
    if len(gift) > LONGEST_GIFT or not plain or not any(sign.isalpha() for sign in gift):
        raise _wrong(f"a gift must be plain words of at most {LONGEST_GIFT} characters")
    if _NO_GIFT.search(f"x {gift}"):
        raise _wrong("it is none of the forms")
    return gift


def _ids(words: str) -> tuple[str, ...]:
    ids = tuple(re.split(" and ", words, flags=re.IGNORECASE))
    if len({re.sub(r"\W", "", name).casefold() for name in ids}) < len(ids):
        raise _wrong("it names one product twice")
    return ids


def _wrong(why: str) -> InputError:
    forms = "; ".join(f'"{form}"' for form in FORMS)
    return InputError(
        f'the promotion cannot be read: {why}. Write {forms}; each may end in " together with CSH-1098" or '
        '" together with CSH-1098 and BMX-5593"'
    )
