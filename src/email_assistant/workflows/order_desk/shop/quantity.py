"""How many a customer wants, from the words around a product: what is plainly said, and what must be asked back."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from email_assistant.language.numbers import whole_numbers
from email_assistant.language.text import unaccented
from email_assistant.workflows.order_desk.shop.quantity_context import MEASURED, masked
from email_assistant.workflows.order_desk.wording import WORDS

with WORDS.section("quantities") as section:
    _EVERYTHING = section.pattern(
        r"\b(?:{totals})\b(?:[ ,]{1,2}[\w'-]{1,20}){0,6}?[ ,]{1,2}(?:{remaining})\b"
    )
    """All that remain. A bare "all" or "all of them" is none: it points at goods that were named before."""
    _VAGUE = section.pattern(r"\b(?:{vague})\b")
    _SAID_BEFORE = section.pattern(r"(?:{explicit_before})$")
    _SAID_AFTER = section.pattern("{explicit_after}")
    _PAIR = section.pattern(r"[ -](?:{pair})\b")
    _RANGE = section.pattern(r"\s?(?:{range})\s?")
# Parts of ids, of decimals, of fractions and of compounds.
_PART_BEFORE = re.compile(r"(?:[#/_⁄]|\d[.,]|[^\W\d_](?<![\W_][x×])(?<!^[x×])-?)$")
_PART_AFTER = re.compile(r"[.,/:]\d|[^\W_]")
_LESS = re.compile(r"(?:^|\s)[-−]$")
_YEAR = re.compile(r"(?:19|20)\d\d")
MOST = 10_000
"""More units than this are taken for a slip of the pen."""
_LONGEST_TEXT = 2_000


@dataclass(frozen=True, slots=True)
class Quantity:
    """How many units are wanted: `low` to `high`, which are the same when one number is told."""

    low: int = 0
    """0 when it is everything."""
    high: int = 0
    everything: bool = False
    """All that remain, however many these are."""
    pairs: bool = False
    """Of pairs the low end counts each as one unit, as shoes are sold, the high end as two."""

    @property
    def is_range(self) -> bool:
        """Whether any number between the two is welcome."""
        return self.low < self.high and not self.pairs

    def admits(self, number: int) -> bool:
        """Whether so many units are what is said."""
        return self.everything or number in {self.low, self.high}


@dataclass(frozen=True, slots=True)
class _Count:
    start: int
    end: int
    value: int
    weight: int
    """2: said to be a quantity; 1: a number; 0: an article."""
    pairs: bool = False


def read_quantity(text: str, *, goods: Sequence[str] = (), language: str = "") -> Quantity | None:
    """How many units the words ask for, or None when they do not tell, or tell what is to be asked back (`unclear_quantity`).

    Args:
        text: the words of the mail that name the product, a sentence or so; of more than 2,000 characters nothing is read.
        goods: the product's id, name and category, as far as they are known: numbers in them are no quantities.
        language: ISO 639-1; it decides on words that are numbers in one language only ("once", "dos", "neuf").
    """
    return _read(text, goods, language)[0]


def unclear_quantity(text: str, *, goods: Sequence[str] = (), language: str = "") -> str:
    """The words that leave open how many, or "": zero, less, above 10,000, "a few", "all but two", two numbers."""
    return _read(text, goods, language)[1]


def _read(text: str, goods: Sequence[str], language: str) -> tuple[Quantity | None, str]:
    if len(text) > _LONGEST_TEXT:
        return None, ""
    plain = unaccented(masked(unicodedata.normalize("NFKC", text), goods).lower().replace("très", "trop"))
    sentence = re.sub(r"\s+", " ", plain)
    if vague := _VAGUE.search(sentence):
        return None, vague.group()
    counts = _counts(sentence, language)
    weight = max((count.weight for count in counts), default=0)
    if weight == 0 and _EVERYTHING.search(sentence):
        return Quantity(everything=True), ""
    heaviest = [count for count in counts if count.weight == weight]
    quantity = _one_or_range(sentence, heaviest, counts)
    if heaviest and not (quantity and 0 < quantity.low <= quantity.high <= MOST):
        return None, sentence[heaviest[0].start : heaviest[-1].end][:200]
    return quantity, ""


def _one_or_range(text: str, heaviest: Sequence[_Count], counts: Sequence[_Count]) -> Quantity | None:
    values = {count.value for count in heaviest}
    for first, second in pairwise(counts):
        ends = {first.value, second.value}
        if values <= ends and _is_range(text, first, second):
            return Quantity(min(ends), max(ends))
    # "One paddle (220)": what follows an article and is not said to be a quantity may belong to the product.
    if len(values) != 1 or (heaviest[0].weight == 1 and counts[0].weight == 0):
        return None
    (value,) = values
    pairs = any(count.pairs for count in heaviest)
    return Quantity(value, value * 2 if pairs else value, pairs=pairs)


def _is_range(text: str, first: _Count, second: _Count) -> bool:
    return bool(_RANGE.fullmatch(text, first.end, second.start))


def _counts(text: str, language: str) -> list[_Count]:
    """The numbers that can be quantities, in the text's order; of a range that is measured, neither end."""
    counts: list[_Count] = []
    for number in whole_numbers(text, language=language):
        if number.bare and number.value > 1:  # "mille grazie"
            continue
        count = _count(text, number.start, number.end, int(number.value), bare=number.bare)
        if not _is_part(text, count, counts):
            counts.append(count)
        elif counts and _is_range(text, counts[-1], count):
            counts.pop()
    return counts


def _count(text: str, start: int, end: int, value: int, *, bare: bool) -> _Count:
    before = text[max(0, start - 16) : start]
    if pair := _PAIR.match(text, end):
        return _Count(start, pair.end(), value, 1, pairs=True)
    is_said = not bare and (_SAID_BEFORE.search(before) or _SAID_AFTER.match(text, end))
    less = -1 if _LESS.search(before) else 1
    return _Count(start, end, less * value, 2 if is_said else 0 if bare else 1)


def _is_part(text: str, count: _Count, counts: Sequence[_Count]) -> bool:
    """Whether the number is a part of something else: of an id, a decimal, a measure; a bare "2024" is a year."""
    before, said = text[max(0, count.start - 3) : count.start], count.weight == 2
    if _PART_BEFORE.search(before) or (not said and _PART_AFTER.match(text, count.end)):
        return True
    if before[-1:] == "-" and not _LESS.search(before) and not (counts and counts[-1].end == count.start - 1):
        return True
    if said:
        return bool(re.match(r"[.,/:]\d", text[count.end : count.end + 2]))
    return bool(MEASURED.match(text, count.end) or _YEAR.fullmatch(text[count.start : count.end]))
