"""A note as a Markdown file with front matter: written new, recognised, and added to without touching what is there."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote
from zoneinfo import ZoneInfo

from email_assistant.adapters.obsidian_text import inline, link, paragraphs, property_text, shortened, tag
from email_assistant.adapters.obsidian_yaml import (
    UnreadableError,
    Value,
    added,
    replaced,
    timestamp,
    top_level,
    written,
)
from email_assistant.mail.address import Address
from email_assistant.notes.note import Note, topic

MAX_FRONT_MATTER = 1024 * 1024
MAX_TITLE = 200

_MAX_POINTS = 30
_MAX_LINKS = 30
_MAX_TAGS = 20
_MAX_ID = 200
_BOM = b"\xef\xbb\xbf"
_OPENS = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n")
_CLOSES = re.compile(rb"^---[ \t]*(?=\r?\n|\Z)", re.MULTILINE)
_KEY_LINE = re.compile(r"^key:[ \t]*(\S.*?)[ \t]*\r?$", re.MULTILINE)
_SCALAR = re.compile(r"[^\s\"',\[\]]+")


@dataclass(frozen=True, slots=True)
class Identity:
    """What a file's front matter says of the note, if it is one of the assistant's."""

    keys: tuple[str, ...]
    ids: frozenset[str]
    title: str
    topic: str
    problem: str = ""
    """Why the front matter cannot be relied on (somebody broke it); "" when it can."""


def stored(identifier: str) -> str:
    """An id as it stands in front matter: percent-encoded, without a Message-ID's brackets, never very long."""
    text = identifier.strip().removeprefix("<").removesuffix(">")
    encoded = quote(text, safe="@+=", errors="surrogatepass") if len(text) <= _MAX_ID else ""
    if encoded and len(encoded) <= _MAX_ID:
        return encoded
    return "sha256-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def identify(data: bytes) -> Identity | None:
    """Which of the assistant's notes this file (or its beginning) is; None for everybody else's."""
    span = _front_matter(data)
    if span is None:
        return None
    raw = data[span[0] : span[1]]
    if b"key" not in raw or b"email_ids" not in raw:
        return None
    try:
        values = top_level(raw.decode())
    except UnicodeDecodeError as error:
        return _broken(raw.decode("utf-8", "replace"), f"it is no UTF-8 ({error.reason})")
    except UnreadableError as error:
        return _broken(raw.decode(), str(error))
    if "key" not in values or "email_ids" not in values:
        return None
    domain = _text(values, "from").rpartition("@")[2].rstrip(") ")
    title = _text(values, "title")
    return Identity(
        keys=tuple(filter(None, values["key"].items)),
        ids=frozenset(values["email_ids"].items),
        title=title,
        topic=topic(title, _text(values, "category"), domain),
    )


def identity_of(note: Note) -> Identity:
    """What the front matter of the note will say."""
    title, category = property_text(note.title, MAX_TITLE), property_text(note.category, MAX_TITLE)
    domain = property_text(note.sender.domain, MAX_TITLE)
    return Identity(
        (stored(note.key),), frozenset([stored(note.message_id)]), title, topic(title, category, domain)
    )


def new_page(note: Note, zone: ZoneInfo) -> bytes:
    """The file of a new note."""
    when = timestamp(note.created.astimezone(zone))
    front = written({
        "title": property_text(note.title, MAX_TITLE),
        "created": when,
        "updated": when,
        "category": property_text(note.category, MAX_TITLE),
        "from": property_text(_who(note.sender), MAX_TITLE * 3),
        "tags": list(dict.fromkeys(filter(None, map(tag, note.tags))))[:_MAX_TAGS],
        "email_ids": [stored(note.message_id)],
        "key": stored(note.key),
    })  # fmt: skip
    blocks = [f"# {inline(note.title, MAX_TITLE)}", _origin(note), *_sections(note, "##")]
    return f"---\n{front}---\n\n{_joined(blocks)}\n".encode()


