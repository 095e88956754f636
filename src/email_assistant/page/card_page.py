"""One card in the pane: its `CardView`, its kind, and what the templates ask besides them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from email_assistant.calendars.day_text import instant_of
from email_assistant.models.offline.wanted import MONEY
from email_assistant.page.card_buttons import Act, Choice, acts, choices, confirmation, shows_all_times
from email_assistant.page.card_meeting import EVENT_FIELDS, Meeting, meeting
from email_assistant.page.texts import LetterPart, TextPiece, letter, paragraphs, pieces
from email_assistant.page.words import at, waits
from email_assistant.review.card_facts import CardFact, card_facts
from email_assistant.review.card_view import CardView
from email_assistant.review.catch import pressing
from email_assistant.review.kinds import CardKind
from email_assistant.review.queue import Row
from email_assistant.review.waiting import WaitingCard

_DRAWN = frozenset(
    ("ask", "sender", "subject", "received", "message", "attachments", "quoted", "said", "before", "problem", "doubts", "warnings", "gaps",
     "verified", "reasons", "confidence", "importance", "offline")
)  # fmt: skip
"""Facts that have a place in every card."""


@dataclass(frozen=True)
class CardPage:
    """A card of the row; `now` is in the user's zone."""

    row: Row
    waiting: WaitingCard
    now: datetime
    timezone: str
    place: str
    """Like "18 of 38"."""

    @property
    def view(self) -> CardView:
        """What the card tells."""
        return self.waiting.facts

    @property
    def kind(self) -> CardKind:
        """What it is."""
        return self.waiting.kind

    @property
    def kicker(self) -> list[str]:
        """What kind of card, since when, and what presses."""
        received = instant_of(self.view.received, self.timezone)
        name = "Look first" if self.view.doubts else self.kind.noun or self.waiting.title.partition(":")[0]
        # How many gaps there are stands beside them, where it changes as they are filled.
        presses = pressing(replace(self.view, gaps=()))
        return [each for each in (name, at(received, self.now), waits(received, self.now), *presses) if each]

    @cached_property
    def title(self) -> str:
        """What the card asks; of mail whose sender is in doubt what comes first."""
        view, ask = self.view, self.view.ask
        if view.doubts:
            first = "Do not pay yet: this" if MONEY in view.alarms else "This"
            return f"{first} may not be {view.sender or view.address}"
        if view.offers_silence:
            return f"{ask.rpartition('?')[0]}?"
        head, _, tail = ask.rpartition("; ")
        # A semicolon before the end of a quotation is the mail's.
        return head if head and "”" not in tail else ask.removesuffix(".")

    @property
    def tail(self) -> str:
        """What the title goes on to say, more quietly."""
        return "" if self.view.doubts else self.view.ask.removeprefix(self.title)

    @cached_property
    def facts(self) -> tuple[CardFact, ...]:
        """All that the card tells."""
        return card_facts(self.view)

    def told(self, *names: str) -> list[CardFact]:
        """The facts of these names."""
        return [each for each in self.facts if each.name in names]

    def lines(self, *names: str) -> list[str]:
        """The same, line by line."""
        return [line for each in self.told(*names) for line in each.lines]

    @property
    def rest(self) -> list[CardFact]:
        """What no part of the card draws: it is drawn as it stands, so that nothing is left out."""
        drawn = set(_DRAWN)
        if self.meeting:
            drawn |= {"meeting", "asked"}
        elif self.view.refund:
            drawn.add("refund")
        if self.kind.draws == "category":
            drawn.add("options")
        if shows_all_times(self.choices, self.view):
            drawn.add("free")
        return [each for each in self.facts if each.name not in drawn]

    @property
    def mail(self) -> list[list[TextPiece]]:
        """What somebody wrote, by paragraphs."""
        written = paragraphs("\n\n".join(self.lines("message")))
        return [pieces(each, mark=bool(self.view.doubts)) for each in written]

    @property
    def letter(self) -> list[LetterPart]:
        """The letter that would be sent, its gaps each under its question."""
        return letter(self.view.args.get("body", ""), self._gaps_in_letter)

    @property
    def warnings(self) -> list[str]:
        """What to look closely at, with the gaps that are in no letter."""
        is_all = len(self._gaps_in_letter) == len(self.view.gaps)
        return self.lines("warnings") if is_all else self.lines("warnings", "gaps")

    @property
    def _gaps_in_letter(self) -> list[Mapping[str, Any]]:
        return [gap for gap in self.view.gaps if gap["field"] == "body"]

    @cached_property
    def meeting(self) -> Meeting | None:
        """The event that it makes, or is about."""
        return meeting(self.view, self.kind, "".join(self.lines("asked")))

    @cached_property
    def choices(self) -> Sequence[Choice]:
        """What can be chosen with a key."""
        return choices(self.view, self.kind)

    @property
    def shown(self) -> dict[str, str]:
        """The fields that nothing else shows."""
        args = self.view.args
        if args.get("body"):
            return {}
        drawn = {self.kind.choice} if self.kind.draws == "category" else set()
        if self.kind.draws == "question":
            drawn.add("question")
        if self.meeting:
            drawn |= EVENT_FIELDS
        elif refund := self.view.refund:
            said = (refund["amount"], refund["currency"], *str(refund["policy"]).split(", "))
            drawn |= {name for name, text in args.items() if text in said}
        return {name: text for name, text in args.items() if name not in drawn}

    @property
    def acts(self) -> Sequence[Act]:
        """The buttons, with their keys."""
        return acts(self.view, self.kind, self.waiting.title, self.meeting)

    @property
    def confirmation(self) -> str:
        """What is asked before it is done; "" when one key does it."""
        return confirmation(self.view, self.kind)


def card_page(row: Row, card: WaitingCard, now: datetime, timezone: str, place: str = "") -> CardPage:
    """The page of `card`, one of the row's; `now` is in the user's zone."""
    return CardPage(row, card, now, timezone, place)
