"""Notes in an Obsidian vault: a folder of Markdown files, of which one subfolder is the assistant's.

A note has front matter that is written once, and an entry for each mail, put at the end.
"""

import asyncio
import contextlib
import errno
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from email_assistant.adapters.files import locked, write_atomically
from email_assistant.errors import ConfigError, InputError, ProviderError, TransientError
from email_assistant.mail.address import Address
from email_assistant.mail.text import one_line
from email_assistant.workflows.inbox_organizer.notes.obsidian_text import (
    folders,
    inline,
    link,
    note_name,
    number_of,
    number_of_file,
    paragraphs,
    property_text,
    shortened,
    tag,
)

MAX_TITLE = 200
_MAX_POINTS = 30
_MAX_LINKS = 30
_MAX_TAGS = 20
FOLDER = "Agent"
LOCK = ".email_assistant.lock"
SETTING = "EMAIL_ASSISTANT_VAULT"
_MAX_BYTES = 8 * 1024 * 1024
_TO_BE_CONFIGURED = (PermissionError, NotADirectoryError, FileExistsError)
_READ = 1_000
_FIRST_YEAR, _LAST_YEAR = 1970, 9998


@dataclass(frozen=True, slots=True)
class Note:
    """A note about one mail. Every text in it is data: a vault writes it so that none of it can act."""

    key: str
    """The matter of the note: the id of one conversation."""
    title: str
    created: datetime
    """When this was noted; aware."""
    category: str
    """One of the inbox's categories; slashes make folders ("Professional/Work")."""
    sender: Address
    message_id: str
    """The mail this was noted from: its Message-ID header, or the mailbox's own id when it has none."""
    subject: str = ""
    summary: str = ""
    """Plain text, in paragraphs."""
    key_points: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    """Addresses to keep; those that are not plain https are left out."""
    tags: tuple[str, ...] = ()


def check_note(note: Note) -> None:
    """Raises `InputError` naming the field for a note that no vault could keep."""
    for name, text in (
        ("title", one_line(note.title[:_READ])),
        ("category", one_line(note.category[:_READ])),
        ("key", note.key.strip()),
        ("message_id", note.message_id.strip().strip("<>")),
    ):
        if not text:
            raise InputError(f"'{name}' of a note is empty")
    if note.created.utcoffset() is None:
        raise InputError(f"'created' has no time zone: {note.created.isoformat()}")
    if not _FIRST_YEAR <= note.created.year <= _LAST_YEAR:
        raise InputError(f"'created' is out of range: {note.created.isoformat()}")


@dataclass(frozen=True, slots=True)
class WrittenNote:
    """The outcome of writing a note."""

    path: str
    """The note's path in the vault, with "/" between folders."""
    outcome: Literal["created", "appended", "unchanged"]
    """"unchanged": the mail had been noted before."""


class ObsidianVault:
    """Notes in the folder `Agent` of a vault, one folder for each category; no other file is read or written.

    One note a matter, which the assistant owns and only ever adds to: what people write into one stays. Methods may raise `ConfigError`,
    `ProviderError` or `TransientError`.

    A note's file ends in a number made from its key, which finds it again wherever it was put below `Agent` and whatever the rest
    of its name has become. An entry is put at its end, under a lock file, and the result replaces the file atomically.
    """

    def __init__(self, path: Path, timezone: str = "UTC") -> None:
        """`timezone` is the user's IANA zone, for the times in notes."""
        self._path = path
        self._zone = ZoneInfo(timezone)
        self._was_there = False

    async def write(self, note: Note) -> WrittenNote:
        """Keep the note: as a new file, or as a further entry of the one about its key.

        One mail (`message_id`) is an entry of it once, however often and from wherever this is called, so a retry is safe.
        Raises `InputError` naming the field, `ConfigError` when the vault cannot be written to.
        """
        check_note(note)
        return await asyncio.to_thread(self._write, note)

    def _write(self, note: Note) -> WrittenNote:
        with self._errors():
            root = self._root()
            home = _folder(root, FOLDER)
            with locked(home / LOCK):
                file = next(_files(home, number_of(note.key)), None)
                before = _content(file) if file else b""
                if file and has_entry(before, note):
                    return WrittenNote(_told(root, file), "unchanged")
                if file:
                    write_atomically(file, with_entry(before, note, self._zone))
                    return WrittenNote(_told(root, file), "appended")
                file = _folder(home, *folders(note.category)) / note_name(note.title, note.key)
                if os.path.lexists(file):
                    raise ProviderError(f"{SETTING}: {file} is no file of the assistant's; put it elsewhere")
                write_atomically(file, new_page(note, self._zone))
                return WrittenNote(_told(root, file), "created")

    def _root(self) -> Path:
        """The vault's real place, made where it is missing."""
        root = Path(os.path.realpath(self._path.expanduser()))
        if not root.exists() and self._was_there:
            # A drive that is unplugged is not a vault to begin anew.
            raise TransientError(f"{SETTING}: {self._path} has disappeared")
        if root.exists() and not root.is_dir():
            raise ConfigError(f"{SETTING}: {self._path} is not a folder; name the folder of your vault")
        root.mkdir(parents=True, exist_ok=True)
        self._was_there = True
        return root

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn the system's errors into such that name the setting."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or str(error)
            if isinstance(error, _TO_BE_CONFIGURED) or error.errno == errno.EROFS:
                raise ConfigError(
                    f"{SETTING}: {error.filename or self._path} cannot be used: {reason}; "
                    "name a folder that may be read and written"
                ) from error
            raise ProviderError(f"{SETTING}: {error.filename or self._path}: {reason}") from error


def _folder(root: Path, *parts: str) -> Path:
    """The folder below `root`, made where it is missing; raises `ProviderError` for a link, which may lead out of the vault."""
    for part in parts:
        root = root / part
        if root.is_symlink():
            raise ProviderError(
                f"{SETTING}: {root} is a link, which may lead out of the vault; put a folder there"
            )
        root.mkdir(exist_ok=True)
    return root


def _files(home: Path, number: str) -> Iterator[Path]:
    """The assistant's notes with this number below its folder, in order of their names; links are not followed."""
    inner: list[Path] = []
    with os.scandir(home) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if entry.is_dir():
            inner.append(Path(entry.path))
        elif entry.is_file() and number_of_file(entry.name) == number:
            yield Path(entry.path)
    for folder in inner:
        yield from _files(folder, number)


def _content(file: Path) -> bytes:
    if file.stat().st_size > _MAX_BYTES:
        raise ProviderError(f"{SETTING}: {file.name} is larger than {_MAX_BYTES // 1024 // 1024} MiB")
    return file.read_bytes()


def _told(root: Path, file: Path) -> str:
    """The note's path in the vault, as it is told and recorded."""
    return os.fsencode(file.relative_to(root)).decode("utf-8", "replace").replace(os.sep, "/")


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
