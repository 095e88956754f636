"""Notes in an Obsidian vault: one Markdown file a conversation, of which one subfolder is the assistant's.

Nothing that a mail holds acts in a note: its own text stands in a code fence, what a model made of it is escaped, and names and
properties are left without the signs that could act there.
"""

import asyncio
import contextlib
import errno
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from email_assistant.adapters.files import locked, write_atomically
from email_assistant.errors import ConfigError, ProviderError, TransientError
from email_assistant.mail.address import Address
from email_assistant.mail.text import clean, fence, one_line

FOLDER = "Agent"
LOCK = ".email_assistant.lock"
SETTING = "EMAIL_ASSISTANT_VAULT"
MAX_LINE = 500
MAX_SUMMARY = 4_000
MAX_POINTS = 30
MAX_MAIL = 8_000
"""Characters of a mail's text that a note keeps."""
MAX_NAME = 50
"""Characters of a name, of at most four bytes each: systems take names of 255 bytes."""
MAX_FOLDERS = 3
_MAX_BYTES = 8 * 1024 * 1024
_TO_BE_CONFIGURED = (PermissionError, NotADirectoryError, FileExistsError)

# Windows: \ / : * ? " < > |   Obsidian's links: # ^ [ ] |   shells and templates: ` $ % { }
_FORBIDDEN = re.compile(r'[\\/:*?"<>|#^\[\]`$%{}]')
# Besides Markdown's own (CommonMark §2.4) Obsidian's links, embeds, tags, comments, highlights and blocks; plugins read `key:: value`.
_MARK = re.compile(r"[\\`*_\[\]|~^$%={}#&!]|^[-+>]|:(?=[:/])|(?<=:):|(?<=www)\.", re.IGNORECASE)
_NUMBERED = re.compile(r"^(\d{1,9})(?=[.)])")
# What acts even within a code fence: a plugin's `<% code %>`, and the comment that marks an entry.
_ACTS_RAW = re.compile(r"<(?=[%!])|!(?=\[\[)")


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
    text: str = ""
    """What the mail says."""
    summary: str = ""
    key_points: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenNote:
    """The outcome of writing a note."""

    path: str
    """The note's path in the vault, with "/" between folders."""
    outcome: Literal["created", "appended", "unchanged"]
    """"unchanged": the mail had been noted before."""


class ObsidianVault:
    """Notes in the folder `Agent` of a vault, one folder for each category; no other file is read or written.

    A note's file ends in a number made from its key, which finds it again wherever it was put below `Agent` and whatever the rest of its
    name has become. An entry is put at its end, under a lock file, and the result replaces the file atomically: what people write into
    one stays. Methods may raise `ConfigError`, `ProviderError` or `TransientError`.
    """

    def __init__(self, path: Path, timezone: str = "UTC") -> None:
        """`timezone` is the user's IANA zone, for the times in notes."""
        self._path = path
        self._zone = ZoneInfo(timezone)
        self._was_there = False

    async def write(self, note: Note) -> WrittenNote:
        """Keep the note: as a new file, or as a further entry of the one about its key.

        One mail (`message_id`) is an entry of it once, however often and from wherever this is called, so a retry is safe.
        """
        return await asyncio.to_thread(self._write, note)

    def _write(self, note: Note) -> WrittenNote:
        with self._errors():
            root = self._root()
            home = _folder(root, FOLDER)
            with locked(home / LOCK):
                file = next(_files(home, number_of(note.key)), None)
                if file is None:
                    folder = _folder(home, *folders(note.category))
                    file = folder / f"{plain(note.title) or 'Note'} {number_of(note.key)}.md"
                    if os.path.lexists(file):
                        raise ProviderError(
                            f"{SETTING}: {file} is no file of the assistant's; put it elsewhere"
                        )
                    write_atomically(file, new_page(note, self._zone))
                    return WrittenNote(_in_vault(root, file), "created")
                if file.stat().st_size > _MAX_BYTES:
                    limit = _MAX_BYTES // 1024 // 1024
                    raise ProviderError(f"{SETTING}: {file.name} is larger than {limit} MiB")
                page = file.read_bytes()
                if has_entry(page, note):
                    return WrittenNote(_in_vault(root, file), "unchanged")
                write_atomically(file, with_entry(page, note, self._zone))
                return WrittenNote(_in_vault(root, file), "appended")

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
    """The assistant's notes with this number below its folder; links are not followed."""
    for folder, inner, names in os.walk(home):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for file in (Path(folder, name) for name in sorted(names) if name.endswith(f" {number}.md")):
            if not file.is_symlink():
                yield file


