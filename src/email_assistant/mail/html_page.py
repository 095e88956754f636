"""Lines of plain text as a reader would see them on a page: words flow, blocks begin lines."""

import re

from email_assistant.mail.text import one_line

_SPACES = re.compile(r"[ \t\n\r\f\u00a0]+")
_SCHEME = re.compile(r"(?:https?://|mailto:)(?:www\.)?", re.IGNORECASE)
_MAX_QUOTE_MARKS = 10
_MAX_URL = 2_048


class Page:
    """Collects visible text; not to be shared between threads."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._space = False
        self._blank = False
        self._link: list[str] | None = None
        self.quote_depth = 0

    def write(self, data: str, *, preformatted: bool = False) -> None:
        """Add text where the page stands; white space collapses unless the text is preformatted."""
        if preformatted:
            first, *rest = data.split("\n")
            self._put(first)
            for line in rest:
                self.end_line(always=True)
                self._put(line)
            return
        flowing = _SPACES.sub(" ", data)
        words = flowing.strip(" ")
        if not words:
            self._space = self._space or bool(flowing)
            return
        if (self._space or flowing[0] == " ") and self._line:
            self._put(" ")
        self._put(words)
        self._space = flowing[-1] == " "

    def end_line(self, *, always: bool = False) -> None:
        """Begin a new line; an empty one is left only with `always`."""
        line = "".join(self._line).rstrip()
        self._line = []
        self._space = False
        if not line and not always:
            return
        prefix = "> " * min(self.quote_depth, _MAX_QUOTE_MARKS)
        if self._blank and self._lines:
            self._lines.append(prefix.rstrip())
        self._blank = False
        self._lines.append((prefix + line).rstrip())

    def paragraph(self) -> None:
        """Begin a new line with a blank one before it."""
        self.end_line()
        self._blank = True

    def cell(self) -> None:
        """Set the next cell of a table's row apart."""
        if self._line:
            self._put("  ")
        self._space = False

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

    def text(self) -> str:
        """All lines."""
        self.end_line()
        return "\n".join(self._lines).strip("\n")

    def _put(self, text: str) -> None:
        if text:
            self._line.append(text)
            if self._link is not None:
                self._link.append(text)


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
