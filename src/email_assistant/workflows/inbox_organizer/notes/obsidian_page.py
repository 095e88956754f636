"""A note as a Markdown file: front matter that is written once, and an entry for each mail, put at the end."""

import json
from collections.abc import Iterable
from zoneinfo import ZoneInfo

from email_assistant.mail.address import Address
from email_assistant.workflows.inbox_organizer.notes.note import Note
from email_assistant.workflows.inbox_organizer.notes.obsidian_names import number_of
from email_assistant.workflows.inbox_organizer.notes.obsidian_text import (
    inline,
    link,
    paragraphs,
    property_text,
    shortened,
    tag,
)

MAX_TITLE = 200
_MAX_POINTS = 30
_MAX_LINKS = 30
_MAX_TAGS = 20


def new_page(note: Note, zone: ZoneInfo) -> bytes:
    """The file of a new note, with its first entry."""
    values = {
        "title": property_text(note.title, MAX_TITLE),
        "category": property_text(note.category, MAX_TITLE),
        "from": property_text(_who(note.sender), MAX_TITLE * 3),
        "tags": list(dict.fromkeys(filter(None, map(tag, note.tags))))[:_MAX_TAGS],
    }
    # JSON is YAML (YAML 1.2 §1.3), and leaves no text to be taken for a number, a date or a truth.
    front = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items())
    created = f"created: {note.created.astimezone(zone).isoformat(timespec='seconds')}\n"
    page = f"---\n{created}{front}---\n\n# {inline(note.title, MAX_TITLE)}\n"
    return with_entry(page.encode(), note, zone)


def has_entry(page: bytes, note: Note) -> bool:
    """Whether the mail of this note is an entry of the page."""
    return _mark(note).encode() in page


def with_entry(page: bytes, note: Note, zone: ZoneInfo) -> bytes:
    """The page with an entry at its end; every byte that is there stays."""
    heading = f"## {note.created.astimezone(zone):%Y-%m-%d %H:%M} {inline(note.title, MAX_TITLE)}"
    entry = "\n\n".join([f"{heading}\n{_mark(note)}", _origin(note), *_sections(note)])
    gap = "\n" if page.endswith(b"\n") else "\n\n"
    return page + f"{gap}{entry}\n".encode()


def _mark(note: Note) -> str:
    """The comment by which a mail's entry is recognised; no text of a mail can hold one, since each "<" of it is escaped."""
    return f"<!-- mail {number_of(note.message_id)} -->"


def _origin(note: Note) -> str:
    subject = inline(note.subject, MAX_TITLE) or "(no subject)"
    return f"Mail from {inline(_who(note.sender))}: {subject}"


def _sections(note: Note) -> list[str]:
    points = [inline(point) for point in note.key_points[:_MAX_POINTS]]
    links = list(dict.fromkeys(link(url) for url in note.links[: _MAX_LINKS * 3]))
    parts = {
        "Summary": paragraphs(note.summary),
        "Key points": _list(filter(None, points)),
        "Links": _list([url for url in links if url][:_MAX_LINKS]),
    }
    return [f"### {name}\n\n{text}" for name, text in parts.items() if text]


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _who(sender: Address) -> str:
    return f"{shortened(sender.name, MAX_TITLE)} ({sender.email})" if sender.name else sender.email
