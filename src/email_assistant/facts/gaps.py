"""Gaps: the places of a text that its writer left for a person to fill, `[confirm: …]` or anything else that looks like a hole."""

import re
from collections.abc import Collection, Iterable

from email_assistant.language.measures import SIGN

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
