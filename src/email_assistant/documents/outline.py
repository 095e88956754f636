"""From text with marked headings to sections."""

import re
from collections.abc import Iterator

from email_assistant.documents.document import Section
from email_assistant.mail.html_page import HEADING_END, HEADINGS
from email_assistant.mail.text import one_line

MAX_HEADING = 160
"""Characters of a heading that are kept."""

_HEADING = re.compile(f"([{HEADINGS}])([^{HEADINGS}{HEADING_END}]*){HEADING_END}?")
_MARKS = re.compile(f"[{HEADINGS}{HEADING_END}]")
_BLANK = re.compile(r"\n[^\S\n]*\n\s*?(?=[^\S\n]*\S)")
_ITEM = re.compile(r"[^\S\n]*(?:[-*+•]|\(?[0-9a-z]{1,3}[.)])[^\S\n]")


def marked_heading(level: int, text: str) -> str:
    """A heading of a level (1 to 6) as `sections_of` takes it, on lines of its own."""
    return f"\n\n{HEADINGS[level - 1]}{text}{HEADING_END}\n\n"


def sections_of(text: str) -> list[Section]:
    """The sections of a text whose headings are marked as `mail.html.outlined_text` does.

    A heading with nothing under it, not even other headings, is a section of its own words.
    """
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    for level, heading, body, is_leaf in _parts(text):
        if level:
            path = [*(each for each in path if each[0] < level), (level, heading)]
        blocks = _blocks(body) or ((heading,) if is_leaf and heading else ())
        if blocks:
            found.append(Section(tuple(title for _, title in path), blocks))
    return found


def _parts(text: str) -> Iterator[tuple[int, str, str, bool]]:
    """Level, heading, the text under it, and whether no deeper heading follows; first what has no heading (level 0)."""
    heads = [m for m in _HEADING.finditer(text) if _title(m[2])]
    ends = [m.start() for m in heads] + [len(text)]
    yield 0, "", unmarked(text[: ends[0]]), False
    levels = [HEADINGS.index(m[1]) + 1 for m in heads] + [0]
    for at, match in enumerate(heads):
        body = unmarked(text[match.end() : ends[at + 1]])
        yield levels[at], _title(match[2]), body, levels[at + 1] <= levels[at]


def _title(text: str) -> str:
    return one_line(text, limit=MAX_HEADING)


def unmarked(text: str) -> str:
    """The text without the characters that mark headings."""
    return _MARKS.sub("", text)


def _blocks(body: str) -> tuple[str, ...]:
    """The paragraphs; items of a list that stand apart are one block."""
    blocks: list[str] = []
    for piece in _BLANK.split(body):
        block = piece.strip("\n").rstrip()
        if not block.strip():
            continue
        if blocks and _ITEM.match(block) and _ITEM.match(blocks[-1]):
            blocks[-1] += "\n" + block
        else:
            blocks.append(block)
    return tuple(blocks)
