"""How many a customer wants, from the words around a product. Fixed rules, in four languages."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from email_assistant.language.numbers import languages_of, whole_numbers
from email_assistant.language.text import unaccented
from email_assistant.workflows.order_desk.shop.quantity_context import MEASURED, masked
from email_assistant.workflows.order_desk.wording import WORDS

_F = re.IGNORECASE
_W = r"(?:[\w']{1,20} )"

with WORDS.section("quantities", w=_W) as section:
    EVERYTHING = section.pattern(r"\b(?:{everything})\b", re.NOFLAG)
    """All that remain. A bare "all" or "all of them" is none: it points at goods that were named before."""
    ALL_BUT = section.pattern(
        r"\b(?:{totals})\b(?:[ ,]{1,2}[\w']{1,20}){0,8}?[ ,]{1,2}(?:{all_but})\b", re.NOFLAG
    )
    VAGUE = section.pattern(r"\b(?:{vague})\b", re.NOFLAG)
    PAIRED_GOODS = section.pattern(r"(?:{paired_goods})\b", re.NOFLAG)
    """Goods that are sold by the pair: also at the end of a German or Dutch compound."""
    EXPLICIT_BEFORE = section.pattern(r"(?:{explicit_before})$", re.NOFLAG)
    EXPLICIT_AFTER = section.pattern("{explicit_after}", re.NOFLAG)
    PAIR = section.pattern(r"[ -](?P<word>{pair})\b", re.NOFLAG)
    _RANGE = section.pattern(r"\s?(?:{range})\s?", re.NOFLAG)
    _BETWEEN = section.pattern(r"\b(?:{between})\s$", re.NOFLAG)
    _AND = section.pattern(r"\s(?:{joined})\s", re.NOFLAG)
_COUPLE = re.compile(r"\b(?:a\s)?couple(?=\sof\b)|\ba\scouple\b", _F)
_GERMAN_PAIR = re.compile(r"\b[Ee]in(?:en|em)?\sPaar\b")
MOST = 10_000
"""More units than this are taken for a slip of the pen."""
_LONGEST_TEXT = 2_000
_LONGEST_WORD = 40


def in_digits(text: str) -> str:
    """The text with "a couple" in digits. "ein Paar" is a pair, while "ein paar" stays "a few"."""
    return _GERMAN_PAIR.sub("a pair", _COUPLE.sub("2", text))


def is_range(text: str, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether two numbers, by where they stand in a folded text, are the ends of a range: "two to four"."""
    between = text[first[1] : second[0]]
    if len(between) > 8:
        return False
    if _RANGE.fullmatch(between):
        return True
    if between == " of ":
        return "nl" in languages_of(text[first[0] : first[1]])
    return bool(_AND.fullmatch(between) and _BETWEEN.search(text[max(0, first[0] - 10) : first[0]]))


@dataclass(frozen=True, slots=True)
class Quantity:
    """How many units are wanted: `low` to `high`, which are the same when one number is told."""

    low: int = 0
    """0 when it is everything."""
    high: int = 0
    everything: bool = False
    """All that remain, however many these are."""


@dataclass(frozen=True, slots=True)
class _Count:
    start: int
    end: int
    value: int
    weight: int
    """2: said to be a quantity; 1: a number; 0: an article."""


def read_quantity(text: str, *, goods: Sequence[str] = (), language: str = "") -> Quantity | None:
    """How many units the words ask for, or None when they do not tell.

    None also stands for words that tell what cannot be ordered; `unclear_quantity` then gives them, and the customer is to be
    asked. Otherwise None means that another source decides: that no number is told, or several are ("two red and three blue").

    Args:
        text: the words of the mail that name the product, a sentence or so; of more than 2,000 characters nothing is read.
        goods: the product's id, name and category, as far as they are known: numbers in them are no quantities, and they tell
            whether a pair of it is one unit.
        language: ISO 639-1; it decides on words that are numbers in one language only ("once", "dos", "neuf").
    """
    return _read(text, goods, language)[0]


def unclear_quantity(text: str, *, goods: Sequence[str] = (), language: str = "") -> str:
    """The words that ask for what nobody can take as it is, or "": zero, less, above 10,000, "a few", "all but two"."""
    return _read(text, goods, language)[1]


