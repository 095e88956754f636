"""Texts, times and numbers as the page shows them, and the templates that are filled with them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from email_assistant.clock import short_day
from email_assistant.facts.fact import inside
from email_assistant.review.waiting import WaitingCard

PLACE_LENGTH = 8
"""So much of a question's id tells it from the next one of its thread; the whole of it goes with an answer."""
WRAPPED = 58
"""A line at least this long was broken by a program, not by its writer."""
_OWN_LINE = re.compile(r"\s*(?:[-*•–>|]|\d{1,3}[.)]\s|[a-zA-Z][.)]\s)")
_DRAWN = re.compile(r"\S[ \t]{3,}\S|\t")
_BLANK = re.compile(r"\n[ \t]*\n")
_TELLING = re.compile(
    r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"
    r"|https?://[^\s<>\"]+"
    r"|\b[\w.+-]+@[\w-]+\.[\w.-]*\w"
    r"|\b(?:new|changed|other) (?:bank|account|payment) details\b"
    r"|\b(?:today|urgent(?:ly)?|immediately|at once|as soon as possible|gift cards?)\b",
    re.IGNORECASE,
)
"""What a forger needs: where the money goes, where to click, whom to write to, and haste."""


def clock_time(moment: datetime) -> str:
    """Like 07:18."""
    return f"{moment:%H:%M}"


def long_day(day: date) -> str:
    """Like Friday 20 November."""
    return f"{day:%A} {day.day} {day:%B}"


def at(moment: datetime | None, now: datetime) -> str:
    """On a card: like "today, 07:18" or "Mon 16 Nov, 08:12"."""
    if moment is None:
        return ""
    day = "today" if moment.date() == now.date() else short_day(moment.date())
    return f"{day}, {clock_time(moment)}"


def waits(moment: datetime | None, now: datetime) -> str:
    """Like "waits 4 days"; "" for less than a day."""
    days = (now.date() - moment.date()).days if moment else 0
    return f"waits {count(days, 'day')}" if days > 0 else ""


def count(number: int, thing: str, things: str = "") -> str:
    """Like "1 gap" or "3 gaps"."""
    return f"{number} {thing if number == 1 else things or thing + 's'}"


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of a text."""

    text: str
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class LetterPart:
    """A stretch of a letter: words, or a gap with what it asks. Empty lines beside a gap are left out, because it is a block."""

    text: str
    question: str = ""
    """What to fill in; "" of words."""
    start: int = 0
    """Where a gap begins in the letter, in UTF-16 units, as scripts count."""
    end: int = 0
    offers: tuple[tuple[int, Mapping[str, Any]], ...] = ()
    """What may fill it, with the number that is its key."""


def paragraphs(text: str) -> list[str]:
    """The text's paragraphs, whose lines are broken where the writer broke them and not where a program did."""
    return [
        _joined(block.strip("\n").split("\n")) for block in _BLANK.split(text) if block.strip("\n").strip()
    ]


def _joined(lines: Sequence[str]) -> str:
    text = lines[0]
    for before, line in pairwise(lines):
        is_wrapped = len(before.rstrip()) >= WRAPPED and not _OWN_LINE.match(line)
        is_drawn = _DRAWN.search(before) or _DRAWN.search(line)
        text = f"{text.rstrip()} {line.lstrip()}" if is_wrapped and not is_drawn else f"{text}\n{line}"
    return text


def pieces(text: str, *, mark: bool) -> list[TextPiece]:
    """The text; with `mark`, the places in it that a forger needs are told apart."""
    found, at = list[TextPiece](), 0
    for match in _TELLING.finditer(text) if mark else ():
        found += [TextPiece(text[at : match.start()]), TextPiece(match[0], is_marked=True)]
        at = match.end()
    return [piece for piece in (*found, TextPiece(text[at:])) if piece.text]


def letter(text: str, gaps: Iterable[Mapping[str, Any]]) -> list[LetterPart]:
    """The words and gaps of a letter, in order; a gap may tell the question that it answers."""
    return list(_parts(text, gaps))


def _parts(text: str, gaps: Iterable[Mapping[str, Any]]) -> Iterator[LetterPart]:
    at, number = 0, 1
    for gap in gaps:
        start, end = gap["span"]
        if words := text[at:start].strip("\n"):
            yield LetterPart(words)
        asked = str(gap.get("question") or "") or asked_by(text[start:end])
        offers = tuple(enumerate(gap.get("offers") or (), number))
        number += len(offers)
        yield LetterPart(text[start:end], asked, _units(text[:start]), _units(text[:end]), offers)
        at = end
    if words := (text[at:].lstrip("\n") if at else text):
        yield LetterPart(words)


def asked_by(gap: str) -> str:
    """What a gap asks, by its own words."""
    words = inside(gap)
    return words[:1].upper() + words[1:] if words else "What belongs here"


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2


def place_of(card: WaitingCard) -> str:
    """Where the card is, below `/review/`."""
    return card_place(card.thread_id, card.interrupt_id)


def card_place(thread: str, interrupt: str) -> str:
    """Where the card of that question is, below `/review/`."""
    return f"card/{thread}/{interrupt[:PLACE_LENGTH]}"


def environment() -> Environment:
    """Fills the templates, which it reads from disk; whatever is put into them is text, and a name that is missing is an error."""
    made = Environment(
        loader=PackageLoader("email_assistant.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {"paragraphs": paragraphs, "place": place_of, "counted": count}
    return made
