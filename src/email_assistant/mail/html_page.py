"""The visible part of a page written as minimal, well-formed HTML, and its layout as plain text by html2text."""

import re
from html import escape

from html2text import HTML2Text

from email_assistant.mail.text import clean, one_line

_SCHEME = re.compile(r"(?:https?://|mailto:)(?:www\.)?", re.IGNORECASE)
_LINE_ENDS = re.compile("\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]")
_HTML_SPACE = " \t\n\r\f\u00a0"
_MAX_URL = 2_048
_LISTS = ("ul", "ol")
_MAX_LISTS = 5
_MAX_QUOTES = 10

# Noncharacters, meant for use inside one program (Unicode §23.7), carry the white space that must not collapse.
_SPACE, _TAB, _CELL, _EMPTY = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
# And, where they are wanted, the places of headings: a character for each level, and one for their ends.
HEADINGS, HEADING_END = "\ufdd4\ufdd5\ufdd6\ufdd7\ufdd8\ufdd9", "\ufdda"
_RESERVED = re.compile(f"[{_SPACE}-{HEADING_END}]")
_KEPT = str.maketrans({" ": _SPACE, "\u00a0": _SPACE, "\t": _TAB})
_CELL_GAP = re.compile(f" ?{_CELL}[ {_CELL}]*")
_BARE_ITEM = re.compile(r"<li>(?=(?:\s|<br>|<p>)*+<(?:/li|blockquote|ul|ol)>)")
_RESTORED = str.maketrans({_SPACE: " ", _TAB: "\t", _EMPTY: None})


class Page:
    """Collects visible text; not to be shared between threads."""

    def __init__(self) -> None:
        self._html: list[str] = []
        self._gap = ""
        self._fresh = True
        self._opened: list[str] = []
        self._waiting: list[str] = []
        self._lists = 0
        self._quotes = 0
        self._link: list[str] | None = None

    def write(self, data: str, *, preformatted: bool = False) -> None:
        """Add text where the page stands; white space collapses unless the text is preformatted."""
        data = _RESERVED.sub("\ufffd", data)
        if preformatted:
            first, *rest = _LINE_ENDS.split(data)
            self._put(first.translate(_KEPT))
            for line in rest:
                self.end_line(always=True)
                self._put(line.translate(_KEPT))
        elif data.strip(_HTML_SPACE):
            self._put(data)
        elif data and not self._fresh:
            self._put(" ")

    def end_line(self, *, always: bool = False) -> None:
        """Begin a new line; an empty one is left only with `always`."""
        if always and self._fresh:
            self._put(_EMPTY)
        self._fresh = True
        self._gap = self._gap or "<br>"

    def paragraph(self) -> None:
        """Begin a new line with a blank one before it."""
        self._fresh = True
        self._gap = "<p>"

    def cell(self) -> None:
        """Set the next cell of a table's row apart."""
        if not self._fresh:
            self._html.append(_CELL)

    def begin_quote(self) -> None:
        """Open a quote, which shows with the first text in it; beyond ten levels it goes unmarked."""
        self._quotes += 1
        if self._quotes <= _MAX_QUOTES:
            self._waiting.append("blockquote")

    def end_quote(self) -> None:
        """Close the innermost quote."""
        if self._quotes <= _MAX_QUOTES:
            self._end()
        self._quotes -= 1

    def begin_list(self, *, numbered: bool) -> None:
        """Open a list; beyond five levels its items join those of the list around it."""
        self._lists += 1
        if self._lists <= _MAX_LISTS:
            self._waiting.append("ol" if numbered else "ul")

    def end_list(self) -> None:
        """Close the innermost list."""
        if self._lists <= _MAX_LISTS:
            self._end()
        self._lists -= 1

    def begin_item(self) -> None:
        """Begin a list's item with its mark."""
        self._open()
        self._html.append("<li>")
        self._fresh = True

    def end_item(self) -> None:
        """Close a list's item."""
        self._html.append("</li>")

    def begin_heading(self, level: int) -> None:
        """Mark where a heading of this level (1 to 6) begins, by a character that no text can bring along."""
        self._open()
        self._html.append(HEADINGS[level - 1])

    def end_heading(self) -> None:
        """Mark where it ends."""
        self._html.append(HEADING_END)

    def begin_link(self) -> None:
        """Remember what is written from here on as the text of a link."""
        self._link = []

    def end_link(self, href: str) -> None:
        """Write the link's address in brackets when its text does not show it."""
        text = one_line("".join(self._link or ()))
        self._link = None
        url = web_address(href)
        if (
            text
            and url
            and _bare(url) not in (_bare(text), _bare(text.partition("?")[0]))
            and url not in text
        ):
            self.write(f" ({url})")

    def text(self) -> tuple[str, tuple[str, ...]]:
        """All lines, and a sentence for each suspicious kind of character removed."""
        html, notes = clean("".join(self._html))
        return _laid_out(html), notes

    def _put(self, text: str) -> None:
        if text:
            self._open()
            self._fresh = False
            self._html.append(escape(text, quote=False))
            if self._link is not None:
                self._link.append(text.translate(_RESTORED))

    def _open(self) -> None:
        """Write the break and begin the quotes and lists that only waited for something to stand in them."""
        if self._gap:
            self._html.append(self._gap)
            self._gap = ""
        if self._waiting:
            self._html += [f"<{tag}>" for tag in self._waiting]
            self._opened += self._waiting
            self._waiting.clear()

    def _end(self) -> None:
        if self._waiting:
            self._waiting.pop()
        else:
            self._html.append(f"</{self._opened.pop()}>")


class _PlainText(HTML2Text):
    """html2text without Markdown: what is written is what a reader sees."""

    def __init__(self) -> None:
        super().__init__(bodywidth=0)
        self.unicode_snob = True
        self.ignore_tables = self.ignore_emphasis = self.ignore_links = self.ignore_images = True
        self.ul_item_mark = "-"

    def handle_data(self, data: str, entity_char: bool = False) -> None:
        super().handle_data(data, True)  # Only data that comes from character references is not escaped.

    def handle_tag(self, tag: str, attrs: dict[str, str | None], start: bool) -> None:
        if tag == "br":
            self.pbr()  # Its own line break forgets how deep a quote is,
        elif tag in _LISTS and not start:
            self.list.pop()  # and its end of a list that there is a quote at all.
            if not self.list:
                self.p()
        else:
            super().handle_tag(tag, attrs, start)


def _laid_out(html: str) -> str:
    """The lines of minimal HTML, no space at their ends."""
    html = _BARE_ITEM.sub(f"<li>{_EMPTY}", html)  # Else the next line would join the mark of an empty item.
    html = html.replace("&amp;nbsp_", f"&amp;nbsp{_EMPTY}_")  # html2text's own stand-in for a space.
    text = _PlainText().handle(html)
    text = _CELL_GAP.sub("  ", text).translate(_RESTORED)
    return "\n".join(line.rstrip() for line in text.split("\n"))


def web_address(href: str) -> str:
    """The address when it leads to the web or to mail, else ""; what browsers leave out is left out."""
    url = re.sub(r"[\t\r\n]", "", href).strip()
    if not url[:8].lower().startswith(("http://", "https://", "mailto:")) or len(url) > _MAX_URL:
        return ""
    return one_line(url).replace(" ", "%20")


def _bare(text: str) -> str:
    """The part of an address or a link's text to compare: no scheme, no final slash, no mail query."""
    bare = _SCHEME.sub("", text.strip(), count=1).rstrip("/").lower()
    return bare.partition("?")[0] if text[:7].lower() == "mailto:" else bare
