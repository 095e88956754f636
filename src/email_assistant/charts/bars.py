"""Horizontal bars as SVG (SVG 2, WAI-ARIA Graphics): readable at any width, because words keep their size.

Colours are the page's: bars have the class `bar`, what is behind them the class `track`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

_ROW, _TEXT, _BAR_TOP, _BAR = 46, 14, 20, 14


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar and the words above it."""

    label: str
    share: float
    """Its length, 0 to 1 of the chart's width; what is outside of that is cut."""
    told: str
    """The figures in words, like "12 (40.0 %)"."""


def bar_chart(bars: Sequence[Bar], *, identifier: str, title: str) -> ElementTree.Element:
    """The chart as an `svg` element; its title and description say in words everything that it shows.

    `identifier` is unique within the page.
    """
    names = {"title": f"{identifier}-title", "desc": f"{identifier}-desc"}
    svg = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "role": "img",
            "aria-labelledby": " ".join(names.values()),
            "width": "100%",
            "height": str(_ROW * len(bars)),
        },
    )
    ElementTree.SubElement(svg, "title", {"id": names["title"]}).text = title
    told = "; ".join(f"{bar.label}: {bar.told}" for bar in bars)
    ElementTree.SubElement(svg, "desc", {"id": names["desc"]}).text = told
    for number, bar in enumerate(bars):
        _row(svg, bar, number * _ROW)
    return svg


def _row(svg: ElementTree.Element, bar: Bar, top: int) -> None:
    across = {"x": "0", "y": str(top + _BAR_TOP), "height": str(_BAR), "rx": "3"}
    ElementTree.SubElement(svg, "text", {"x": "0", "y": str(top + _TEXT)}).text = bar.label
    figures = {"x": "100%", "y": str(top + _TEXT), "text-anchor": "end"}
    ElementTree.SubElement(svg, "text", figures).text = bar.told
    ElementTree.SubElement(svg, "rect", across | {"width": "100%", "class": "track"})
    width = 100 * min(max(bar.share, 0.0), 1.0)
    ElementTree.SubElement(svg, "rect", across | {"width": f"{width:.2f}%", "class": "bar"})
