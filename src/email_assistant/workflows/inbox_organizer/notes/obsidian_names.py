"""Names of files and folders that every system and Obsidian itself can handle."""

import hashlib
import re
import unicodedata

from email_assistant.mail.text import one_line

SUFFIX = ".md"
# Far below the 255 bytes of a name, since Windows also limits the whole path.
_MAX_BYTES = 120
_MAX_FOLDERS = 3
_READ = 1_000
_NUMBERED = re.compile(r"(?P<title>.*) (?P<number>[0-9a-f]{12})\.md", re.DOTALL)

# Windows: \ / : * ? " < > |   Obsidian's links: # ^ [ ] |   shells and templates: ` $ % { }
_FORBIDDEN = frozenset('\\/:*?"<>|#^[]`$%{}')
# Names of devices, whatever follows a dot (Windows naming conventions).
_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$?|conout\$?)\s*(?:\.|$)", re.IGNORECASE
)


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


def title_of_file(name: str) -> str:
    """A note's file name without its number."""
    found = _NUMBERED.fullmatch(name)
    return found["title"] if found else name


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
