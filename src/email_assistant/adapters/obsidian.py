"""The `Vault` port on an Obsidian vault: a folder of Markdown files."""

import asyncio
import contextlib
import errno
import os
import stat
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

from email_assistant.adapters.files import locked, sync_folder, write_and_sync, write_atomically
from email_assistant.adapters.obsidian_index import VaultIndex
from email_assistant.adapters.obsidian_names import SUFFIX, file_names, folders, same
from email_assistant.adapters.obsidian_page import identify, identity_of, new_page, stored, with_entry
from email_assistant.adapters.obsidian_search import NoteSearch
from email_assistant.adapters.obsidian_yaml import UnreadableError
from email_assistant.errors import ConfigError, InputError, NotFoundError, ProviderError, TransientError
from email_assistant.notes.note import Note, check_note
from email_assistant.notes.vault import Found, Written

FOLDER = "Agent"
LOCK = ".email_assistant.lock"
SETTING = "EMAIL_ASSISTANT_VAULT"

_ATTEMPTS = 5
_MAX_BYTES = 8 * 1024 * 1024
_MAX_PATH = 4096
_MAX_FOUND = 50
_TO_BE_CONFIGURED = (PermissionError, NotADirectoryError, FileExistsError)


class ObsidianVault:
    """Notes in the folder `Agent` of a vault, one folder for each category; the vault is created when it is missing.

    People and other programs may change, move and rename anything at any time. A note is known by the `key` in its
    front matter. An entry is put at its end, under a lock file, and the result replaces the file atomically.
    """

    def __init__(self, path: Path, timezone: str = "UTC", *, folder: str = FOLDER) -> None:
        """`timezone` is the user's IANA zone, for the times in notes; `folder` is where new notes go."""
        self._path = path
        self._zone = ZoneInfo(timezone)
        self._folder = folder
        self._guard = threading.Lock()
        self._index: VaultIndex | None = None
        self._search: NoteSearch | None = None

    @property
    def name(self) -> str:
        """ "obsidian:" and the path it was made with."""
        return f"obsidian:{self._path}"

    async def find(self, key: str) -> str | None:
        """The path of the note about this key, wherever it was moved; None when there is none."""
        return await asyncio.to_thread(self._find, key)

    async def write(self, note: Note) -> Written:
        """Keep the note; a mail that was noted before changes nothing.

        It becomes an entry of the note about its key; else of the note whose title, category and sender's
        organisation are the same; else a new note. Raises `InputError` naming the field, `ConfigError` when the
        vault cannot be written to, `ProviderError` when the note's front matter was broken by hand.
        """
        check_note(note)
        return await asyncio.to_thread(self._write, note)

    async def read(self, path: str) -> str:
        """The note's Markdown, front matter included; raises `NotFoundError`, `InputError` for paths that lead out."""
        return await asyncio.to_thread(self._read, path)

    async def search(self, words: str, limit: int) -> list[Found]:
        """At most `limit` (and 50) of the assistant's notes that have any of the words, the best first."""
        return await asyncio.to_thread(self._find_words, words, limit)

    def _find(self, key: str) -> str | None:
        wanted = stored(key)
        with self._guard, self._errors():
            index = self._opened()
            if index is None:
                return None
            path = index.about(wanted)
            # A hit is true when the file still says so; a miss only after all that is new was looked at.
            entry = index.look(path) if path else None
            if entry and entry.identity and wanted in entry.identity.keys:
                return entry.path
            index.refresh()
            return index.about(wanted)

    def _write(self, note: Note) -> Written:
        with self._guard, self._errors():
            index = self._opened(create=True)
            if index is None:
                raise TransientError(f"{SETTING}: {self._path} disappears again and again")
            with locked(index.root / LOCK):
                for _ in range(_ATTEMPTS):
                    index.refresh()
                    written = self._attempt(index, note)
                    if written:
                        return written
        raise TransientError(f"{SETTING}: another program keeps changing the note about {note.title[:80]!r}")

    def _attempt(self, index: VaultIndex, note: Note) -> Written | None:
        """One try at keeping the note; None when the vault changed meanwhile."""
        mine = identity_of(note)
        path = index.noted(*mine.ids) or index.about(*mine.keys) or index.on(mine.topic)
        if path is None:
            return self._create(index, note)
        data = _content(_inside(index.root, path))
        known = identify(data) if data is not None else None
        if data is None or known is None:
            index.look(path)
            return None
        index.wrote(path, data)
        if mine.ids & known.ids:
            return Written(path, "unchanged")
        if not known.problem and not set(mine.keys) & set(known.keys) and mine.topic != known.topic:
            return None
        return self._append(index, path, data, note)

    def _append(self, index: VaultIndex, path: str, before: bytes, note: Note) -> Written | None:
        target = _inside(index.root, path)
        try:
            after = with_entry(before, note, self._zone)
        except UnreadableError as error:
            raise ProviderError(
                f"{path}: its front matter cannot be changed: {error}; mend it by hand"
            ) from error
        # Programs that do not know our lock may have written meanwhile; their change is not to be lost.
        if _content(target) != before:
            return None
        write_atomically(target, after)
        index.wrote(path, after)
        return Written(path, "appended")

    def _create(self, index: VaultIndex, note: Note) -> Written:
        folder = index.root
        for part in (*folders(self._folder), *folders(note.category)):
            folder = folder / part
            folder.mkdir(exist_ok=True)
            _inside(index.root, str(folder.relative_to(index.root)))
        folder = Path(os.path.realpath(folder))
        data = new_page(note, self._zone)
        taken = {same(name) for name in os.listdir(folder)}
        for name in file_names(note.title, note.key):
            if same(name) not in taken and _put(folder / name, data):
                path = (folder / name).relative_to(index.root).as_posix()
                index.wrote(path, data)
                return Written(path, "created")
        raise ProviderError(f"{SETTING}: every name for the note {note.title[:80]!r} is taken in {folder}")

    def _read(self, path: str) -> str:
        _check_path(path)
        with self._errors():
            target = _inside(Path(os.path.realpath(self._path.expanduser())), path)
            data = _content(target)
        if data is None:
            raise NotFoundError(f"there is no note {path!r} in the vault")
        return data.decode("utf-8-sig", "replace")

    def _find_words(self, words: str, limit: int) -> list[Found]:
        with self._guard, self._errors():
            index = self._opened()
            if index is None or self._search is None:
                return []
            index.refresh()
            return self._search.best(index.notes(), words, min(limit, _MAX_FOUND))

    def _opened(self, *, create: bool = False) -> VaultIndex | None:
        """The index of the vault; None when there is no vault yet."""
        root = Path(os.path.realpath(self._path.expanduser()))
        if not root.exists():
            if self._index is not None and self._index.root == root:
                # It was there: a drive that is unplugged is not a vault to begin anew.
                raise TransientError(f"{SETTING}: {self._path} has disappeared")
            if not create:
                return None
            root.mkdir(parents=True, exist_ok=True)
        if not root.is_dir():
            raise ConfigError(f"{SETTING}: {self._path} is not a folder; name the folder of your vault")
        if self._index is None or self._index.root != root:
            self._index, self._search = VaultIndex(root), NoteSearch(root)
        return self._index

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


