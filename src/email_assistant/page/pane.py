"""The pane of what waits: one card, or a table of cards that are answered together."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from email_assistant.clock import instant_of
from email_assistant.models.offline.wanted import MONEY
from email_assistant.page.card_buttons import Act, Choice, acts, choices, confirmation, shows_all_times
from email_assistant.page.meeting import EVENT_FIELDS, Meeting, meeting
from email_assistant.page.texts import LetterPart, TextPiece, at, letter, paragraphs, pieces, waits
from email_assistant.review.action import ACCEPT
from email_assistant.review.card_facts import CardFact, card_facts, pressing, says_when_alone
from email_assistant.review.card_view import CardView
from email_assistant.review.kinds import CardKind, RowGroup
from email_assistant.review.queue import Bundle, BundleItem, Row
from email_assistant.review.waiting import WaitingCard

_DRAWN = frozenset(
    ("ask", "sender", "subject", "received", "message", "attachments", "quoted", "said", "before", "problem", "done", "doubts",
     "alarms", "warnings", "gaps", "offers", "verified", "reasons", "confidence", "importance", "offline")
)  # fmt: skip
"""Facts that have a place in every card."""
_HOUR = re.compile(r"\d:\d\d")
_SUB = {
    RowGroup.NOTICES: "Nobody is answered. What you untick goes on waiting; Enter opens a mail.",
    RowGroup.LABELS: "Change what is wrong: go to a row and press a number. Nothing moves before you answer, and all of it can be undone.",
}


@dataclass(frozen=True)
class CardPage:
    """A card of the row; `now` is in the user's zone."""

    row: Row
    waiting: WaitingCard
    now: datetime
    timezone: str
    place: str = ""
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
        name = "Look first" if self.is_grave else self.kind.noun or self.waiting.title.partition(":")[0]
        # How many gaps there are stands beside them, where it changes as they are filled.
        presses = pressing(replace(self.view, gaps=()))
        return [each for each in (name, at(received, self.now), waits(received, self.now), *presses) if each]

    @property
    def is_grave(self) -> bool:
        """Whether it is looked at before anything else, and answered by no one key."""
        return bool(self.view.doubts or self.view.alarms)

    @cached_property
    def title(self) -> str:
        """What the card asks; of mail whose sender is in doubt what comes first."""
        view, ask = self.view, self.view.ask
        if view.doubts:
            first = "Do not pay yet: this" if MONEY in view.alarms else "This"
            return f"{first} may not be {view.sender or view.address}"
        if view.offers_silence:
            return f"{ask.rpartition('?')[0]}?"
        if self.meeting and not _HOUR.search(ask):  # No title says less than its row.
            return f"{ask.removesuffix('.')}: {self.row.ask}"
        head, _, tail = ask.rpartition("; ")
        # A semicolon before the end of a quotation is the mail's.
        return head if head and "”" not in tail else ask.removesuffix(".")

    @property
    def tail(self) -> str:
        """What the title goes on to say, more quietly."""
        ask = self.view.ask
        return "" if self.view.doubts or not ask.startswith(self.title) else ask.removeprefix(self.title)

    @property
    def summary(self) -> str:
        """The view's, unless the times to choose from say all of it."""
        times = self.meeting is not None and self.meeting.is_made and self.meeting.time
        return "" if times and says_when_alone(self.view) else self.view.summary

    @cached_property
    def facts(self) -> tuple[CardFact, ...]:
        """All that the card tells."""
        return card_facts(self.view)

    def facts_named(self, *names: str) -> list[CardFact]:
        """The facts of these names."""
        return [each for each in self.facts if each.name in names]

    def lines(self, *names: str) -> list[str]:
        """The same, line by line."""
        return [line for each in self.facts_named(*names) for line in each.lines]

    @property
    def rest(self) -> list[CardFact]:
        """What no part of the card draws: it is drawn as it stands, so that nothing is left out."""
        drawn = set(_DRAWN)
        if self.meeting:
            drawn |= {"meeting", "asked", *(["looked"] if self.meeting.date else [])}
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
        return meeting(self.view, self.kind, "".join(self.lines("asked")), self.now.year)

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
    def fields(self) -> dict[str, str]:
        """Those that can be changed."""
        return {name: text for name, text in self.view.args.items() if self.kind.may_change(name)}

    def marked(self, text: str) -> list[tuple[str, str]]:
        """The text in pieces with the field that is typed in the place of each, or ""; of cards of which few fields can be changed."""
        for name, value in self.fields.items() if self.kind.editable else ():
            before, found, after = text.partition(value)
            if found:
                return [(before, ""), (found, name), (after, "")]
        return [(text, "")]

    @property
    def acts(self) -> Sequence[Act]:
        """The buttons, with their keys."""
        return acts(self.view, self.kind, self.waiting.title, self.meeting)

    @property
    def confirmation(self) -> str:
        """What is asked before it is done; "" when one key does it."""
        return confirmation(self.view, self.kind)


@dataclass(frozen=True, slots=True)
class GroupPage:
    """A bundle, and what its template asks besides."""

    bundle: Bundle
    place: str
    """Which of the mails that wait."""

    @property
    def at(self) -> str:
        """Where it is, below `/review/`."""
        return f"group/{self.bundle.group.value}"

    @property
    def title(self) -> str:
        """How many of what."""
        return f"{self.bundle.title}{', in one answer' if self.is_accepted else ''}"

    @property
    def sub(self) -> str:
        """What an answer does."""
        return _SUB[self.bundle.group]

    @property
    def is_accepted(self) -> bool:
        """Whether something is done when they are answered; else they are seen."""
        return ACCEPT in self.bundle.items[0].card.kind.answers

    @property
    def options(self) -> list[str]:
        """What each of them may be set to."""
        cards = [item.card for item in self.bundle.items]
        named = (each for card in cards for each in (*card.facts.options, card.chosen))
        return [each for each in dict.fromkeys(named) if each]

    def why(self, item: BundleItem) -> str:
        """Why a card is left out; else why there is a card."""
        if item.left_out:
            return "sender in doubt" if any(c.facts.doubts for c in item.row.cards) else "look first"
        reasons = item.card.facts.reasons
        return reasons[0].removeprefix("Triage: ") if reasons else ""
