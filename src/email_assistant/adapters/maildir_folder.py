"""One folder of a Maildir (cur, new, tmp): names, flags, listing, atomic moves. Blocking calls.

A message's file is called `unique` or `unique:2,FLAGS`; the unique part names the message for its whole life.
"""

import contextlib
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from email_assistant.adapters.files import sync_folder
from email_assistant.errors import InputError
from email_assistant.mail.mime import MAX_MESSAGE

READ, DRAFT, ANSWERED, TRASHED = "S", "D", "R", "T"
_INFO = ":2,"
# What is left in tmp for longer than 36 hours belongs to a writer that died (Maildir convention).
_STALE_SECONDS = 36 * 3600
# A directory's time is that of a clock which ticks, on some file systems every two seconds.
TICK_NS = 2_000_000_000
_SYNCED_TOGETHER = 8


class Place(NamedTuple):
    """Where a message's file is now."""

    unique: str
    directory: str
    """The path of `cur` or `new`."""
    name: str
    inode: int

    @property
    def path(self) -> str:
        """The path of its file."""
        return f"{self.directory}/{self.name}"

    @property
    def flags(self) -> str:
        """The letters of its flags."""
        return self.name.partition(_INFO)[2]

    @property
    def read(self) -> bool:
        """Whether the flags say that the message was read."""
        return is_read(self.name)


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message that is to be put into the mailbox; raises `InputError` for a name that cannot be one of a Maildir."""

    raw: bytes
    unique: str
    """The name of its file, without flags: its id."""
    received: datetime | None
    """None means now."""
    sent: bool = False
    """Whether the user wrote it, so that it lies in Sent, read."""

    def __post_init__(self) -> None:
        unique = self.unique
        if not unique or unique.startswith(".") or "/" in unique or ":" in unique or len(unique) > 200:
            raise InputError(f"not a unique name of a Maildir: {unique[:40]!r}")


Stamp = tuple[tuple[int, int, int, int], ...]
File = tuple[str, str, int]
"""Directory, name and inode. A plain tuple, since opening a large folder is mostly the making of these."""


class MaildirFolder:
    """The files of a folder, listed anew when the time of one of its directories is another."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files: dict[str, File] = {}
        """Every message by its unique name, as of the last `sync`; `place` says more of one."""
        self.changed: set[str] = set()
        """Unique names about which something may have changed; whoever follows up on it takes them out."""
        self._listed: Stamp | None = None
        self._new, self._cur = str(path / "new"), str(path / "cur")

    @property
    def version(self) -> str:
        """Another one after each change; "" when a change might not show yet."""
        return repr(self._listed) if self._listed else ""

    def prepare(self) -> None:
        """Create the folder where it is missing, readable by its owner only, and sweep forgotten temporary files."""
        for name in ("tmp", "new", "cur"):
            (self.path / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.path.name.startswith(".") and not (self.path / "maildirfolder").exists():
            (self.path / "maildirfolder").touch(mode=0o600)
        for entry in _files(self.path / "tmp"):
            with contextlib.suppress(OSError):
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > _STALE_SECONDS:
                    os.unlink(entry.path)

    def sync(self) -> None:
        """Bring `files` up to date with what anybody has done."""
        stamp = _stamp(self._new), _stamp(self._cur)
        if self._listed == stamp:
            return
        began = time.time_ns()
        self._list_all()
        # A change in the tick in which the directory was listed leaves its time as it is: that time is not trusted.
        is_settled = began - max(when for directory in stamp for when in directory[2:]) > TICK_NS
        self._listed = stamp if is_settled else None

    def place(self, unique: str) -> Place | None:
        """Where the message was at the last `sync`."""
        file = self.files.get(unique)
        return Place(unique, *file) if file else None

    def file(self, unique: str, flags: str = "") -> Path:
        """Where a message of this name is put; without flags it is new."""
        return self.path / "cur" / f"{unique}{_INFO}{flags}" if flags else self.path / "new" / unique

    def write(self, target: Path, data: bytes, *, received_ns: int) -> None:
        """Put the data into the file of this name atomically; its time is when it was received."""
        self.write_all([(target, data, received_ns)])

    def write_all(self, files: Sequence[tuple[Path, bytes, int]]) -> None:
        """`write` of each, in this or another folder of the mailbox.

        Each file is on the disk, with its time, before it gets its name, so a crash at any moment leaves whole messages. That
        they have their names is forced to the disk once for each directory, at the end: until this returns, a crash of the
        machine may take away any of these messages, and nobody has been told of them.
        """
        with contextlib.ExitStack() as stack:
            opened = []
            for _, data, received_ns in files:
                temporary = self.path / "tmp" / f"{time.time_ns()}.{secrets.token_hex(8)}"
                descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                stack.callback(temporary.unlink, missing_ok=True)
                file = stack.enter_context(open(descriptor, "wb"))
                file.write(data)
                file.flush()
                os.utime(descriptor, ns=(received_ns, received_ns))
                opened.append((descriptor, temporary))
            _sync([descriptor for descriptor, _ in opened])
            for (_, temporary), (target, _, _) in zip(opened, files, strict=True):
                os.rename(temporary, target)
        for directory in {target.parent for target, _, _ in files}:
            sync_folder(directory)

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

    def _list_all(self) -> None:
        # In this order a message that another program moves from new to cur meanwhile is seen at least once.
        known, self.files = self.files, {**_listed(self._new), **_listed(self._cur)}
        self.changed.update(dict(self.files.items() ^ known.items()))


def is_read(name: str) -> bool:
    """Whether the flags of a file's name say that the message was read."""
    return READ in name.partition(_INFO)[2]


def is_put_away(name: str) -> bool:
    """Whether the flags of a file's name say that another program has deleted the message, or that it is a draft."""
    return not {TRASHED, DRAFT}.isdisjoint(name.partition(_INFO)[2])


def read_message(path: str) -> bytes:
    """The message's bytes, as many as are read of one; raises `OSError`."""
    with open(path, "rb") as file:
        return file.read(MAX_MESSAGE + 1)


def new_unique(now: float) -> str:
    """A unique name nobody else has: seconds since 1970, then chance."""
    return f"{int(now)}.R{secrets.token_hex(10)}.email_assistant"


def _sync(descriptors: Sequence[int]) -> None:
    """Force the files to the disk: several at a time, since the file system does those that wait together in one go."""
    if len(descriptors) == 1:
        os.fsync(descriptors[0])
        return
    with ThreadPoolExecutor(_SYNCED_TOGETHER) as pool:
        list(pool.map(os.fsync, descriptors))


def _stamp(directory: str) -> tuple[int, int, int, int]:
    """Which directory it is (device, inode), and when it was changed (mtime, ctime, in nanoseconds)."""
    status = os.stat(directory)
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def _listed(directory: str) -> dict[str, File]:
    return {
        entry.name.partition(_INFO)[0]: (directory, entry.name, entry.inode()) for entry in _files(directory)
    }


def _files(folder: Path | str) -> Iterator[os.DirEntry[str]]:
    """Regular files only: a pipe would block its reader, a link may lead out of the mailbox."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
                yield entry
