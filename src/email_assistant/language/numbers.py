"""Numbers in digits: `1,234.50`, `1.234,50`, `1 234`, `1'234.50`, `12,34,567`, and shares in percent."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

DIGITS = (
    r"(?:\d{1,3}(?:(?:,\d{3})+|(?:\.\d{3})+|(?: \d{3})+|(?:'\d{3})+)(?:[.,]\d{1,2})?(?!\w)"
    r"|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d{1,2})?(?!\w)|\d+(?:[.,]\d+)?)"
)
"""A number in digits, as a pattern for folded text (`folding.fold`); a unit may follow it at once."""
NUMBER = rf"(?<![.,])(?:(?<!\w)|(?<=[\u3040-\u30ff\u4e00-\u9fff])){DIGITS}"
"""The same, where it begins a number: not within a word (Japanese puts no spaces) or behind another number's mark."""
_NUMBER = re.compile(NUMBER)
_PERCENT = re.compile(
    r"\s?(?:%|(?:percent|pct|prozent|procent|per cento?|pour cent|por ciento|por cento)\b)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number at a place of a text."""

    start: int
    end: int
    readings: tuple[Decimal, ...]
    """What it may mean, the likeliest first: `1.234` is 1234 or 1.234."""
    bare: bool = False
    """Said of one thing it is an article, or a figure of speech: "a", "one", "mille grazie"."""

    @property
    def value(self) -> Decimal:
        """The likeliest reading."""
        return self.readings[0]


def numbers(text: str) -> Iterator[Number]:
    """The numbers in digits of a folded text, in order; parts of dates, times and ids among them."""
    return (Number(match.start(), match.end(), readings(match.group())) for match in _NUMBER.finditer(text))


def readings(written: str) -> tuple[Decimal, ...]:
    """What digits (as `DIGITS` matches them) may mean, the likeliest first.

    Of points and commas the last one is the decimal mark, unless three digits follow and another group, or nothing, stands before: then
    it may part thousands.
    """
    plain = re.sub(r"[ ']", "", written)
    at = max(plain.rfind("."), plain.rfind(","))
    if at < 0:
        return (Decimal(plain),)
    head, mark, tail = plain[:at], plain[at], plain[at + 1 :]
    whole = re.sub(r"[.,]", "", head)
    decimal, joined = Decimal(f"{whole}.{tail}"), Decimal(whole + tail)
    if (
        len(tail) != 3
        or (len(head) > 3 and head == whole)
        or (head != whole and mark not in head)
        or head == "0"
    ):
        return (decimal,)
    return (joined,) if head != whole else (joined, decimal)


def percent_after(text: str, end: int) -> int:
    """Where "%" or a word for it ends that follows a number's end; -1 without."""
    found = _PERCENT.match(text, end)
    return found.end() if found else -1


def shown(value: Decimal) -> str:
    """One spelling for equal numbers: 19.9 and 19.90 are "19.9"."""
    text = f"{value:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text.lstrip("0")) or "0"
