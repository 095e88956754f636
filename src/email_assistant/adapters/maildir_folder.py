"""One folder of a Maildir (cur, new, tmp): names, flags, listing, atomic moves. Blocking calls.

A message's file is called `unique` or `unique:2,FLAGS`; the unique part names the message for its whole life.
"""

import contextlib
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from email_assistant.adapters.files import sync_folder, write_and_sync

READ, DRAFT = "S", "D"

_INFO = ":2,"
# File times are coarse: a folder changed this recently may have changed again after it was listed.
_SETTLED_NS = 2_000_000_000
# What is left in tmp for longer than 36 hours belongs to a writer that died (Maildir convention).
_STALE_SECONDS = 36 * 3600


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message's file is now; `version` changes when the file is another one or, if asked for, its content."""

    path: str
    unique: str
    flags: str
    version: tuple[int, ...]

    @property
    def read(self) -> bool:
        """Whether the flags say that the message was read."""
        return READ in self.flags


class MaildirFolder:
    """A folder whose listing is kept until the file system says that it changed.

    With `watch_content` a file that was edited in place is noticed too, at the price of one look at each file.
    """

    def __init__(self, path: Path, *, watch_content: bool = False) -> None:
        self.path = path
        self._watch_content = watch_content
        self._listed: dict[str, tuple[tuple[int, bool], dict[str, Place]]] = {}
        self._merged: tuple[dict[str, Place], dict[str, Place]] = ({}, {})
        self._places: dict[str, Place] = {}

    def prepare(self) -> None:
        """Create the folder where it is missing, readable by its owner only, and sweep forgotten temporary files."""
        for name in ("tmp", "new", "cur"):
            (self.path / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.path.name.startswith("."):
            (self.path / "maildirfolder").touch(mode=0o600)
        for entry in _files(self.path / "tmp"):
            with contextlib.suppress(OSError):
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > _STALE_SECONDS:
                    os.unlink(entry.path)

    def places(self) -> dict[str, Place]:
        """Every message by its unique name; the same object as long as nothing changed."""
        # In this order a message that another program moves from new to cur meanwhile is seen at least once.
        new, current = self._list("new"), self._list("cur")
        if new is not self._merged[0] or current is not self._merged[1]:
            self._merged, self._places = (new, current), {**new, **current}
        return self._places

    def find(self, unique: str) -> Place | None:
        """Where the message is now, without listing what does not need to be listed."""
        path = str(self.path / "new" / unique)
        with contextlib.suppress(FileNotFoundError):
            return Place(path, unique, "", (os.stat(path, follow_symlinks=False).st_ino,))
        return self._list("cur").get(unique)

    def add(self, unique: str, data: bytes, *, flags: str = "", received_ns: int | None = None) -> Path:
        """Write a message; without flags it is new. It replaces a file of exactly this name and is never seen half."""
        target = self.path / "cur" / f"{unique}{_INFO}{flags}" if flags else self.path / "new" / unique
        self.write(target, data, received_ns=received_ns)
        return target

    def write(self, target: Path, data: bytes, *, received_ns: int | None = None) -> None:
        """Put the data into the file of this name atomically; its time is when it was received."""
        temporary = self.path / "tmp" / f"{time.time_ns()}.{secrets.token_hex(8)}"
        try:
            write_and_sync(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), data)
            if received_ns is not None:
                os.utime(temporary, ns=(received_ns, received_ns))
            os.rename(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(target.parent)

    def take(self, place: Place, *, add: str = "", remove: str = "") -> None:
        """Move a message's file, from this or another folder, into `cur` with changed flags, in one rename.

        Raises `FileNotFoundError` when it is no longer where it was; of two callers only one succeeds.
        """
        flags = "".join(sorted((set(place.flags) | set(add)) - set(remove)))
        target = self.path / "cur" / f"{place.unique}{_INFO}{flags}"
        os.rename(place.path, target)
        sync_folder(target.parent)
        if os.path.dirname(place.path) != str(target.parent):
            sync_folder(Path(place.path).parent)

    def _list(self, name: str) -> dict[str, Place]:
        folder = self.path / name
        changed_ns = os.stat(folder).st_mtime_ns
        known = self._listed.get(name)
        if known and known[0] == (changed_ns, True) and not self._watch_content:
            return known[1]
        settled = time.time_ns() - changed_ns > _SETTLED_NS
        found = dict(self._entries(folder))
        if known and known[1] == found:
            found = known[1]
        self._listed[name] = ((changed_ns, settled), found)
        return found

    def _entries(self, folder: Path) -> Iterator[tuple[str, Place]]:
        for entry in _files(folder):
            unique, _, flags = entry.name.partition(_INFO)
            version: tuple[int, ...] = (entry.inode(),)
            if self._watch_content:
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                version = (status.st_ino, status.st_mtime_ns, status.st_size)
            yield unique, Place(entry.path, unique, flags, version)


def new_unique(now: float) -> str:
    """A unique name nobody else has: seconds since 1970, then chance."""
    return f"{int(now)}.R{secrets.token_hex(10)}.email_assistant"


def _files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Regular files only: a pipe would block its reader, a link may lead out of the mailbox."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
                yield entry
