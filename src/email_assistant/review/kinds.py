"""Kinds of cards: each is declared once, beside the tool or the node that makes them, with everything that others do by it.

A checkpoint keeps of a card's kind its name alone, so a card that waits since before an update takes the answers of today. A kind of
a workflow that was taken out is `unknown`, with which nothing happens by one key.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Literal

from email_assistant.mail.mailbox import Mailbox
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE
from email_assistant.workflow_registry import card_modules

EVERY_ANSWER = (IGNORE, RESPONSE, EDIT, ACCEPT)

Taught = Literal["response_preferences", "cal_preferences"]
Draws = Literal["fields", "letter", "event", "category", "question", "money", "notice"]
"""What cards look like: their fields, a letter, the event that they would make, a category to choose, a question, an amount with its
working, or the mail alone.
"""
Undo = Callable[[Mailbox, str, Mapping[str, str]], Awaitable[str]]
"""From a mailbox, a message's id and the card's fields to what was undone, for a person; "" when nothing was."""


class QueueSection(StrEnum):
    """What is to be done, the most pressing first; the value is the heading."""

    LOOK_FIRST = "Look first"
    MONEY = "Money"
    WITH_A_DATE = "With a date"
    MEETINGS = "Meetings"
    REPLIES = "Replies"
    TOGETHER = "In one answer each"


class RowGroup(StrEnum):
    """What is answered together."""

    NONE = ""
    NOTICES = "notices"
    LABELS = "labels"


@dataclass(frozen=True, slots=True)
class CardKind:
    """What cards of one kind have in common."""

    name: str
    """The tool's name, or `notify`."""
    answers: tuple[str, ...]
    """What they may be answered with."""
    begins: str
    """How their titles begin, like "Send reply to "."""
    headline: str
    """Their first sentence, unless the action has one of its own.

    "{who}" stands for the sender's name and the doubts about it, "{wants}" for what they do, like `asks: “…”`, "{subject}" for
    the mail's, "{card}" for the title, and the name of a field for what is in it.
    """
    _: KW_ONLY
    noun: str
    """What they are called in a word, like "Reply"."""
    section: QueueSection
    """Where they wait, unless something in the mail presses more."""
    confirm: Literal["once", "twice"]
    """How often they are approved. What cannot be made good again, like money that is paid, twice."""
    held: bool
    """Whether their answers are held before they count, so that each can be taken back."""
    editable: tuple[str, ...] | None = None
    """The fields that an edit may change; None for all of them. What can be approved takes an edit all the same, so that clients send
    back what they have shown."""
    draws: Draws = "fields"
    button: str = ""
    """What approves them, with the names of fields as in `headline`; "" for the beginning of the title. Letters and events name people."""
    confirmation: str = "Do it, for good?"
    """What is asked before they are approved for the second time, with the same names and "{from}"."""
    choice: str = ""
    """The field that is chosen and not written."""
    choices: tuple[tuple[str, str], ...] = ()
    """What it may be, each with its button; () where each card brings its own (`CardView.options`)."""
    beside: str = ""
    """The button that approves them where another card of the same mail is shown; "" when they must be opened for that."""
    together: RowGroup = RowGroup.NONE
    """The bundle that answers many of them at once."""
    lesson: Taught | None = None
    """The profile that changing them teaches; None when that teaches nothing."""
    gist: str = "{gist}"
    """What is wanted in the fewest words, for a list; with the same names, and "{gist}" for the mail's first question or subject."""
    outcome: str = ""
    """How a message was dealt with when it was done, in a word; "" when that says nothing about the message."""
    done: str = "done"
    """What is said of a card that was approved, in a word, like "sent"."""
    underway: str = ""
    """What is said of it until then; "" for the same."""
    undo: Undo | None = None
    """Takes back what was approved, after it was done."""
    goes_when_answered: bool = False
    """Whether these cards are needless once the user has answered their mail with another program."""
    goes_with_mail: bool = True
    """Whether they are needless once the user has deleted their mail, or marked it as junk; not what is owed, and what is about more than
    this mail.
    """

    def __post_init__(self) -> None:
        if self.draws == "money" and self.confirm != "twice":
            raise ValueError(f"{self.name} pays, so it must be confirmed twice")
        if self.draws == "money" and self.goes_with_mail:
            raise ValueError(f"{self.name} pays what is owed, so it must stay without its mail")
        if ACCEPT in self.answers and EDIT not in self.answers:
            raise ValueError(
                f"{self.name} is approved, so it must take an edit: clients send back only what does"
            )

    @property
    def answers_mail(self) -> bool:
        """Whether they do more about a mail than to show or to sort it."""
        return self.section is not QueueSection.TOGETHER

    def may_change(self, field: str) -> bool:
        """Whether an edit may change it."""
        return self.editable is None or field in self.editable


_declared: dict[str, CardKind] = {}


def declare(kind: CardKind) -> CardKind:
    """Make a kind known by its name; raises `ValueError` when another one has it."""
    if _declared.setdefault(kind.name, kind) != kind:
        raise ValueError(f"two kinds of cards are called {kind.name}")
    return kind


def load_kinds(until: str = "") -> None:
    """Import the modules that declare kinds, all or until one declares that name: reads them from disk."""
    for module in card_modules():
        if until not in _declared:
            import_module(module)


@cache
def unknown() -> CardKind:
    """The kind of cards whose own no module declares any more."""
    return CardKind(
        "",
        (),
        "",
        "",
        noun="",
        section=QueueSection.REPLIES,
        confirm="twice",
        held=True,
        goes_with_mail=False,
    )


def kind_or_unknown(name: str) -> CardKind:
    """The kind of this name, or `unknown`."""
    if name not in _declared:
        load_kinds(until=name)
    return _declared.get(name) or unknown()


def kind_of(name: str) -> CardKind:
    """The kind of this name; raises `LookupError` when no module declares it."""
    if (kind := kind_or_unknown(name)) is unknown():
        raise LookupError(f"no kind of card is called {name}")
    return kind


def declared() -> tuple[CardKind, ...]:
    """Every kind."""
    load_kinds()
    return tuple(_declared.values())
