"""The text of a PDF, a page at a time, without what is drawn invisibly.

A PDF has pictures of letters at places, no headings: what is found in one is cited by its page.
"""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any

from email_assistant.mail.text import clean
from email_assistant.workflows.claims_desk.documents.document import UnreadableError

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

MAX_PAGES = 2_000
_INVISIBLE = frozenset([3, 7])
"""Text rendering modes that paint nothing (ISO 32000-1 §9.3.6)."""
_SMALLEST = 1.0
"""Smaller letters nobody sees; points."""


@dataclass
class _Reading:
    """What pypdf tells while it goes through a page."""

    pieces: list[str] = field(default_factory=list)
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

    def text(self, text: str, cm: Sequence[float], tm: Sequence[float], _font: Any, size: float) -> None:
        """A piece of text, or the end of a line."""
        drawn = abs(size) * math.hypot(tm[2], tm[3]) * math.hypot(cm[2], cm[3])
        self.pieces.append(text if drawn >= _SMALLEST else "\n" * text.count("\n"))


def pdf_pages(name: str, data: bytes) -> list[str]:
    """The text of each page, "" for one without; raises `UnreadableError`."""
    try:
        pages = _pages(name, data)
    except UnreadableError:
        raise
    except Exception as error:
        # Of any kind: what is broken in a file shows in it in any way.
        why = f"cannot be read as a PDF ({type(error).__name__}); save it anew"
        raise UnreadableError(name, why) from error
    if not any(pages):
        why = "has no text that a reader sees; a scan has to be made readable (OCR) first"
        raise UnreadableError(name, why)
    return pages


def _pages(name: str, data: bytes) -> list[str]:
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
    return [_text_of(page) for page in reader.pages]


def _text_of(page: "PageObject") -> str:
    reading = _Reading()
    page.extract_text(visitor_operand_before=reading.before, visitor_text=reading.text)
    lines = (line.strip() for line in "".join(reading.pieces).splitlines())
    return clean("\n".join(filter(None, lines)))[0]


def _opens(reader: "PdfReader") -> bool:
    from pypdf.errors import DependencyError, PyPdfError

    try:
        return bool(reader.decrypt(""))
    except (DependencyError, PyPdfError, NotImplementedError):
        return False
