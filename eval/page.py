"""The scorecard as one page: no script, no remote content, light and dark, readable on a phone."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from email_assistant.cli.console import visible
from email_assistant.page.texts import environment
from eval.figures import Bars
from eval.scorecard import GLANCE, Scorecard, glance
from eval.summary import HEADS, figure_row

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "image", "autolink"])
_KINDS = ("one", "two", "three", "four")
"""The classes of a chart's lines."""


def page(card: Scorecard) -> bytes:
    """The whole page; what suites print is text in it, whatever it holds."""
    return html_page(
        "scorecard.html",
        title="Scorecard",
        card=card,
        glance_heads=GLANCE,
        glance=list(zip(glance(card), card.suites, strict=True)),
        figure_heads=HEADS,
        figure_row=figure_row,
        is_bars=lambda chart: isinstance(chart, Bars),
        bars=lambda chart: [bar(*each) for each in chart.bars],
        plotted=plotted,
        rendered=_rendered,
    )


@dataclass(frozen=True, slots=True)
class Line:
    """A series as it is drawn."""

    kind: str
    name: str
    points: str
    told: str
    """What it shows, in words."""


def plotted(series: Mapping[str, Sequence[tuple[float, float]]]) -> list[Line]:
    """A line each. Both coordinates are from 0 to 1; what is outside is cut.

    Raises `ValueError` for more than four series, which nobody could tell apart.
    """
    if len(series) > len(_KINDS):
        raise ValueError(f"a line chart has at most {len(_KINDS)} series, not {len(series)}")
    return [
        Line(kind, name, " ".join(f"{100 * _cut(x):.2f},{100 - 100 * _cut(y):.2f}" for x, y in points), _told(name, points))
        for kind, (name, points) in zip(_KINDS, series.items(), strict=False)
    ]  # fmt: skip


def _told(name: str, points: Sequence[tuple[float, float]]) -> str:
    if not points:
        return f"{name}: no points"
    (x0, y0), (x1, y1) = points[0], points[-1]
    return f"{name}: from {100 * y0:.1f} % at {100 * x0:.1f} % to {100 * y1:.1f} % at {100 * x1:.1f} %"


def _cut(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _rendered(markdown: str) -> Markup:
    """A suite's tables and notes; links and images in them stay text."""
    body = (
        _MARKDOWN.render(visible(markdown))
        .replace("<table>", '<div class="wide"><table>')
        .replace("</table>", "</table></div>")
    )
    return Markup(body)


def html_page(template: str, **context: Any) -> bytes:
    """The page's bytes in UTF-8, from a template of `eval/templates/`."""
    style = resources.files(__package__).joinpath("templates", "style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    text = templates().get_template(template).render(
        context, style=Markup(style), style_digest=digest
    )  # fmt: skip
    return text.encode("utf-8", "backslashreplace")


def templates() -> Environment:
    """The templates, filled by the review page's rules; whatever is put into them is text and stays text."""
    made = environment().overlay(loader=PackageLoader(__package__), finalize=_in_a_line)
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


def bar(label: str, share: float, told: str) -> ChartRow:
    """A row for a share of 0 to 1; what is outside of that is cut."""
    return ChartRow(label, told, 100 * min(max(share, 0.0), 1.0))
