"""Text from mail as inert Markdown for Obsidian and its plugins, and as inert values of properties.

Besides Markdown's own marks (CommonMark §2.4) these act in Obsidian: `[[links]]`, `![[embeds]]`, `#tags`, `%%comments%%`,
`==highlights==`, `$math$`, `^blocks`, callouts; and in plugins that read the raw file: `key:: value`, `<% code %>`.
"""

import re
from urllib.parse import quote, urlsplit

from email_assistant.mail.text import clean, one_line

MAX_LINE = 500
MAX_TEXT = 8_000
MAX_LINES = 200
_MAX_URL = 2_000
_MAX_TAG = 50

_ACTIVE = re.compile(
    r"(?P<escaped>[\\`*_\[\]|~^$]|%(?=%)|(?<=[%{<])%|=(?==)|(?<==)=|:(?=:|//)|(?<=:):|\{(?=\{)|(?<=\{)\{"
    r"|#(?=\S)|(?<=www)\.)|(?P<angle><)|(?P<entity>&(?=#?\w+;))",
    re.IGNORECASE,
)
_LINE_START = re.compile(r"^(?:(?=[-+>#=:])|(\d{1,9})(?=[.)]))")
_UNESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_NOT_IN_TAGS = re.compile(r"[^\w/]+")
_PROPERTY = str.maketrans({"[": "(", "]": ")", "<": "‹", ">": "›", "`": "'", "{": "(", "}": ")"})
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


def inline(text: str, limit: int = MAX_LINE) -> str:
    """The text as one line that means nothing but itself, wherever on a line it stands."""
    escaped = _ACTIVE.sub(_escape, shortened(one_line(_bounded(text, limit)), limit))
    return _LINE_START.sub(lambda match: f"{match[1] or ''}\\", escaped, count=1)


def paragraphs(text: str, limit: int = MAX_TEXT) -> str:
    """The text with its lines and paragraphs, each line inert."""
    lines: list[str] = []
    for line in shortened(clean(_bounded(text, limit))[0].strip(), limit).split("\n"):
        inert = inline(line, limit)
        if inert or (lines and lines[-1]):
            lines.append(inert)
    if len(lines) > MAX_LINES:
        lines[MAX_LINES:] = ["…"]
    return "\n".join(lines).rstrip()


def unescaped(markdown: str) -> str:
    """Markdown with what `inline` escaped as it was."""
    return _UNESCAPED.sub(r"\1", markdown).replace("&lt;", "<").replace("&amp;", "&")


def readable(markdown: str) -> str:
    """A line of Markdown as plain text."""
    return one_line(unescaped(markdown))


def property_text(text: str, limit: int) -> str:
    """The text as the value of a property: nothing in it is taken for a link, for HTML or for code.

    Front matter knows no escapes, so brackets that could act are replaced by such that cannot.
    """
    return shortened(one_line(_bounded(text, limit)), limit).translate(_PROPERTY).replace("://", ": //")


def link(url: str) -> str:
    """The address as a Markdown autolink (CommonMark §6.5) that shows where it leads; "" unless it is plain https.

    The host is shown in its ASCII form, so that look-alike letters are seen; user names in it are not accepted.
    """
    if len(url) > _MAX_URL:
        return ""
    try:
        parts = urlsplit(one_line(url))
        port = f":{parts.port}" if parts.port else ""
        host = (parts.hostname or "").encode("idna").decode("ascii")
    except ValueError:  # includes UnicodeError
        return ""
    if parts.scheme != "https" or "@" in parts.netloc or not re.fullmatch(r"[a-z0-9.-]*[a-z0-9]\.?", host):
        return ""
    rest = (
        parts.path
        + (f"?{parts.query}" if parts.query else "")
        + (f"#{parts.fragment}" if parts.fragment else "")
    )
    safe = quote(_STRAY_PERCENT.sub("%25", rest), safe="%/?#=&+,;:@!$'()*~-._")
    return f"<https://{host}{port}{safe.replace('::', ':%3A').replace('$=', '%24=')}>"


def tag(text: str) -> str:
    """The text as an Obsidian tag (letters, digits, "_", "-", "/", not digits alone), or ""."""
    name = _NOT_IN_TAGS.sub("-", one_line(_bounded(text, _MAX_TAG), limit=_MAX_TAG)).strip("-/")
    name = re.sub(r"/+", "/", name)
    return name if re.search(r"[^\d/_-]", name) else ""


def shortened(text: str, limit: int) -> str:
    """The text, with "…" in place of what is beyond so many characters."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _bounded(text: str, limit: int) -> str:
    """What is enough to cut the text from, since cleaning megabytes takes seconds."""
    return text[: limit * 4 + 1_000]


def _escape(match: re.Match[str]) -> str:
    if match["angle"]:
        return "&lt;"
    return "&amp;" if match["entity"] else "\\" + match["escaped"]