def _in_vault(root: Path, file: Path) -> str:
    path = os.fsencode(file.relative_to(root)).decode("utf-8", "replace")
    return path.replace(os.sep, "/")


def folders(category: str) -> list[str]:
    """The folders of a category: one for each of its parts between slashes."""
    names = [name for name in map(plain, category.split("/", MAX_FOLDERS)) if name]
    return names[:MAX_FOLDERS] or ["Other"]


def number_of(key: str) -> str:
    """Twelve digits of a hash, the same for the same id with and without a Message-ID's brackets (RFC 5322 §3.6.4)."""
    text = key.strip().removeprefix("<").removesuffix(">")
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def new_page(note: Note, zone: ZoneInfo) -> bytes:
    """The file of a new note, with its first entry."""
    values = {
        "title": plain(note.title, MAX_LINE),
        "category": "/".join(folders(note.category)),
        "from": plain(note.sender.name, MAX_LINE),
        "address": plain(note.sender.email, MAX_LINE),
    }
    # JSON is YAML (YAML 1.2 §1.3), and leaves no text to be taken for a number, a date or a truth.
    front = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items())
    created = f"created: {note.created.astimezone(zone).isoformat(timespec='seconds')}\n"
    return with_entry(f"---\n{created}{front}---\n\n# {escaped(note.title)}\n".encode(), note, zone)


def has_entry(page: bytes, note: Note) -> bool:
    """True when the mail of this note is an entry of the page."""
    return _mark(note).encode() in page


def with_entry(page: bytes, note: Note, zone: ZoneInfo) -> bytes:
    """The page with an entry at its end; every byte that is there stays."""
    sender = one_line(f"{note.sender.name[:MAX_LINE]} ({note.sender.email})".strip())
    subject = one_line(note.subject[:MAX_LINE])
    text = note.text if len(note.text) <= MAX_MAIL else f"{note.text[:MAX_MAIL]}…"
    mail = clean(f"From: {sender}\nSubject: {subject}\n\n{text}")[0]
    parts = (
        f"## {note.created.astimezone(zone):%Y-%m-%d %H:%M} {escaped(note.title)}\n{_mark(note)}",
        escaped(note.summary, MAX_SUMMARY),
        "\n".join(f"- {point}" for point in map(escaped, note.key_points[:MAX_POINTS]) if point),
        fence(_ACTS_RAW.sub(r"\g<0> ", mail)),
    )
    gap = "\n" if page.endswith(b"\n") else "\n\n"
    return page + (gap + "\n\n".join(filter(None, parts)) + "\n").encode()


def _mark(note: Note) -> str:
    """The comment by which a mail's entry is recognised; no text of a mail can hold one, since no "<!" of it is left."""
    return f"<!-- mail {number_of(note.message_id)} -->"


def escaped(text: str, limit: int = MAX_LINE) -> str:
    """The text as one line of Markdown that means nothing but itself, in Obsidian and to plugins that read the file."""
    # Cleaning megabytes takes seconds.
    line = _MARK.sub(r"\\\g<0>", one_line(text[: 4 * limit], limit=limit))
    return _NUMBERED.sub(r"\1\\", line.replace("<", "&lt;"))


def plain(text: str, limit: int = MAX_NAME) -> str:
    """The text without the signs that act in names of files and in properties, where nothing can be escaped."""
    return one_line(_FORBIDDEN.sub(" ", text[: 4 * limit]), limit=limit).strip(".-~ ")
