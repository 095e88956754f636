"""Kinds of cards: each is declared once, beside the tool or the node that makes them, and found again by its name.

A checkpoint keeps of a card's kind its name alone, so a card that waits since before an update takes the answers of today.
"""

from dataclasses import dataclass
from typing import Literal

from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE

EVERY_ANSWER = (IGNORE, RESPONSE, EDIT, ACCEPT)

Taught = Literal["response_preferences", "cal_preferences"]
Settled = Literal["answered", "seen"]
"""Of a mail: it has its answer, or a person has seen it and wants no more of it."""


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
    lesson: Taught | None = None
    """The profile that changing them teaches; None when that teaches nothing."""
    gist: str = "{gist}"
    """What is wanted in the fewest words, for a list; with the same names, and "{gist}" for the mail's first question or subject."""
    outcome: str = ""
    """How a message was dealt with when it was done, in a word; "" when that says nothing about the message."""
    done: str = "done"
    """What is said of a card that was approved, in a word, like "sent"."""
    goes_when: tuple[Settled, ...] = ()
    """What makes these cards needless when it happens to their mail elsewhere: by the user's own hand, or through another workflow."""


_declared: dict[str, CardKind] = {}


def declare(kind: CardKind) -> CardKind:
    """Make a kind known by its name; raises `ValueError` when another one has it."""
    if _declared.setdefault(kind.name, kind) != kind:
        raise ValueError(f"two kinds of cards are called {kind.name}")
    return kind


def kind_of(name: str) -> CardKind:
    """The kind of this name; raises `LookupError` when no module that is loaded declares it."""
    try:
        return _declared[name]
    except KeyError:
        raise LookupError(f"no kind of card is called {name}") from None


def lesson_of(name: str) -> Taught | None:
    """The profile that changing what this tool proposes teaches; None when that teaches nothing, or it proposes nothing."""
    return _declared[name].lesson if name in _declared else None


def goes_when(name: str) -> tuple[Settled, ...]:
    """What makes cards of this kind needless; () when no module that is loaded declares it."""
    return _declared[name].goes_when if name in _declared else ()


def done_word(name: str) -> str:
    """What is said of an approved card of this kind; "done" when no module that is loaded declares it."""
    return _declared[name].done if name in _declared else "done"


def declared() -> tuple[CardKind, ...]:
    """Every kind of the modules that are loaded."""
    return tuple(_declared.values())
