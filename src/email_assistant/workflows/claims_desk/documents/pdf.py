"""The text of a PDF, with what looks like a heading marked as one.

A PDF has pictures of letters at places, no paragraphs and no headings: larger letters, or bold ones, tell them by rule.
Text that is drawn invisibly is left out, and so is what comes again at the top or foot of most pages.
"""

import logging
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from email_assistant.mail.text import clean
from email_assistant.workflows.claims_desk.documents.document import UnreadableError, marked_heading, unmarked

if TYPE_CHECKING:
    from pypdf import PdfReader

MAX_PAGES = 2_000
MAX_HEADING = 120
"""Longer lines are no headings; characters."""

_LARGER = 1.15
_PARAGRAPH = 1.4
"""Lines that are so much further apart than usual are two paragraphs."""
_NUMBERED = re.compile(r"(?:§\s?|Art(?:icle|\.)?\s|Section\s)?[0-9A-Z]{1,3}(?:\.[0-9]{1,3})*[.)]?\s+\S")
_DIGITS = re.compile(r"\d+")

if TYPE_CHECKING:
    from pypdf import PageObject

_INVISIBLE = frozenset([3, 7])
"""Text rendering modes that paint nothing (ISO 32000-1 §9.3.6)."""
_SMALLEST = 1.0
"""Smaller letters nobody sees; points."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it stands on its page."""

    text: str
    size: float
    """Of its letters, in points, to the half."""
    bold: bool
    """Whether all of it is."""
    y: float
    """Its height on the page, in points from below."""
    pieces: int
    """In how many pieces it was drawn."""


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    size: float
    bold: bool
    y: float


@dataclass
class _Reading:
    """What pypdf tells while it goes through a page."""

    lines: list[list[_Piece]] = field(default_factory=lambda: [[]])
    mode: int = 0
    saved: list[int] = field(default_factory=list)

    def before(self, operator: bytes, operands: list[Any], _cm: Any, _tm: Any) -> None:
        """Empties what is about to be drawn invisibly: pypdf hands out the operands that it will use."""
        if operator == b"q":
            self.saved.append(self.mode)
        elif operator == b"Q" and self.saved:
            self.mode = self.saved.pop()
        elif operator == b"Tr" and operands:
            self.mode = int(operands[0])
        elif operator in {b"Tj", b"TJ", b"'", b'"'} and operands and self.mode in _INVISIBLE:
            operands[-1] = type(operands[-1])()

    def text(self, text: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: float) -> None:
        """A piece of text, or the end of a line."""
        drawn = abs(size) * math.hypot(tm[2], tm[3]) * math.hypot(cm[2], cm[3])
        y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        name = str(font.get("/BaseFont", "")) if font else ""
        bold = any(word in name.lower() for word in ("bold", "black", "heavy", "semibold"))
        for at, part in enumerate(text.split("\n")):
            if at:
                self.lines.append([])
            if part and drawn >= _SMALLEST:
                self.lines[-1].append(_Piece(part, drawn, bold, y))


def lines_of(page: "PageObject") -> list[Line]:
    """The lines that have text, in the order in which they were drawn."""
    reading = _Reading()
    page.extract_text(visitor_operand_before=reading.before, visitor_text=reading.text)
    return [_line(pieces) for pieces in reading.lines if any(piece.text.strip() for piece in pieces)]


def _line(pieces: Sequence[_Piece]) -> Line:
    told = [piece for piece in pieces if piece.text.strip()]
    longest = max(told, key=lambda piece: len(piece.text))
    return Line(
        text=unmarked("".join(piece.text for piece in pieces)),
        size=round(longest.size * 2) / 2,
        bold=all(piece.bold for piece in told),
        y=longest.y,
        pieces=len(told),
    )


