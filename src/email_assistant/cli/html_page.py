"""An HTML page of one file, filled from a template: no script, no remote content; whatever is put into it is text and stays text.

Its charts are drawn in rows by the macro `chart` of `templates/parts.html`; colours are the page's style sheet's.
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup, escape

from email_assistant.cli.console import visible
from email_assistant.page.rendering import environment

_LEAST = 0.6
"""Per cent of the width: what took no time can be seen all the same."""
PAUSE_SHARE = 0.1
"""Of the work's time: how long a pause's bar is."""


def html_page(package: str, template: str, **context: Any) -> bytes:
    """The page's bytes in UTF-8, from a template of the package."""
    style = resources.files(__package__).joinpath("templates", "style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    text = templates(package).get_template(template).render(
        context, style=Markup(style), style_digest=digest  # noqa: S704 - our own file
    )  # fmt: skip
    return text.encode("utf-8", "backslashreplace")


def templates(package: str) -> Environment:
    """The templates of the package, which find beside their own those of `cli/templates/`; filled by the review page's rules."""
    found = ChoiceLoader([PackageLoader(package), PackageLoader(__package__)])
    made = environment().overlay(loader=found, finalize=_in_a_line)
    made.filters["as_written"] = _as_written
    return made


def _in_a_line(value: Any) -> Any:
    """What a template shows, as text in which nothing acts: neither markup (that is escaped next) nor direction marks and controls."""
    return value if isinstance(value, Markup) else visible(" ".join(str(value).split()))


def _as_written(text: str) -> Markup:
    """The same for what keeps its line ends."""
    return escape(visible(text))


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A bar, and the words above it."""

    label: str
    told: str
    """Its figures or its length in words, like "12 (40.0 %)"."""
    width: float
    """Per cent of the chart's."""
    start: float = 0.0
    kind: str = "bar"
    """Its class: `bar`, `bar failed` or `pause`."""


def bar(label: str, share: float, told: str) -> ChartRow:
    """A row for a share of 0 to 1; what is outside of that is cut."""
    return ChartRow(label, told, 100 * min(max(share, 0.0), 1.0))


@dataclass(frozen=True, slots=True)
class Piece:
    """Work, or a pause. Times in milliseconds; work counts from the start of its stretch."""

    label: str
    told: str
    """Its length in words."""
    start_ms: float = 0.0
    length_ms: float = 0.0
    pause: bool = False
    failed: bool = False


def timeline(stretches: Sequence[Sequence[Piece]]) -> list[ChartRow]:
    """A row a piece; a stretch is one run's work, in which pieces may overlap, or one pause.

    The axis is the time of work. A pause in between, which may be days, has a bar of fixed length and another look, so that it
    neither passes for work nor presses the work together.
    """
    work = sum(_length(stretch) for stretch in stretches)
    pause = PAUSE_SHARE * work or 1.0
    whole = work + pause * sum(piece.pause for stretch in stretches for piece in stretch) or 1.0
    before, rows = 0.0, []
    for stretch in stretches:
        for piece in stretch:
            length = pause if piece.pause else piece.length_ms
            rows.append(_row(piece, 100 * (before + piece.start_ms) / whole, 100 * length / whole))
        before += pause if any(piece.pause for piece in stretch) else _length(stretch)
    return rows


def _length(stretch: Sequence[Piece]) -> float:
    return max((p.start_ms + p.length_ms for p in stretch if not p.pause), default=0.0)


def _row(piece: Piece, start: float, length: float) -> ChartRow:
    width = min(max(length, _LEAST), 100.0)
    kind = "pause" if piece.pause else "bar failed" if piece.failed else "bar"
    return ChartRow(piece.label, piece.told, width, min(max(start, 0.0), 100.0 - width), kind)
