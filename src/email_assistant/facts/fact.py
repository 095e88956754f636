"""Sources, claims, facts and gaps: the data of a fact check.

Gaps: the places of a text that its writer left for a person to fill, `[confirm: …]` or anything else that looks like a hole.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from email_assistant.language.measures import SIGN

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


Span = tuple[int, int]

_CONFIRM = re.compile(r"\[\s{0,3}confirm\b[^\[\]\n]{0,500}\]?", re.IGNORECASE)
_MONEY = rf"(?:{SIGN}|%|(?-i:[A-Z]{{3}}\b))"
_HOLES = (
    _CONFIRM.pattern,
    r"\[{1,2}(?!\d{1,3}\]|(?-i:x)\]\s)[^\[\]\n]{0,80}\]{1,2}(?!\()|［[^\n］]{0,80}］|【[^\n】]{0,80}】",  # no footnote, ticked box or link
    r"[$#%]?\{{1,3}[^{}\n]{0,80}\}{1,3}|<{1,2}(?=[^\W\d_]{4})[^<>[\n]{0,80}(?<!\s)>{1,2}",  # a tag of HTML is mostly shorter
    r"\(\s{0,9}(?:(?:insert|enter)\s[^()\n]{1,60}|your\s(?:\w{1,20}\s)?name|name|date|amount|[._\s…]{0,20})\)",
    r"%\([a-z_]{1,30}\)s?|%[a-z][a-z_]{1,30}%|(?-i:\$[A-Z][A-Z_]{3,30}\b)|(?<!\w)_{2}[a-z][a-z ]{1,30}_{2}(?!\w)|_{3,}",
    r"(?<![\w.])(?-i:X{2,})(?!\w)(?:[.:/,-]\s?X{2,}(?!\w))*|(?<=\d[.:/,-])x{2,}(?!\w)",
    rf"(?<!\w)x{{2,}}(?=[.:/,]\s?(?:x{{2}}|\d)|\s{{0,2}}{_MONEY})(?:[.:/,]\s?x{{2,}}(?!\w))*",
    rf"{SIGN}\s?(?:x{{1,9}}|\?{{1,9}}|_{{1,99}}|\.{{3,99}})(?!\w)|(?<=[:\s])(?:\.{{3}}|…)(?=\s{{0,2}}{_MONEY})",
    rf"(?<!\S)(?:\?{{2,}}|\.{{4,}}|…{{2,}}|\#{{2,}}(?:[.:/,]\#{{1,9}}|(?=\s{{0,2}}{_MONEY})))(?:[.:]?\?{{2,}})?",
    r"(?<!\w)(?:TB[ADC]|T\.B\.[ADC]\.?|(?-i:TODO|PLACEHOLDER|N\.N\.))(?!\w)",
    r"(?-i:\b(?:(?:INSERT|ENTER)(?: [A-Z]{2,20}){1,5}|YOUR (?:[A-Z]{2,20} )?NAME)\b)",
)
_HOLE = re.compile("|".join(_HOLES), re.IGNORECASE)
_LINK = re.compile(
    r"\b(?:https?://|www\.|mailto:)[^\s<>\"]{1,2000}|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+",
    re.IGNORECASE,
)
_RULE = re.compile(r"(?m)^[ \t]*_{10,}[ \t]*$")
"""A line that is drawn between parts of a text."""


def confirms_in(text: str) -> list[Span]:
    """Where `[confirm: …]` stands; one that is not closed ends with its line."""
    return [match.span() for match in _CONFIRM.finditer(text)]


def gaps_in(text: str, answered: str = "") -> list[Span]:
    """Where it has gaps. Links, addresses, and what stands in the text that it answers are none, but for `[confirm: …]`."""
    links = [each.span() for pattern in (_LINK, _RULE) for each in pattern.finditer(text)]
    links.sort()
    theirs = {_plain(answered[start:end]) for start, end in gaps_in(answered)} if answered else set()
    found, at = [], 0
    for match in _HOLE.finditer(text):
        while at < len(links) and links[at][1] < match.start():
            at += 1
        is_link = at < len(links) and _is_within(text, match.span(), links[at])
        if _CONFIRM.match(match[0]) or not (is_link or _plain(match[0]) in theirs):
            found.append(match.span())
    return found


def gaps_left(text: str, gaps: Collection[str]) -> list[Span]:
    """Where a text as a person left it has one of these gaps still, or any `[confirm: …]`: another hole is the person's own."""
    left = {_plain(each) for each in gaps}
    return [
        (start, end)
        for start, end in gaps_in(text)
        if _plain(text[start:end]) in left or _CONFIRM.match(text, start)
    ]


def gaps_of(texts: Iterable[str], answered: str = "") -> tuple[str, ...]:
    """The gaps of these texts, each once."""
    found = (text[start:end] for text in texts for start, end in gaps_in(text, answered))
    return tuple(dict.fromkeys(found))


def inside(gap: str) -> str:
    """What stands in a gap, without what marks it; "" when that says nothing."""
    words = gap.strip("[](){}<>［］【】$#%_.…?").strip()
    words = re.sub(r"^confirm\b\s*:?\s*", "", words, flags=re.IGNORECASE)
    return words if re.sub(r"[xX\W]", "", words) else ""


def _is_within(text: str, hole: Span, link: Span) -> bool:
    """Whether the hole is part of the link, or only what stands around it."""
    start, end = hole
    while start < end and text[start] in "[<{( ":
        start += 1
    while end > start and text[end - 1] in "]>}) ":
        end -= 1
    return start < end and link[0] <= start and end <= link[1]


def _plain(gap: str) -> str:
    return "".join(gap.split()).casefold()
