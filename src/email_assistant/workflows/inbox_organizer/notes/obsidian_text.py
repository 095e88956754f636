"""Text from mail as inert Markdown for Obsidian and its plugins, as inert values of properties, and as names of files and folders.

Besides Markdown's own marks (CommonMark §2.4) these act in Obsidian: `[[links]]`, `![[embeds]]`, `#tags`, `%%comments%%`,
`==highlights==`, `$math$`, `^blocks`, callouts; and in plugins that read the raw file: `key:: value`, `<% code %>`. Names are such
that every system and Obsidian itself can handle.
"""

import hashlib
import re
import unicodedata
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
_NOT_IN_TAGS = re.compile(r"[^\w/]+")
_PROPERTY = str.maketrans({"[": "(", "]": ")", "<": "‹", ">": "›", "`": "'", "{": "(", "}": ")"})
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")

SUFFIX = ".md"
# Far below the 255 bytes of a name, since Windows also limits the whole path.
_MAX_BYTES = 120
_MAX_FOLDERS = 3
_READ = 1_000
_NUMBERED = re.compile(r".* (?P<number>[0-9a-f]{12})\.md", re.DOTALL)

# Windows: \ / : * ? " < > |   Obsidian's links: # ^ [ ] |   shells and templates: ` $ % { }
_FORBIDDEN = frozenset('\\/:*?"<>|#^[]`$%{}')
# Names of devices, whatever follows a dot (Windows naming conventions).
_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$?|conout\$?)\s*(?:\.|$)", re.IGNORECASE
)


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
    """The beginning that is enough to cut the text from, since cleaning megabytes takes seconds."""
    return text[: limit * 4 + 1_000]


def _escape(match: re.Match[str]) -> str:
    if match["angle"]:
        return "&lt;"
    return "&amp;" if match["entity"] else "\\" + match["escaped"]


def stem(text: str, otherwise: str = "Note") -> str:
    """The text as the name of a file, without a suffix: letters, digits and plain punctuation of any script."""
    kept = "".join(map(_kept, unicodedata.normalize("NFC", one_line(text[:_READ]))))
    name = _short(" ".join(unicodedata.normalize("NFC", kept).split()).lstrip(".-~ "))
    if not name:
        return otherwise
    return f"{otherwise or 'Note'} {name}" if _RESERVED.match(name) else name


def note_name(title: str, key: str) -> str:
    """The name of the file about this key: the title, for people, and the key's number."""
    return f"{stem(title)} {number_of(key)}{SUFFIX}"


def number_of(key: str) -> str:
    """Twelve digits of a hash, the same for the same id with and without a Message-ID's brackets (RFC 5322 §3.6.4)."""
    text = key.strip().removeprefix("<").removesuffix(">")
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def number_of_file(name: str) -> str:
    """The number that a note's file name ends in; "" for files that are not the assistant's."""
    found = _NUMBERED.fullmatch(name)
    return found["number"] if found else ""


def folders(category: str) -> tuple[str, ...]:
    """The folders of a category: one for each of its parts between slashes."""
    parts = [part for part in (stem(piece, "") for piece in category[:_READ].split("/")) if part]
    return tuple(parts[:_MAX_FOLDERS]) or ("Other",)


def _kept(char: str) -> str:
    kind = unicodedata.category(char)
    if char in _FORBIDDEN or kind == "Zs":
        return " "
    return char if kind[0] in "LMNP" or kind == "Sc" or char in "+=~" else ""


def _short(name: str) -> str:
    """The name within the limit, cut between words where that leaves most of it."""
    raw = name.encode()
    if len(raw) > _MAX_BYTES:
        cut = raw[:_MAX_BYTES].decode("utf-8", "ignore")
        words = cut.rpartition(" ")[0]
        name = words if len(words) > len(cut) // 2 else cut
    return name.rstrip(". ")