def _check_path(path: str) -> None:
    """Raises `InputError` for what is not the path of a note: it would lead out of the vault, or into its settings."""
    parts = path.split("/")
    odd = any(char in path for char in "\\\0") or any(part in ("", ".", "..") for part in parts)
    if odd or len(path) > _MAX_PATH or ":" in parts[0] or any(part.startswith(".") for part in parts):
        raise InputError(f"'path' is not the path of a note in the vault: {path[:80]!r}")
    if not path.lower().endswith(SUFFIX):
        raise InputError(f"'path' is not the path of a Markdown file: {path[:80]!r}")


def _inside(root: Path, path: str) -> Path:
    """The path's real place; raises `ProviderError` when a link on the way leads out of the vault."""
    real = Path(os.path.realpath(root / path))
    if not real.is_relative_to(root):
        raise ProviderError(f"{SETTING}: {path} leads out of the vault")
    return real


def _content(path: Path) -> bytes | None:
    """The file's bytes; None when there is no such regular file."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return None
        if status.st_size > _MAX_BYTES:
            raise ProviderError(f"{path.name}: larger than {_MAX_BYTES // 1024 // 1024} MiB")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _put(path: Path, data: bytes) -> bool:
    """Create the file, seen whole or not at all; False when there is one of this name already."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".email_assistant.")
    try:
        write_and_sync(descriptor, data)
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
        except OSError:  # some file systems have no links: the name is taken first, then the file put there
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            except FileExistsError:
                return False
            os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)
    sync_folder(path.parent)
    return True
