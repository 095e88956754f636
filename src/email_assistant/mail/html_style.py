"""From CSS declarations to the one question: can a reader see the text of this element?"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from tinycss2 import color4  # type: ignore[import-untyped]

from email_assistant.mail.html_css import Declarations

Rgb = tuple[float, float, float]

NOT_DISPLAYED = "it was set not to be displayed"
INVISIBLE = "it was set to be invisible"
TRANSPARENT = "it was transparent"
TINY = "its letters were too small to see"
OFF_SCREEN = "it was moved off the screen"
CLIPPED = "it was clipped away"
SAME_COLOR = "it had the color of its background"

_SMALLEST_FONT = 2.0
_FAR = -400.0
_FAR_OUT = 5000.0
_NEARLY_ZERO = 1.0
_FAINT = 0.1
_CLOSE_COLORS = 10 / 255
_UNITS = {"px": 1.0, "": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.945}
_FONT_UNITS = {"em": 1.0, "ex": 0.5, "ch": 0.5, "%": 0.01}
_VIEWPORT = {"vw": 10.0, "vh": 8.0, "vmin": 8.0, "vmax": 10.0, "rem": 16.0}
_FONT_NAMES = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0,
    "xx-large": 32.0, "xxx-large": 48.0, "initial": 16.0,
}  # fmt: skip
_LENGTH = re.compile(r"(?:calc\(\s*)?([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?)([a-z%]*)\s*\)?")
_FONT_SHORTHAND = re.compile(
    r"(?:^|\s)((?:\d+\.?\d*|\.\d+)(?:px|pt|pc|em|rem|ex|ch|%|vw|vh|in|cm|mm)|0+(?:\.0*)?)(?=[\s/]|$)"
)
_COLOR_WORD = re.compile(r"#[0-9a-f]+|[a-z]+\([^()]*\)|[a-z]+")


class Style(NamedTuple):
    """What an element hands on to the elements inside it."""

    font: float = 16.0
    """Font size in CSS pixels."""
    color: Rgb | None = None
    """Set text color, or None while nothing was set."""
    background: Rgb | None = (1.0, 1.0, 1.0)
    """The color painted behind, or None when a picture may be there."""
    indent: float = 0.0
    opacity: float = 1.0
    invisible: bool = False
    clear_color: bool = False
    preformatted: bool = False

    def hides(self) -> str:
        """Why text with this style cannot be seen, or ""."""
        if self.invisible:
            return INVISIBLE
        if self.opacity < _FAINT or self.clear_color:
            return TRANSPARENT
        if self.font < _SMALLEST_FONT:
            return TINY
        if self.indent <= _FAR:
            return OFF_SCREEN
        if self.color and self.background and _close(self.color, self.background):
            return SAME_COLOR
        return ""


def compute(
    parent: Style, tag: str, attributes: Mapping[str, str], css: Mapping[str, str]
) -> tuple[Style, str]:
    """The element's style, and why it hides everything inside it ("" when it does not).

    `css` holds the winning value of each property.
    """
    style = _presentation(parent, tag, attributes)
    if css:
        style = _inherited(style, parent, css)
    reason = hides_all(css, style.font) if css else ""
    if not reason and "hidden" in attributes and "display" not in css:
        reason = NOT_DISPLAYED
    return style, reason


def hides_all(css: Mapping[str, str], font: float) -> str:
    """Why these values hide the element with all it holds, whatever its children say; or ""."""
    if css.get("display") == "none" or css.get("content-visibility") == "hidden":
        return NOT_DISPLAYED
    if _is_far(css, font):
        return OFF_SCREEN
    if _is_clipped(css, font):
        return CLIPPED
    return ""


def winning(layers: list[Declarations]) -> dict[str, str]:
    """The winning value of each property, the layers given weakest first; !important ones beat the rest."""
    found: dict[str, str] = {}
    important: set[str] = set()
    for layer in layers:
        for name, (value, is_important) in layer.items():
            if is_important or name not in important:
                found[name] = value
            if is_important:
                important.add(name)
    return found


def _presentation(parent: Style, tag: str, attributes: Mapping[str, str]) -> Style:
    """The style as old attributes set it: `bgcolor`, `background`, `<font color>`, `<body text>`."""
    style = parent
    if tag in ("pre", "textarea", "xmp", "listing"):
        style = style._replace(preformatted=True)
    if not attributes:
        return style
    if "bgcolor" in attributes and (color := parse_color(attributes["bgcolor"])):
        style = style._replace(background=color[:3])
    if "background" in attributes:
        style = style._replace(background=None)
    name = {"font": "color", "body": "text"}.get(tag, "")
    if name in attributes and (color := parse_color(attributes[name])):
        style = style._replace(color=color[:3])
    return style


def _inherited(style: Style, parent: Style, css: Mapping[str, str]) -> Style:
    font = _font_size(css, parent.font)
    color, clear = _text_color(css, style, parent)
    visibility = css.get("visibility", "")
    indent = style.indent
    if "text-indent" in css:
        indent = _length(css["text-indent"].split(" ")[0], font, percent=10.0) or 0.0
    return Style(
        font=font,
        color=color,
        clear_color=clear,
        background=_background(css, style.background),
        indent=indent,
        opacity=style.opacity * _opacity(css),
        invisible=visibility in ("hidden", "collapse")
        if visibility not in ("", "inherit")
        else style.invisible,
        preformatted=css["white-space"].startswith(("pre", "break"))
        if "white-space" in css
        else style.preformatted,
    )


def _font_size(css: Mapping[str, str], parent: float) -> float:
    value = css.get("font-size", "")
    if not value and "font" in css and (match := _FONT_SHORTHAND.search(css["font"])):
        value = match[1]
    if value in _FONT_NAMES:
        return _FONT_NAMES[value]
    if value in ("smaller", "larger"):
        return parent * (0.83 if value == "smaller" else 1.2)
    size = _length(value, parent)
    return parent if size is None or size < 0 else min(size, 10_000.0)


def _text_color(css: Mapping[str, str], style: Style, parent: Style) -> tuple[Rgb | None, bool]:
    value = css.get("-webkit-text-fill-color") or css.get("color", "")
    if not value or value in ("inherit", "currentcolor", "unset"):
        return style.color, parent.clear_color
    color = parse_color(value)
    if color is None:
        return (None, False) if value in ("initial", "revert") else (style.color, parent.clear_color)
    return color[:3], color[3] < _FAINT


def _background(css: Mapping[str, str], inherited: Rgb | None) -> Rgb | None:
    for name in ("background-image", "background"):
        if "url(" in css.get(name, "") or "gradient(" in css.get(name, ""):
            return None
    value = css.get("background-color") or css.get("background", "")
    for word in _COLOR_WORD.findall(value):
        color = parse_color(word)
        if color is not None:
            if color[3] < _FAINT:
                return inherited
            return color[:3] if color[3] > 0.9 else None
    return inherited


def _opacity(css: Mapping[str, str]) -> float:
    value = css.get("opacity", "")
    if not value and (match := re.search(r"\bopacity\(([^()]*)\)", css.get("filter", ""))):
        value = match[1].strip()
    match = _LENGTH.fullmatch(value)
    if not match or match[2] not in ("", "%"):
        return 1.0
    return min(1.0, max(0.0, float(match[1]) / (100 if match[2] else 1)))


def _is_far(css: Mapping[str, str], font: float) -> bool:
    names = ["margin-left", "margin-top"]
    if css.get("position") in ("absolute", "fixed", "relative"):
        names += ["left", "right", "top", "bottom"]
    for name in names:
        length = _length(css.get(name, ""), font, percent=10.0)
        if length is not None and (length <= _FAR or (name in ("left", "top") and length >= _FAR_OUT)):
            return True
    transform = css.get("transform", "")
    for call in re.findall(r"translate(?:x|y|3d)?\(([^()]*)\)", transform):
        for part in call.split(","):
            length = _length(part.strip(), font, percent=1.0)
            if length is not None and (length <= _FAR or length >= _FAR_OUT):
                return True
    return False


def _is_clipped(css: Mapping[str, str], font: float) -> bool:
    transform = css.get("transform", "")
    for call in re.findall(r"scale(?:x|y|3d)?\(([^()]*)\)", transform):
        if any(
            (n := _length(part.strip(), font)) is not None and abs(n) < 0.05 for part in call.split(",")[:2]
        ):
            return True
    if css.get("position") in ("absolute", "fixed") and _clip_rect_hides(css.get("clip", ""), font):
        return True
    if _clip_path_hides(css.get("clip-path", "")):
        return True
    overflow = " ".join(css.get(name, "") for name in ("overflow", "overflow-x", "overflow-y"))
    if not re.search(r"\b(?:hidden|clip|scroll|auto)\b", overflow):
        return False
    sizes = (_length(css.get(name, ""), font) for name in ("height", "max-height", "width", "max-width"))
    return any(size is not None and size <= _NEARLY_ZERO for size in sizes)


def _clip_rect_hides(value: str, font: float) -> bool:
    """Whether `rect(top, right, bottom, left)` leaves nothing (CSS 2.1 §11.1.2)."""
    match = re.match(r"rect\(([^()]*)\)", value)
    edges = [_length(edge, font) for edge in re.split(r"[\s,]+", match[1].strip())] if match else []
    if len(edges) != 4:
        return False
    top, right, bottom, left = edges
    flat = bottom is not None and bottom - (top or 0.0) <= _NEARLY_ZERO
    narrow = right is not None and right - (left or 0.0) <= _NEARLY_ZERO
    return flat or narrow


def _clip_path_hides(value: str) -> bool:
    match = re.match(r"(inset|circle|ellipse)\(\s*([\d.]+)(%|px|)", value)
    if not match or match[2].count(".") > 1 or match[2] == ".":
        return False
    size = float(match[2])
    return size >= 50 and match[3] == "%" if match[1] == "inset" else size < 0.5


def _length(value: str, font: float, percent: float | None = None) -> float | None:
    """A length in CSS pixels, or None; a percentage counts as so many pixels each, by default of the font."""
    match = _LENGTH.fullmatch(value)
    if not match:
        return None
    number, unit = float(match[1]), match[2]
    if unit == "%" and percent is not None:
        return number * percent
    if unit in _FONT_UNITS:
        return number * _FONT_UNITS[unit] * font
    factor = _UNITS.get(unit) or _VIEWPORT.get(unit)
    return number * factor if factor else None


@lru_cache(maxsize=2048)
def parse_color(value: str) -> tuple[float, float, float, float] | None:
    """A CSS or HTML color as red, green, blue, alpha from 0 to 1; None when it is none (CSS Color 4)."""
    value = value.strip().lower()[:100]
    if re.fullmatch(r"[0-9a-f]{6}", value):
        value = f"#{value}"
    if value == "transparent":
        return (0.0, 0.0, 0.0, 0.0)
    try:
        color = color4.parse_color(value)
        if color is None or isinstance(color, str):
            return None
        red, green, blue = (float(c or 0.0) for c in color.to("srgb").coordinates)
        return (red, green, blue, float(color.alpha))
    except (ValueError, NotImplementedError, ArithmeticError):
        return None


def _close(one: Rgb, other: Rgb) -> bool:
    return one == other or all(abs(a - b) <= _CLOSE_COLORS for a, b in zip(one, other, strict=True))
