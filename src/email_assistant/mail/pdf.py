"""The text of a PDF's pages, without what is drawn invisibly; in a process of its own for a stranger's PDF, which may never end."""

import json
import logging
import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any

from email_assistant.mail.text import clean

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader


class UnreadableFileError(ValueError):
    """A file whose text cannot be read; the text says why, like "is encrypted"."""


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


def pdf_pages(data: bytes, limit: int = MAX_PAGES) -> list[str]:
    """The text of each page without what is drawn invisibly, "" for one without; raises `UnreadableFileError`.

    A PDF has pictures of letters at places, no headings: what is found in one is cited by its page.
    """
    try:
        pages = _pages(data, limit)
    except UnreadableFileError:
        raise
    except Exception as error:
        # Of any kind: what is broken in a file shows in it in any way.
        raise UnreadableFileError(
            f"cannot be read as a PDF ({type(error).__name__}); save it anew"
        ) from error
    if not any(pages):
        raise UnreadableFileError(
            "has no text that a reader sees; a scan has to be made readable (OCR) first"
        )
    return pages


def _pages(data: bytes, limit: int) -> list[str]:
    # Here, because only PDFs need it and it takes a while.
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    if b"%PDF-" not in data[:1024]:
        raise UnreadableFileError("is no PDF")
    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted and not _opens(reader):
        raise UnreadableFileError("is encrypted; save it without a password")
    if len(reader.pages) > limit:
        raise UnreadableFileError(f"has more than {limit:,} pages; split it")
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


STRANGERS_PAGES = 20
_CPU_SECONDS, _WAIT_SECONDS, _MEMORY = 5, 30, 2**30


def strangers_pdf_pages(data: bytes) -> list[str]:
    """The same of a PDF that anybody may have sent: of `STRANGERS_PAGES` at most, within bounds of time and memory. Blocks."""
    command = [
        sys.executable,
        "-P",
        "-m",
        __name__,
    ]  # Nothing is imported from the folder it happens to run in.
    try:
        ended = subprocess.run(command, input=data, capture_output=True, timeout=_WAIT_SECONDS, check=False)  # noqa: S603 - this very module
        found = json.loads(ended.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        raise UnreadableFileError("cannot be read within a few seconds") from None
    if isinstance(found, str):
        raise UnreadableFileError(found)
    return [str(page) for page in found]


def _bounded() -> None:
    try:
        import resource
    except ImportError:  # Not on every system; there the time alone is bounded.
        return
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


if __name__ == "__main__":
    _bounded()
    try:
        told: object = pdf_pages(sys.stdin.buffer.read(), STRANGERS_PAGES)
    except UnreadableFileError as error:
        told = str(error)
    sys.stdout.write(json.dumps(told))
