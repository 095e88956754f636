"""From sections to chunks of a bounded size, each with a label of its own."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from email_assistant.documents.document import SIGN, DocumentChunk, Section

MAX_CHUNK = 1_200
"""Characters of a chunk's text."""

# Where a block that is too long is cut, the best place first: between lines, behind sentences, between words.
_CUTS = (re.compile(r"\n"), re.compile(r"(?<=[.!?;])[^\S\n]+|(?<=[。！？；])"), re.compile(r"\s+"))


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
