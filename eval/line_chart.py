"""Lines over two axes from 0 to 100 %, as SVG: words keep their size at any width, lines their thickness.

Colours are the page's: lines have the classes `line one`, `line two`, … up to `line four`, the frame the class `frame`.
"""

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement

_HEIGHT, _ROW = 240, 20
_LEFT, _LEFT_WORDS, _WIDTH = "9%", "8%", "91%"
_KINDS = ("one", "two", "three", "four")
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def line_chart(
    series: Mapping[str, Sequence[tuple[float, float]]], *, x: str, y: str, identifier: str, title: str
) -> Element:
    """The chart as an `svg` element; its title and description say in words what it shows.

    Both coordinates are from 0 to 1; what is outside is cut. `identifier` is unique within the page. Raises `ValueError` for more
    than four series, which nobody could tell apart.
    """
    if len(series) > len(_KINDS):
        raise ValueError(f"a line chart has at most {len(_KINDS)} series, not {len(series)}")
    names = {"title": f"{identifier}-title", "desc": f"{identifier}-desc"}
    height = _HEIGHT + 2 * _ROW + _ROW * len(series)
    svg = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "role": "img",
            "aria-labelledby": " ".join(names.values()),
            "width": "100%",
            "height": str(height),
        },
    )
    SubElement(svg, "title", {"id": names["title"]}).text = title
    SubElement(svg, "desc", {"id": names["desc"]}).text = "; ".join(_told(n, p) for n, p in series.items())
    _legend(svg, series, y)
    top = _ROW * (len(series) + 1)
    _axes(svg, top, x)
    # The plot stretches with the page, its strokes do not.
    box = {"x": _LEFT, "y": str(top), "width": _WIDTH, "height": str(_HEIGHT - _ROW)}
    plot = SubElement(svg, "svg", box | {"viewBox": "0 0 100 100", "preserveAspectRatio": "none"})
    for kind, points in zip(_KINDS, series.values(), strict=False):
        drawn = " ".join(f"{100 * _cut(px):.2f},{100 - 100 * _cut(py):.2f}" for px, py in points)
        attributes = {
            "points": drawn,
            "class": f"line {kind}",
            "fill": "none",
            "vector-effect": "non-scaling-stroke",
        }
        SubElement(plot, "polyline", attributes)
    return svg


def _legend(svg: Element, series: Mapping[str, Sequence[tuple[float, float]]], y: str) -> None:
    SubElement(svg, "text", {"x": "0", "y": "14"}).text = y
    for number, (kind, name) in enumerate(zip(_KINDS, series, strict=False), 1):
        middle = str(_ROW * number + 9)
        stroke = {"x1": "0", "x2": "28", "y1": middle, "y2": middle, "class": f"line {kind}"}
        SubElement(svg, "line", stroke)
        SubElement(svg, "text", {"x": "36", "y": str(_ROW * number + 14)}).text = name


def _axes(svg: Element, top: int, x: str) -> None:
    height = _HEIGHT - _ROW
    for tick in _TICKS:
        y = top + height * (1 - tick)
        SubElement(
            svg, "text", {"x": _LEFT_WORDS, "y": f"{y + 5:.0f}", "text-anchor": "end"}
        ).text = f"{100 * tick:.0f}"
        line = {"x1": _LEFT, "x2": "100%", "y1": f"{y:.1f}", "y2": f"{y:.1f}", "class": "frame"}
        SubElement(svg, "line", line)
    below = str(top + height + 18)
    SubElement(svg, "text", {"x": _LEFT, "y": below}).text = "0"
    SubElement(svg, "text", {"x": "52%", "y": below, "text-anchor": "middle"}).text = x
    SubElement(svg, "text", {"x": "100%", "y": below, "text-anchor": "end"}).text = "100 %"


def _told(name: str, points: Sequence[tuple[float, float]]) -> str:
    if not points:
        return f"{name}: no points"
    (x0, y0), (x1, y1) = points[0], points[-1]
    return f"{name}: from {100 * y0:.1f} % at {100 * x0:.1f} % to {100 * y1:.1f} % at {100 * x1:.1f} %"


def _cut(value: float) -> float:
    return min(max(value, 0.0), 1.0)
