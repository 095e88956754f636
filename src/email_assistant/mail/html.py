"""The text a reader sees of an HTML body, and what was hidden from the reader's eyes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from email_assistant.mail import html_style
from email_assistant.mail.html_css import Declarations, Element, Sheet, applies, declarations
from email_assistant.mail.html_page import Page
from email_assistant.mail.html_style import Style
from email_assistant.mail.html_tokens import Start, Text, Token, tokens
from email_assistant.mail.text import clean

_MAX_HTML = 8_000_000
_VOID = frozenset(
    (
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
        "track", "wbr",
    )
)  # fmt: skip
_NEVER_SHOWN = frozenset(
    (
        "script", "style", "title", "template", "noscript", "iframe", "noembed", "noframes", "object",
        "audio", "video", "datalist",
    )
)  # fmt: skip
_PARAGRAPHS = frozenset(
    (
        "p", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "dl", "blockquote", "pre", "article",
        "section", "header", "footer", "form", "fieldset", "figure",
    )
)  # fmt: skip
_LINES = frozenset(
    (
        "div", "tr", "li", "dt", "dd", "center", "address", "aside", "main", "nav", "caption", "thead",
        "tbody", "tfoot", "legend", "figcaption", "option", "hgroup", "details", "summary", "dir", "menu",
        "body", "html",
    )
)  # fmt: skip
_BLOCKS = _PARAGRAPHS | _LINES
_SPECIAL = _BLOCKS | {"td", "th", "button", "select", "template", "marquee"}
_FORMATTING = frozenset(
    (
        "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
    )
)  # fmt: skip
_TABLE_PARTS = frozenset(["table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption"])
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_LISTS = ("ul", "ol", "menu", "dir")
_SCOPE = ("table", "td", "th", "caption", "template", "button")
# A start tag of the first kind ends open elements of the second kind, up to the nearest of the third.
_IMPLIED_ENDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "li": (("li",), (*_LISTS, *_SCOPE)),
    "dt": (("dt", "dd"), ("dl", *_SCOPE)),
    "dd": (("dt", "dd"), ("dl", *_SCOPE)),
    "tr": (("tr", "td", "th", "caption"), ("table",)),
    "td": (("td", "th"), ("table", "tr")),
    "th": (("td", "th"), ("table", "tr")),
    "thead": (("thead", "tbody", "tfoot", "caption"), ("table",)),
    "tbody": (("thead", "tbody", "tfoot", "caption"), ("table",)),
    "tfoot": (("thead", "tbody", "tfoot", "caption"), ("table",)),
    "option": (("option",), ("select", "datalist")),
    "a": (("a",), _SCOPE),
    "button": (("button",), _SCOPE),
}
_HIDDEN = "Hidden text was removed: {}. Nothing of it was read or followed."
_CUT = "The HTML is very long; its end was cut."
_GAVE_UP = "The style sheet is too complicated to follow; hidden text may be shown."
_ONLY_IMAGES = "The message shows only pictures; their descriptions stand in for them."


def visible_text(html: str) -> tuple[str, tuple[str, ...]]:
    """The text a reader sees, and one sentence for each way in which text was hidden.

    Links stay as `text (url)`, quotes get ">" before their lines, list items "- " or their number. Nothing is
    marked up or escaped as Markdown. Works in linear time and never raises, whatever the input.
    """
    return _visible(html, _Reader())


def outlined_text(html: str) -> str:
    """As the text of `visible_text`, with a character of `html_page.HEADINGS` before each heading, `HEADING_END` behind it."""
    return _visible(html, _Reader(outlined=True))[0]


def _visible(html: str, reader: "_Reader") -> tuple[str, tuple[str, ...]]:
    reader.read(html[:_MAX_HTML])
    text, notes = reader.page.text()
    text = clean(text)[0]
    own = [_CUT] if len(html) > _MAX_HTML else []
    own += [_HIDDEN.format(reason) for reason in reader.reasons]
    if reader.sheet.gave_up:
        own.append(_GAVE_UP)
    if not text.strip() and reader.descriptions:
        text, own = clean("\n".join(reader.descriptions))[0], [*own, _ONLY_IMAGES]
    return text.strip("\n").rstrip(), tuple(dict.fromkeys([*own, *notes]))


@dataclass(slots=True)
class _Open:
    """An element whose end has not come yet."""

    element: Element
    style: Style
    hidden: str
    """Why everything in it is hidden, or ""."""


@dataclass(slots=True)
class _Reader:
    outlined: bool = False
    page: Page = field(default_factory=Page)
    sheet: Sheet = field(default_factory=Sheet)
    reasons: dict[str, None] = field(default_factory=dict)
    descriptions: list[str] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)
    places: dict[str, list[int]] = field(default_factory=dict)
    specials: list[int] = field(default_factory=list)
    inline: dict[str, Declarations] = field(default_factory=dict)

    def read(self, html: str) -> None:
        found = list(tokens(html))
        self.sheet = Sheet.of("\n".join(_style_texts(found)) if "<style" in html.lower() else "")
        self.stack.append(_Open(Element("", {}), Style(), ""))
        self.elements.append(self.stack[0].element)
        for token in found:
            if isinstance(token, Text):
                self._text(token)
            elif isinstance(token, Start):
                self._start(token)
            else:
                self._end(token.tag)
        self._close_to(1)

    def _text(self, token: Text) -> None:
        top = self.stack[-1]
        reason = top.hidden or top.style.hides()
        if not reason:
            self.page.write(token.data, preformatted=top.style.preformatted)
        elif reason not in _NEVER_SHOWN and any(c.isalnum() for c in token.data):
            self.reasons[reason] = None

    def _start(self, token: Start) -> None:
        tag = token.tag
        if tag in ("html", "body", "head") and tag in self.places:
            return
        self._imply_ends(tag)
        if tag in _VOID:
            self._void(token)
            return
        top = self.stack[-1]
        element = _element(token)
        style, reason = html_style.compute(top.style, tag, token.attributes, self._css(element))
        hidden = top.hidden or (tag if tag in _NEVER_SHOWN else reason)
        self._push(_Open(element, style, hidden))
        if not hidden:
            self._begin(tag)

    def _css(self, element: Element) -> Mapping[str, str]:
        layers = self.sheet.layers(element, self.elements)
        written = element.attributes.get("style")
        if written:
            if written not in self.inline:
                self.inline[written] = declarations(written)
            layers.append(self.inline[written])
        return html_style.winning(layers) if layers else {}

    def _void(self, token: Start) -> None:
        top = self.stack[-1]
        if top.hidden:
            return
        if token.tag == "br":
            self.page.end_line(always=True)
        elif token.tag == "hr":
            self.page.paragraph()
        elif token.tag == "img" and token.attributes.get("alt", "").strip() and not top.style.hides():
            css = self._css(_element(token))
            if not html_style.hides_all(css, top.style.font):
                self.descriptions.append(token.attributes["alt"].strip())

    def _begin(self, tag: str) -> None:
        """What an element's start does to the page."""
        if tag == "a":
            self.page.begin_link()
        elif tag in ("td", "th"):
            self.page.cell()
        elif tag in _BLOCKS:
            self._break(tag)
        if tag == "blockquote":
            self.page.begin_quote()
        elif tag in _LISTS:
            self.page.begin_list(numbered=tag == "ol")
        elif tag == "li":
            self.page.begin_item()
        elif self.outlined and tag in _HEADINGS:
            self.page.begin_heading(int(tag[1]))

    def _finish(self, open_element: _Open) -> None:
        """What an element's end does to the page."""
        tag = open_element.element.tag
        if open_element.hidden:
            return
        if tag == "blockquote":
            self.page.end_quote()
        elif tag in _LISTS:
            self.page.end_list()
        elif tag == "li":
            self.page.end_item()
        elif self.outlined and tag in _HEADINGS:
            self.page.end_heading()
        if tag == "a":
            self.page.end_link(open_element.element.attributes.get("href", ""))
        elif tag in _BLOCKS:
            self._break(tag)

    def _break(self, tag: str) -> None:
        """A new line, after a blank one at the edge of what stands on its own."""
        nested = tag in ("ul", "ol", "table") and self._last("li", "td") > 0
        if tag in _PARAGRAPHS and not nested:
            self.page.paragraph()
        else:
            self.page.end_line()

    def _push(self, open_element: _Open) -> None:
        tag = open_element.element.tag
        self.places.setdefault(tag, []).append(len(self.stack))
        if tag in _SPECIAL:
            self.specials.append(len(self.stack))
        self.stack.append(open_element)
        self.elements.append(open_element.element)

    def _last(self, *tags: str) -> int:
        """The place of the innermost open element of these, or -1."""
        last = -1
        for tag in tags:
            places = self.places.get(tag)
            if places and places[-1] > last:
                last = places[-1]
        return last

    def _imply_ends(self, tag: str) -> None:
        """Close what a start tag closes without saying so (HTML §13.1.2.4)."""
        if tag in _BLOCKS or tag == "hr":
            place = self._last("p")
            if place >= 0 and place > self._last(*_SCOPE):
                self._close_to(place)
        if tag in _IMPLIED_ENDS:
            ended, limit = _IMPLIED_ENDS[tag]
            boundary = self._last(*limit)
            open_places = [self.places[name][-1] for name in ended if self.places.get(name)]
            inside = [place for place in open_places if place > boundary]
            if inside:
                self._close_to(min(inside))

    def _end(self, tag: str) -> None:
        if tag == "br":
            self.page.end_line(always=True)
            return
        if tag in ("body", "html"):
            return
        place = self._last(tag)
        if place < 0 or place < self._boundary(tag):
            return
        self._close_to(place)

    def _boundary(self, tag: str) -> int:
        """The place above which an end tag cannot reach."""
        if tag in _TABLE_PARTS:
            return self._last("table") if tag != "table" else -1
        if tag in _SPECIAL or tag in _FORMATTING or tag in _NEVER_SHOWN:
            return self._last(*(name for name in _SCOPE if name != tag))
        return self.specials[-1] if self.specials else -1

    def _close_to(self, place: int) -> None:
        """Close the element at this place and everything in it."""
        while len(self.stack) > place:
            closed = self.stack.pop()
            self.elements.pop()
            self.places[closed.element.tag].pop()
            if self.specials and self.specials[-1] == len(self.stack):
                self.specials.pop()
            self._finish(closed)


def _element(token: Start) -> Element:
    names = token.attributes.get("class")
    return Element(token.tag, token.attributes, frozenset(names.split()) if names else frozenset())


def _style_texts(found: list[Token]) -> list[str]:
    """The text of the style elements meant for the default medium."""
    texts = []
    media = ""
    for token in found:
        if isinstance(token, Start) and token.tag == "style":
            media = token.attributes.get("media", "").lower()
        elif isinstance(token, Text) and token.raw == "style" and applies(media):
            texts.append(token.data)
    return texts
