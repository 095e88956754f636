"""A document, its sections and its chunks, each with the label it is cited by."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from email_assistant.errors import InputError
from email_assistant.mail.html_page import HEADING_END, HEADINGS
from email_assistant.mail.text import one_line

SIGN = "§"
"""Between a document's name and a heading, in a label."""
MAX_NAME = 120
"""Characters of a document's name."""

MAX_HEADING = 160
"""Characters of a heading that are kept."""

_HEADING = re.compile(f"([{HEADINGS}])([^{HEADINGS}{HEADING_END}]*){HEADING_END}?")
_MARKS = re.compile(f"[{HEADINGS}{HEADING_END}]")
_BLANK = re.compile(r"\n[^\S\n]*\n\s*?(?=[^\S\n]*\S)")
_ITEM = re.compile(r"[^\S\n]*(?:[-*+•]|\(?[0-9a-z]{1,3}[.)])[^\S\n]")

MAX_CHUNK = 1_200
"""Characters of a chunk's text."""

# Where a block that is too long is cut, the best place first: between lines, behind sentences, between words.
_CUTS = (re.compile(r"\n"), re.compile(r"(?<=[.!?;])[^\S\n]+|(?<=[。！？；])"), re.compile(r"\s+"))


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading, up to the next."""

    path: tuple[str, ...]
    """Headings from the top to this one; empty for what stands before the first."""
    blocks: tuple[str, ...]
    """Paragraphs, tables and lists, as a reader sees them."""


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A piece of a section that is found and cited as one. Its text is data, never instructions."""

    document: str
    label: str
    """`FILE § HEADING`, or `FILE` alone outside headings; unlike every other label of its document. Later parts of a
    section that is cut have `, part 2` and so on behind it."""
    section: str
    """The label without its part."""
    path: tuple[str, ...]
    text: str

    @property
    def headings(self) -> str:
        """The headings above it, in one line."""
        return " > ".join(self.path)


@dataclass(frozen=True, slots=True)
class Document:
    """One file as it is kept."""

    name: str
    """Its file name, which is its id."""
    digest: str
    """Of the file's bytes."""
    chunks: tuple[DocumentChunk, ...]


class UnreadableError(InputError):
    """A file that is no document; the text begins with its name and says why, in one line."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{one_line(name, limit=MAX_NAME)}: {why}")


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
    yield 0, "", _unmarked(text[: ends[0]]), False
    levels = [HEADINGS.index(m[1]) + 1 for m in heads] + [0]
    for at, match in enumerate(heads):
        body = _unmarked(text[match.end() : ends[at + 1]])
        yield levels[at], _title(match[2]), body, levels[at + 1] <= levels[at]


def _title(text: str) -> str:
    return one_line(text, limit=MAX_HEADING)


def _unmarked(text: str) -> str:
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


def chunks_of(document: str, sections: Sequence[Section]) -> tuple[DocumentChunk, ...]:
    """The chunks of a document's sections, in order."""
    labels = _Labels()
    found: list[DocumentChunk] = []
    for section, label in zip(sections, labels_of(document, sections), strict=True):
        for number, text in enumerate(pieces_of(section.blocks), 1):
            part = labels.untaken(label if number == 1 else f"{label}, part {number}")
            found.append(DocumentChunk(document, part, label, section.path, text))
    return tuple(found)


def labels_of(document: str, sections: Sequence[Section]) -> list[str]:
    """A label for each section: `FILE § HEADING`, with the heading above it where the heading comes more than once.

    What is still the same gets a number, from the second on. Letters' case makes no difference between labels.
    """
    often = Counter(section.path[-1].casefold() for section in sections if section.path)
    labels = _Labels()
    return [labels.untaken(_label(document, section.path, often)) for section in sections]


def pieces_of(blocks: Sequence[str]) -> list[str]:
    """The blocks packed into texts of at most `MAX_CHUNK` characters.

    A block that fits into one is never cut. A longer one is cut between its lines, else between sentences, else between
    words; inside a word only when a single word is longer than a chunk. What ends in a colon stays with what follows it.
    """
    pieces: list[str] = []
    for block in _introduced(blocks):
        for at, part in enumerate(_cut(block)):
            is_new = at > 0 or not pieces or len(pieces[-1]) + 2 + len(part) > MAX_CHUNK
            if is_new:
                pieces.append(part)
            else:
                pieces[-1] += "\n\n" + part
    return pieces


def _label(document: str, path: tuple[str, ...], often: Counter[str]) -> str:
    if not path:
        return document
    is_repeated = often[path[-1].casefold()] > 1
    return f"{document} {SIGN} {' > '.join(path[-2:] if is_repeated else path[-1:])}"


class _Labels:
    """Labels that were given, none of them twice; letters' case makes no difference.

    The number a label has come to is kept: counting from one each time takes a minute for a file of one heading repeated.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def untaken(self, label: str) -> str:
        """The label, with a number behind it when it was given before."""
        key, found = label.casefold(), label
        number = self._numbers.get(key, 0)
        while found.casefold() in self._numbers:
            number += 1
            found = f"{label} ({number})"
        self._numbers[key] = max(number, 1)
        self._numbers.setdefault(found.casefold(), 1)
        return found


def _introduced(blocks: Sequence[str]) -> Iterator[str]:
    """Blocks with the line that introduces them ("Not covered:") where both fit together."""
    waiting = ""
    for block in blocks:
        if waiting and len(waiting) + 2 + len(block) <= MAX_CHUNK:
            block = f"{waiting}\n\n{block}"  # noqa: PLW2901 - it is the same block, with its introduction
        elif waiting:
            yield waiting
        waiting = block if block.endswith((":", "：")) else ""
        if not waiting:
            yield block
    if waiting:
        yield waiting


def _cut(text: str, ways: Sequence[re.Pattern[str]] = _CUTS) -> list[str]:
    """The text in parts of at most `MAX_CHUNK` characters."""
    if len(text) <= MAX_CHUNK:
        return [text]
    if not ways:
        return [text[i : i + MAX_CHUNK] for i in range(0, len(text), MAX_CHUNK)]
    parts: list[str] = []
    start, before = 0, (0, 0)
    for place in [*(m.span() for m in ways[0].finditer(text)), (len(text), len(text))]:
        if place[0] - start > MAX_CHUNK and before[1] > start:
            parts.append(text[start : before[0]])
            start = before[1]
        before = place
    parts.append(text[start:])
    return [p for part in parts if part.strip() for p in _cut(part.rstrip(), ways[1:])]
