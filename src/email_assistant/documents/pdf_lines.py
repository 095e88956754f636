"""The lines of a PDF's page, with the size and weight of their letters; what is drawn invisibly is left out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from email_assistant.documents.outline import unmarked

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
