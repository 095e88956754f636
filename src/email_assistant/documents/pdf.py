"""The text of a PDF, with what looks like a heading marked as one.

A PDF has pictures of letters at places, no paragraphs and no headings: larger letters, or bold ones, tell them by rule.
Text that is drawn invisibly is left out, and so is what comes again at the top or foot of most pages.
"""

import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from email_assistant.documents.document import UnreadableError
from email_assistant.documents.outline import marked_heading
from email_assistant.documents.pdf_lines import Line, lines_of
from email_assistant.mail.text import clean

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