def pdf_text(name: str, data: bytes) -> str:
    """The text, its headings marked as `outline.sections_of` takes them; raises `UnreadableError`."""
    try:
        pages = _pages(name, data)
    except UnreadableError:
        raise
    except Exception as error:
        # Of any kind: what is broken in a file shows in it in any way.
        why = f"cannot be read as a PDF ({type(error).__name__}); save it anew"
        raise UnreadableError(name, why) from error
    lines = [line for page in _without_running(pages) for line in page]
    if not any(line.text.strip() for line in lines):
        raise UnreadableError(
            name, "has no text that a reader sees; a scan has to be made readable (OCR) first"
        )
    return clean("".join(_marked(lines)))[0]


def _pages(name: str, data: bytes) -> list[list[Line]]:
    # Here, because only PDFs need it and it takes a while.
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    if b"%PDF-" not in data[:1024]:
        raise UnreadableError(name, "is no PDF")
    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted and not _opens(reader):
        raise UnreadableError(name, "is encrypted; save it without a password")
    if len(reader.pages) > MAX_PAGES:
        raise UnreadableError(name, f"has more than {MAX_PAGES:,} pages; split it")
    return [lines_of(page) for page in reader.pages]


def _opens(reader: "PdfReader") -> bool:
    from pypdf.errors import DependencyError, PyPdfError

    try:
        return bool(reader.decrypt(""))
    except (DependencyError, PyPdfError, NotImplementedError):
        return False


def _without_running(pages: Sequence[list[Line]]) -> list[list[Line]]:
    """The pages without heads and feet that most of them have, page numbers included."""
    edges = Counter(text for page in pages for text in {_digitless(line) for line in (*page[:2], *page[-2:])})
    running = {text for text, number in edges.items() if number >= 3 and number * 2 >= len(pages)}
    return [
        [
            line
            for at, line in enumerate(page)
            if not (_digitless(line) in running and (at < 2 or at >= len(page) - 2))
        ]
        for page in pages
    ]


def _digitless(line: Line) -> str:
    return _DIGITS.sub("#", line.text.strip())


def _marked(lines: Sequence[Line]) -> Iterator[str]:
    body = _usual_size(lines)
    sizes = sorted({line.size for line in lines if line.size >= body * _LARGER}, reverse=True)
    letters = sum(len(line.text) for line in lines)
    mostly_bold = sum(len(line.text) for line in lines if line.bold) * 2 > letters
    gaps = [gap for before, line in pairwise(lines) if (gap := before.y - line.y) > 0]
    usual = median(gaps) if gaps else 0.0
    heading: list[str] = []
    before = 0
    for at, line in enumerate(lines):
        level = _level(line, body, sizes, mostly_bold)
        gap = lines[at - 1].y - line.y if at else 0.0
        if heading and (level != before or gap > usual * _PARAGRAPH or _NUMBERED.match(line.text)):
            yield marked_heading(before, " ".join(heading))
            heading = []
        before = level
        if level:
            heading.append(line.text.strip())
        else:
            yield ("\n\n" if gap > usual * _PARAGRAPH else "\n") + line.text.strip()
    if heading:
        yield marked_heading(before, " ".join(heading))


def _usual_size(lines: Sequence[Line]) -> float:
    often: Counter[float] = Counter()
    for line in lines:
        often[line.size] += len(line.text)
    return often.most_common(1)[0][0]


def _level(line: Line, body: float, sizes: Sequence[float], mostly_bold: bool) -> int:
    """1 to 6, or 0 for what is no heading."""
    text = line.text.strip()
    if len(text) > MAX_HEADING or not any(c.isalpha() for c in text):
        return 0
    if line.size in sizes:
        return min(sizes.index(line.size) + 1, 6)
    # The first row of a table is bold too, but in several pieces.
    alone = line.pieces == 1 or _NUMBERED.match(text)
    looks = line.bold and not mostly_bold and line.size >= body and not text.endswith((".", ",", ";", ":"))
    return min(len(sizes) + 1, 6) if looks and alone else 0