def _read(text: str, goods: Sequence[str], language: str) -> tuple[Quantity | None, str]:
    if len(text) > _LONGEST_TEXT:
        return None, ""
    sentence = _folded(masked(unicodedata.normalize("NFKC", text), goods))
    if refused := ALL_BUT.search(sentence):
        return None, refused.group()
    paired = bool(PAIRED_GOODS.search(sentence) or any(PAIRED_GOODS.search(_folded(name)) for name in goods))
    counts = _counts(sentence, language, paired=paired)
    weight = max((count.weight for count in counts), default=0)
    if weight == 0 and EVERYTHING.search(sentence):
        return Quantity(everything=True), ""
    if weight == 0 and (vague := VAGUE.search(sentence)):
        return None, vague.group()
    quantity = _one_or_range(sentence, [count for count in counts if count.weight == weight], counts)
    if quantity and not 0 < quantity.low <= quantity.high <= MOST:
        return None, _words(sentence, next(count for count in counts if not 0 < count.value <= MOST))
    return quantity, ""


def _folded(text: str) -> str:
    """In one case, without accents and line ends; "très" is no "tres"."""
    return re.sub(r"\s+", " ", unaccented(in_digits(text).lower().replace("très", "trop")))


def _words(text: str, count: _Count) -> str:
    return text[count.start : min(count.end, count.start + _LONGEST_WORD)]


def _one_or_range(text: str, heaviest: Sequence[_Count], counts: Sequence[_Count]) -> Quantity | None:
    values = {count.value for count in heaviest}
    for first, second in pairwise(counts):
        ends = {first.value, second.value}
        if values <= ends and is_range(text, (first.start, first.end), (second.start, second.end)):
            return Quantity(min(ends), max(ends))
    # "One paddle (220)": what follows an article and is not said to be a quantity may belong to the product.
    doubtful = len(values) != 1 or (heaviest[0].weight == 1 and counts[0].weight == 0)
    return None if doubtful else Quantity(heaviest[0].value, heaviest[0].value)


def _counts(text: str, language: str, *, paired: bool) -> list[_Count]:
    """The numbers that can be quantities, in the text's order; of a range that is measured, neither end."""
    counts: list[_Count] = []
    for read in _numbers(text, language):
        if counts and text[counts[-1].start : read.start] in {"a ", "an "}:
            counts.pop()
        count = _beside(text, read, counts[-1].end if counts else -1)
        if count is None or _is_year(text, count):
            if counts and is_range(text, (counts[-1].start, counts[-1].end), (read.start, read.end)):
                counts.pop()
        else:
            counts.append(_weighed(text, count, paired=paired))
    return counts


def _numbers(text: str, language: str) -> Iterator[_Count]:
    """All numbers, in digits and in words; "mille grazie" counts nothing, and "3 100 ml" is 3."""
    for number in whole_numbers(text, language=language):
        cut = text.find(" ", number.start, number.end)
        if number.bare and number.value > 1:
            continue
        if (
            text[number.start : number.end].replace(" ", "").isdecimal()
            and cut >= 0
            and MEASURED.match(text, number.end)
        ):
            yield _Count(number.start, cut, int(text[number.start : cut]), 1)
        else:
            yield _Count(number.start, number.end, int(number.value), 0 if number.bare else 1)


def _beside(text: str, count: _Count, previous: int) -> _Count | None:
    """The count, negative after a minus, or None when it is a part of something else: of an id, a decimal, a measure."""
    before, ahead = text[max(0, count.start - 2) : count.start], text[count.end : count.end + 2]
    sign, earlier = before[-1:], before[-2:-1]
    if (
        sign in {"#", "/", "_", "⁄"}
        or (sign and sign in ".," and earlier.isdigit())
        or (sign.isalnum() and not _is_mark(before))
    ):
        return None
    if (ahead[:1].isalpha() and not EXPLICIT_AFTER.match(text, count.end)) or re.match(r"[.,/:][0-9]", ahead):
        return None
    if MEASURED.match(text, count.end):
        return None
    if sign in {"-", "−"} and previous != count.start - 1:
        return None if earlier.strip() else replace(count, value=-count.value)
    return (
        replace(count, value=-count.value)
        if text[max(0, count.start - 6) : count.start] == "minus "
        else count
    )


def _is_mark(before: str) -> bool:
    return before[-1:] in {"x", "×"} and not before[-2:-1].isalnum()


def _is_year(text: str, count: _Count) -> bool:
    """A bare "2024", unless it is said to be a quantity."""
    return 1900 <= count.value < 2100 and count.end - count.start == 4 and not _is_explicit(text, count)


def _is_explicit(text: str, count: _Count) -> bool:
    return bool(
        EXPLICIT_BEFORE.search(text[max(0, count.start - 16) : count.start])
        or EXPLICIT_AFTER.match(text, count.end)
    )


def _weighed(text: str, count: _Count, *, paired: bool) -> _Count:
    if pair := PAIR.match(text, count.end):
        few = count.weight == 0 and pair["word"] == "paar"
        if few and not paired:
            return count
        return replace(count, end=pair.end(), value=count.value * (1 if paired else 2), weight=1)
    return replace(count, weight=2) if count.weight and _is_explicit(text, count) else count
