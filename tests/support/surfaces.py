"""What people read of a card on each surface: Agent Inbox, the review page and the terminal, as words without their marks."""

import io
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from html.parser import HTMLParser
from typing import Any
from unittest.mock import patch

from rich.console import Console

from email_assistant.cli import review as terminal
from email_assistant.clock import FixedClock
from email_assistant.page.pane import CardPage
from email_assistant.page.texts import environment
from email_assistant.review.card_facts import card_facts
from email_assistant.review.card_view import gap_line
from email_assistant.review.queue import rows
from email_assistant.review.waiting import WaitingCard
from tests.support.page_cards import ZONE

NOW = datetime.fromisoformat("2026-11-20T17:45:00+01:00")
_TEMPLATES = environment()
_WITHOUT_END = frozenset({"br", "input", "meta", "link", "img", "line", "rect"})
_MARKS = re.compile(r"[\\`*#│─╭╮╰╯]|<[a-z/][^>]*>")


class _Seen(HTMLParser):
    """The text of a page that can be seen, or unfolded."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.told: list[str] = []
        self._open: list[bool] = [False]
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """What is in a hidden element is not seen."""
        if tag not in _WITHOUT_END:
            self._open.append(self._open[-1] or "hidden" in dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        """Back to what is around it."""
        if tag not in _WITHOUT_END:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        """Note what is seen."""
        if not self._open[-1]:
            self.told.append(data)


def words(text: str) -> str:
    """In one line, without the marks of Markdown and of a terminal."""
    return " ".join(_MARKS.sub("", text).replace("&lt;", "<").split())


def on_agent_inbox(card: WaitingCard) -> str:
    """The title, the fields that it draws, and the description."""
    fields = "\n".join(f"{name} {text}" for name, text in card.args.items())
    return words(f"{card.title}\n{fields}\n{card.description}")


def on_the_page(card: WaitingCard) -> str:
    """The card's pane, with nothing of the calendar's day."""
    page = CardPage(rows([card], FixedClock(NOW), ZONE)[0], card, NOW, ZONE, "1 of 1")
    return words(" ".join(_Seen(_TEMPLATES.get_template("card.html").render(card=page, strip=None)).told))


def on_the_terminal(card: WaitingCard) -> str:
    """What `review` prints."""
    with io.StringIO() as heard:
        with patch.object(terminal, "out", Console(file=heard, width=2_000, markup=False, emoji=False)):
            terminal.show(card, "1 of 1")
        return words(heard.getvalue())


SURFACES: Mapping[str, Callable[[WaitingCard], str]] = {
    "Agent Inbox": on_agent_inbox,
    "page": on_the_page,
    "terminal": on_the_terminal,
}


_WORD = re.compile(r"[^\W_]+")
_LABEL = re.compile(r"^- \*\*[^*]+:\*\*")


def unlike(card: WaitingCard) -> dict[str, list[str]]:
    """Lines of Agent Inbox's description of which a word stands not on another surface; its labels and headings are its own.

    A gap is a field on the page, under its question; when the calendar was read stands over the strip of the day there.
    """
    fields = {
        words(gap_line(gap)): words(str(gap["question"] or ""))
        for gap in (card.facts.gaps if card.facts else ())
    }
    lines = [
        words(_LABEL.sub("", line)).removeprefix("- ")
        for line in card.description.splitlines()
        if not line.startswith(("#", "```", "<"))
    ]
    found: dict[str, list[str]] = {}
    for name in ("page", "terminal"):
        told = _tokens(SURFACES[name](card))
        if name == "page" and card.facts:
            told |= _tokens(
                "\n".join(
                    line for fact in card_facts(card.facts) for line in fact.lines if fact.name == "looked"
                )
            )
        if missing := [line for line in lines if not _tokens(fields.get(line, line)) <= told]:
            found[name] = missing
    return found


def _tokens(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def as_waiting(wire: Mapping[str, Any], graph: str = "email_assistant") -> WaitingCard:
    """The card that an interrupt asks, as the server holds it."""
    asked = wire["action_request"]
    return WaitingCard(
        "t", graph, asked["action"], asked["args"], wire["config"], wire["description"], wire["view"], "i"
    )
