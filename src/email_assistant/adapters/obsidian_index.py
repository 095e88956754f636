"""The index of a vault's notes, kept in memory: only files that are new or changed are read. Blocking calls."""

import contextlib
import os
import stat
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from email_assistant.adapters.obsidian_names import SUFFIX
from email_assistant.adapters.obsidian_page import MAX_FRONT_MATTER, Identity, identify

_HEAD = 8 * 1024
# File times are coarse: what changed this recently may change again without its time changing.
_SETTLED_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A Markdown file: its path in the vault, what told its content from another's, and which note it is."""

    path: str
    stamp: tuple[int, int, int]
    settled: bool
    identity: Identity | None


@dataclass(frozen=True, slots=True)
class _Folder:
    changed_ns: int
    settled: bool
    folders: tuple[str, ...]
    files: frozenset[str]


class VaultIndex:
    """Which of the assistant's notes is where, wherever people moved it. Not safe to use from two threads at once.

    Hidden files and folders are left out (Obsidian keeps its settings and its trash there), and links are not
    followed, since they may lead out of the vault.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._folders: dict[str, _Folder] = {}
        self._entries: dict[str, Entry] = {}
        self._young: set[str] = set()
        self._by: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

    def refresh(self) -> None:
        """Notice what was added, moved, renamed, replaced or deleted since, by whomever."""
        seen: set[str] = set()
        pending = [""]
        while pending:
            path = pending.pop()
            folder = self._folder(path)
            if folder is not None:
                seen.add(path)
                pending.extend(folder.folders)
        for path in self._folders.keys() - seen:
            for file in self._folders.pop(path).files:
                self._forget(file)
        for file in tuple(self._young):
            self.look(file)

    def look(self, path: str) -> Entry | None:
        """The file as it is at this moment, read again if it changed; None when it is gone."""
        try:
            return self._seen(path, os.lstat(self.root / path))
        except (FileNotFoundError, NotADirectoryError):
            self._forget(path)
            return None

    def wrote(self, path: str, data: bytes) -> None:
        """Learn what this process has just written itself, which need not be read again."""
        with contextlib.suppress(FileNotFoundError):
            status = os.lstat(self.root / path)
            self._remember(Entry(path, _stamp(status), settled=True, identity=identify(data)))

    def about(self, key: str) -> str | None:
        """Where the note of this (stored) key is."""
        return self._one("key", key)

    def noted(self, message_id: str) -> str | None:
        """Where the mail of this (stored) id was noted."""
        return self._one("id", message_id)

    def on(self, topic: str) -> str | None:
        """Where the note on this topic is."""
        return self._one("topic", topic) if topic else None

    def notes(self) -> list[Entry]:
        """Every note of the assistant's."""
        return [entry for entry in self._entries.values() if entry.identity]

    def _one(self, kind: str, value: str) -> str | None:
        """Of several (people make copies) the one with the shortest path: "Budget.md" rather than "Budget 1.md"."""
        return min(self._by.get((kind, value), ()), key=lambda path: (len(path), path), default=None)

    def _folder(self, path: str) -> _Folder | None:
        try:
            status = os.lstat(self.root / path)
            if not stat.S_ISDIR(status.st_mode):
                return None
            known = self._folders.get(path)
            if known and known.settled and known.changed_ns == status.st_mtime_ns:
                return known
            folders, files = self._list(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        for gone in (known.files if known else frozenset()) - files:
            self._forget(gone)
        changed = status.st_mtime_ns
        self._folders[path] = _Folder(changed, _settled(changed), folders, files)
        return self._folders[path]

    def _list(self, path: str) -> tuple[tuple[str, ...], frozenset[str]]:
        folders, files = [], []
        prefix = f"{path}/" if path else ""
        with os.scandir(self.root / path) as items:
            for item in items:
                if item.name.startswith(".") or not _encodable(item.name):
                    continue
                if item.is_dir(follow_symlinks=False):
                    folders.append(prefix + item.name)
                elif item.name.lower().endswith(SUFFIX) and self._listed(prefix + item.name, item):
                    files.append(prefix + item.name)
        return tuple(folders), frozenset(files)

    def _listed(self, path: str, item: os.DirEntry[str]) -> Entry | None:
        try:
            return self._seen(path, item.stat(follow_symlinks=False))
        except FileNotFoundError:  # moved or deleted meanwhile
            self._forget(path)
            return None

    def _seen(self, path: str, status: os.stat_result) -> Entry | None:
        """The file, read again if this status differs from the one it was last read under."""
        known = self._entries.get(path)
        stamp, settled = _stamp(status), _settled(status.st_mtime_ns)
        if known and known.stamp == stamp and known.settled >= settled:
            return known
        if not stat.S_ISREG(status.st_mode):
            self._forget(path)
            return None
        return self._remember(Entry(path, stamp, settled, identify(_head(self.root / path))))

    def _remember(self, entry: Entry) -> Entry:
        self._forget(entry.path)
        self._entries[entry.path] = entry
        for name in _names(entry):
            self._by[name].add(entry.path)
        if not entry.settled:
            self._young.add(entry.path)
        return entry

    def _forget(self, path: str) -> None:
        self._young.discard(path)
        entry = self._entries.pop(path, None)
        for name in _names(entry) if entry else ():
            self._by[name].discard(path)
            if not self._by[name]:
                del self._by[name]


def _names(entry: Entry) -> list[tuple[str, str]]:
    known = entry.identity
    if known is None:
        return []
    names = [("key", key) for key in known.keys] + [("id", each) for each in known.ids]
    return [*names, ("topic", known.topic)] if known.topic else names


def _head(path: Path) -> bytes:
    """The beginning of the file, with the whole of its front matter."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
        if len(head) == _HEAD and head.startswith((b"---", b"\xef\xbb\xbf---")) and identify(head) is None:
            head += file.read(MAX_FRONT_MATTER)
        return head


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def _settled(changed_ns: int) -> bool:
    return time.time_ns() - changed_ns > _SETTLED_NS


def _encodable(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
