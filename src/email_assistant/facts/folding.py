"""Gaps that a draft left open, `[confirm: …]`, and places of a text that nobody is to read."""

import re

_GAP = re.compile(r"\[\s{0,3}confirm\b[^\[\]\n]{0,500}\]?", re.IGNORECASE)


def gaps_in(text: str) -> list[tuple[int, int]]:
    """Where `[confirm: …]` stands; one that is not closed ends with its line."""
    return [match.span() for match in _GAP.finditer(text)]


def blank(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with these places, in order, replaced by as many full stops."""
    out, at = [], 0
    for start, end in spans:
        out += [text[at:start], "." * (end - start)]
        at = end
    return "".join([*out, text[at:]])
