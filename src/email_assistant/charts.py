"""Bars and timelines as SVG (SVG 2, WAI-ARIA Graphics) for pages without scripts: readable at any width, because words keep their size.

The axis of a timeline is the time of work. A pause in between, which may be days, gets a row of its own with a bar of fixed length
and another look, so that it neither passes for work nor presses the work together.
Colours are the page's: the classes are `bar`, `bar failed`, `pause` and, behind them, `track`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

_ROW, _TEXT, _BAR_TOP, _BAR = 46, 14, 20, 14
_LEAST = 0.6
"""Per cent of the width: what took no time can be seen all the same."""
PAUSE_SHARE = 0.1
"""Of the work's time: how long a pause's bar is."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar and the words above it."""

    label: str
    share: float
    """Its length, 0 to 1 of the chart's width; what is outside of that is cut."""
    told: str
    """The figures in words, like "12 (40.0 %)"."""


def bar_chart(bars: Sequence[Bar], *, identifier: str, title: str) -> Element:
    """The chart as an `svg` element; its title and description say in words everything that it shows.

    `identifier` is unique within the page.
    """
    names = {"title": f"{identifier}-title", "desc": f"{identifier}-desc"}
    svg = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "role": "img",
            "aria-labelledby": " ".join(names.values()),
            "width": "100%",
            "height": str(_ROW * len(bars)),
        },
    )
    SubElement(svg, "title", {"id": names["title"]}).text = title
    told = "; ".join(f"{bar.label}: {bar.told}" for bar in bars)
    SubElement(svg, "desc", {"id": names["desc"]}).text = told
    for number, bar in enumerate(bars):
        _row(svg, bar, number * _ROW)
    return svg


def _row(svg: Element, bar: Bar, top: int) -> None:
    across = {"x": "0", "y": str(top + _BAR_TOP), "height": str(_BAR), "rx": "3"}
    SubElement(svg, "text", {"x": "0", "y": str(top + _TEXT)}).text = bar.label
    figures = {"x": "100%", "y": str(top + _TEXT), "text-anchor": "end"}
    SubElement(svg, "text", figures).text = bar.told
    SubElement(svg, "rect", across | {"width": "100%", "class": "track"})
    width = 100 * min(max(bar.share, 0.0), 1.0)
    SubElement(svg, "rect", across | {"width": f"{width:.2f}%", "class": "bar"})


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


def timeline(stretches: Sequence[Sequence[Piece]], *, identifier: str, title: str) -> Element:
    """The chart as an `svg` element; its title and description say in words everything that it shows.

    A stretch is one run's work, in which pieces may overlap, or one pause. `identifier` is unique within the page.
    """
    pieces = [piece for stretch in stretches for piece in stretch]
    names = {"title": f"{identifier}-title", "desc": f"{identifier}-desc"}
    svg = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "role": "img",
            "aria-labelledby": " ".join(names.values()),
            "width": "100%",
            "height": str(_ROW * len(pieces)),
        },
    )
    SubElement(svg, "title", {"id": names["title"]}).text = title
    SubElement(svg, "desc", {"id": names["desc"]}).text = "; ".join(f"{p.label}: {p.told}" for p in pieces)
    work = sum(_length(s) for s in stretches)
    pause = PAUSE_SHARE * work or 1.0
    whole = work + pause * sum(p.pause for p in pieces) or 1.0
    before, row = 0.0, 0
    for stretch in stretches:
        for piece in stretch:
            length = pause if piece.pause else piece.length_ms
            _draw(svg, piece, row * _ROW, 100 * (before + piece.start_ms) / whole, 100 * length / whole)
            row += 1
        before += pause if any(p.pause for p in stretch) else _length(stretch)
    return svg


def _length(stretch: Sequence[Piece]) -> float:
    return max((p.start_ms + p.length_ms for p in stretch if not p.pause), default=0.0)


def _draw(svg: Element, piece: Piece, top: int, start: float, length: float) -> None:
    across = {"y": str(top + _BAR_TOP), "height": str(_BAR), "rx": "3"}
    SubElement(svg, "text", {"x": "0", "y": str(top + _TEXT)}).text = piece.label
    words = {"x": "100%", "y": str(top + _TEXT), "text-anchor": "end"}
    SubElement(svg, "text", words).text = piece.told
    SubElement(svg, "rect", across | {"x": "0", "width": "100%", "class": "track"})
    width = min(max(length, _LEAST), 100.0)
    x = min(max(start, 0.0), 100.0 - width)
    kind = "pause" if piece.pause else "bar failed" if piece.failed else "bar"
    SubElement(svg, "rect", across | {"x": f"{x:.2f}%", "width": f"{width:.2f}%", "class": kind})
