"""Sources, claims, facts and gaps: the data of a fact check."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Kind = Literal[
    "date", "time", "money", "percentage", "quantity", "number", "id", "phone", "link", "email", "name", "promise", "gap"
]  # fmt: skip
Role = Literal["theirs", "ours"]
Key = tuple[str, ...]
"""A normalised value: what kind of thing it is, then the value. Two texts that mean the same share a key."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text that claims may rest on. Give only what a reader can see of it."""

    name: str
    """What to call it in a report: "the mail", "price list"."""
    text: str
    role: Role
    """`theirs`: written by the other party, so it may be restated but grants nothing. `ours`: sent mail, knowledge,
    contact, calendar, result of a tool."""
    at: datetime | None = None
    """When it was written, aware: "tomorrow" counts from here. None counts from the day of the check."""


@dataclass(frozen=True, slots=True)
class Own:
    """What is known about the user without any source."""

    name: str = ""
    email: str = ""
    also: tuple[str, ...] = ()
    """Other texts that stand for the user anywhere: organisation, phone number, web address."""
    day_first: bool | None = None
    """How the user and the other party write 03/04; None when that is not known, which leaves such dates open."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Something a text states, at a place of it."""

    kind: Kind
    start: int
    end: int
    keys: frozenset[Key] = frozenset()
    """Readings of it; any one that a source has supports it. Empty: nothing can."""
    fault: str = ""
    """Why it cannot hold whatever a source says, such as a Friday that is a Thursday."""
    nouns: tuple[str, ...] = ()
    """Of a number: the beginnings of the words after it, that is, what is counted."""
    parts: tuple[frozenset[Key], ...] = ()
    """Of a range: the readings of its two ends, of which a source must have each."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A claim of the draft; `source` names what supports it, None when nothing does."""

    kind: Kind
    quoted: str
    span: tuple[int, int]
    """Where it stands in the draft as it was read (`clean`ed of invisible characters)."""
    source: str | None


@dataclass(frozen=True, slots=True)
class Gap:
    """What a person has to confirm or fill in: an unsupported claim, or a gap that the draft had."""

    kind: Kind
    quoted: str
    reason: str


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """A draft with its gaps in place; a draft with gaps needs a person."""

    text: str
    facts: tuple[Fact, ...]
    gaps: tuple[Gap, ...]


def blank(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with these places, in order, replaced by as many full stops."""
    out, at = [], 0
    for start, end in spans:
        out += [text[at:start], "." * (end - start)]
        at = end
    return "".join([*out, text[at:]])