def with_entry(data: bytes, note: Note, zone: ZoneInfo) -> bytes:
    """The file with an entry at its end, and its front matter brought up to date; every other byte stays.

    Raises `UnreadableError` when the front matter has a shape that cannot be changed in place.
    """
    span = _front_matter(data)
    if span is None:
        raise UnreadableError("it is missing")
    try:
        front = data[span[0] : span[1]].decode()
    except UnicodeDecodeError as error:
        raise UnreadableError("it is no UTF-8") from error
    front = added(front, "email_ids", stored(note.message_id))
    keys = top_level(front).get("key")
    if keys is None or stored(note.key) not in keys.items:
        front = added(front, "key", stored(note.key))
    front = _updated(front, note.created, zone)
    entry = _entry(note, zone, data[span[1] :])
    changed = front.encode()
    if len(changed) > MAX_FRONT_MATTER:
        raise UnreadableError("it is full")
    return data[: span[0]] + changed + data[span[1] :] + entry


def body(data: bytes) -> str:
    """What stands below the front matter."""
    span = _front_matter(data)
    rest = data[span[1] :] if span else data.removeprefix(_BOM)
    text = rest.decode("utf-8", "replace")
    return text.partition("\n")[2] if span else text


def _front_matter(data: bytes) -> tuple[int, int] | None:
    """Where the YAML between the two lines of dashes begins and ends."""
    opening = _OPENS.match(data)
    if opening is None:
        return None
    closing = _CLOSES.search(data, opening.end(), opening.end() + MAX_FRONT_MATTER)
    return (opening.end(), closing.start()) if closing else None


def _broken(front: str, problem: str) -> Identity | None:
    """What can be seen without understanding it, so that no second note is made beside a broken one."""
    keys = tuple(key for line in _KEY_LINE.findall(front) for key in _SCALAR.findall(line))
    if not keys:
        return None
    return Identity(keys, frozenset(_SCALAR.findall(front)), "", "", problem)


def _text(values: dict[str, Value], name: str) -> str:
    value = values.get(name)
    return value.items[0] if value and value.kind == "scalar" else ""


def _updated(front: str, created: datetime, zone: ZoneInfo) -> str:
    """The front matter with the time of its last entry, which never goes back."""
    try:
        last = datetime.fromisoformat(_text(top_level(front), "updated"))
        # Somebody may have entered a time without a zone by hand: then it is taken for one in the user's.
        last = (last if last.tzinfo else last.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        last = None
    if last and last >= created.astimezone(UTC):
        return front
    return replaced(front, "updated", timestamp(created.astimezone(zone)))


def _entry(note: Note, zone: ZoneInfo, before: bytes) -> bytes:
    """The bytes of an entry, in the way the file ends its lines and ends itself."""
    line_end = "\r\n" if b"\r\n" in before else "\n"
    heading = f"## {note.created.astimezone(zone):%Y-%m-%d %H:%M} {inline(note.title, MAX_TITLE)}"
    text = _joined([heading, _origin(note), *_sections(note, "###")])
    ends = before.endswith(b"\n")
    blank = ends and re.search(rb"\n\r?\n\Z", before) is not None
    gap = "" if blank else "\n" if ends else "\n\n"
    return (gap + text + ("\n" if ends else "")).replace("\n", line_end).encode()


def _joined(blocks: Iterable[str]) -> str:
    return "\n\n".join(blocks)


def _origin(note: Note) -> str:
    subject = inline(note.subject, MAX_TITLE) or "(no subject)"
    return f"Mail from {inline(_who(note.sender))}: {subject}"


def _sections(note: Note, level: str) -> list[str]:
    points = [inline(point) for point in note.key_points[:_MAX_POINTS]]
    links = list(dict.fromkeys(link(url) for url in note.links[: _MAX_LINKS * 3]))
    parts = {
        "Summary": paragraphs(note.summary),
        "Key points": _list(filter(None, points)),
        "Links": _list([url for url in links if url][:_MAX_LINKS]),
    }
    return [f"{level} {name}\n\n{text}" for name, text in parts.items() if text]


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _who(sender: Address) -> str:
    return f"{shortened(sender.name, MAX_TITLE)} ({sender.email})" if sender.name else sender.email
