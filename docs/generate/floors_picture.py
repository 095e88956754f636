"""The floors of the package as a picture, from the import contract in pyproject.toml, with the way of a mail beside them."""

import tomllib
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "email_assistant"
WIDTH, LEFT, HOUSE, FLOOR, TOP, GAP = 900, 16, 560, 42, 34, 8
LOOP = (
    ("ingest", "1  mail is claimed, a run starts"),
    ("workflows", "2  the room's graph decides what it needs"),
    ("tools", "3  a tool resolves it into an action"),
    ("review", "4  the card: the one interrupt"),
    ("kit", "5  the loop: perform, ask again, or learn"),
    ("effects", "6  the outbox: once"),
    ("journal", "7  what happened is on record"),
)
"""The way of a mail: a folder of the floor it touches, and what happens there."""


def floors() -> list[list[str]]:
    """The folders and modules of each floor, from the top."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = next(c["layers"] for c in told["tool"]["importlinter"]["contracts"] if c["type"] == "layers")
    return [[name.strip() for name in layer.split("|")] for layer in layers]


def floors_picture() -> str:
    """The picture as SVG, readable on light and dark."""
    rows = floors()
    height = TOP + len(rows) * (FLOOR + GAP) + GAP
    svg = Element("svg", {
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {WIDTH} {height}", "role": "img",
        "font-family": "ui-sans-serif, system-ui, sans-serif", "font-size": "14",
    })  # fmt: skip
    SubElement(
        svg, "title"
    ).text = "The floors: each imports only from those below it; beside them the way of a mail"
    SubElement(svg, "rect", {"width": str(WIDTH), "height": str(height), "rx": "8", "fill": "#ffffff"})
    _text(svg, LEFT, 22, "imports go down, never up", "#57606a")
    _text(svg, LEFT + HOUSE + 24, 22, "a mail's way", "#57606a")
    for number, names in enumerate(rows):
        top = TOP + number * (FLOOR + GAP)
        _floor(svg, names, top)
        said = [words for folder, words in LOOP if folder in names]
        for line, words in enumerate(said):
            _text(
                svg,
                LEFT + HOUSE + 24,
                top + FLOOR / 2 + 5 + (line - (len(said) - 1) / 2) * 18,
                words,
                "#1f2328",
            )
    indent(svg)
    return tostring(svg, encoding="unicode") + "\n"


def _floor(svg: Element, names: list[str], top: float) -> None:
    rooms = sorted(each.name for each in (PACKAGE / "workflows").iterdir() if (each / "workflow.py").exists())
    shown = rooms if names == ["workflows"] else names
    width = (HOUSE - GAP * (len(shown) - 1)) / len(shown)
    for place, name in enumerate(shown):
        x = LEFT + place * (width + GAP)
        look = {"x": f"{x:.0f}", "y": str(top), "width": f"{width:.0f}", "height": str(FLOOR), "rx": "6"}
        fill, line = ("#ddf4ff", "#0969da") if names == ["workflows"] else ("#f6f8fa", "#8c959f")
        SubElement(svg, "rect", look | {"fill": fill, "stroke": line})
        label = name if names == ["workflows"] or not (PACKAGE / name).is_dir() else f"{name}/"
        small = (
            {"font-size": "12" if len(label) * 6.6 < width else "11"} if len(label) * 8 > width - 8 else {}
        )
        text = SubElement(svg, "text", {
            "x": f"{x + width / 2:.0f}", "y": f"{top + FLOOR / 2 + 5:.0f}", "text-anchor": "middle", "fill": "#1f2328", **small,
        })  # fmt: skip
        text.text = label


def _text(svg: Element, x: float, y: float, words: str, colour: str) -> None:
    SubElement(svg, "text", {"x": f"{x:.0f}", "y": f"{y:.0f}", "fill": colour}).text = words
