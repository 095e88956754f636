"""What changes in directories, told by Linux (inotify(7)): by name, whoever changed it, before the change's system call returns."""

import contextlib
import ctypes
import os
import struct
import sys
import weakref
from collections.abc import Iterator, Sequence

_EVENT = struct.Struct("iIII")
_BUFFER = 256 * 1024
_MODIFIED, _ATTRIBUTES, _MOVED, _CREATED, _DELETED = 0x2, 0x4, 0x40 | 0x80, 0x100, 0x200
_IS_FOLDER = 0x40000000
# The directory itself was deleted, moved or unmounted, or there were more changes than the system keeps.
_LOST = 0x400 | 0x800 | 0x2000 | 0x4000 | 0x8000
# File systems on which all changes go through this machine's kernel: ext, XFS, Btrfs, F2FS, ZFS, tmpfs, overlay.
_LOCAL = {0xEF53, 0x58465342, 0x9123683E, 0xF2F52010, 0x2FC12FC1, 0x01021994, 0x794C7630}


class Watch:
    """Tells the files that were added, moved, replaced or deleted, and with `content` those that were edited in place.

    Not to be used by a process that was forked from the one that made it.
    """

    def __init__(self, directories: Sequence[str], *, content: bool) -> None:
        """Raises `OSError` where nobody tells: on other systems, and for folders that other machines can change."""
        if sys.platform != "linux":
            raise OSError("no inotify")
        libc = ctypes.CDLL(None, use_errno=True)
        if any(_file_system(libc, directory) not in _LOCAL for directory in directories):
            raise OSError("not a local file system")
        self._descriptor = _checked(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        weakref.finalize(self, os.close, self._descriptor)
        wanted = _MOVED | _CREATED | _DELETED | (_MODIFIED | _ATTRIBUTES if content else 0) | _LOST
        self._watched = {
            _checked(libc.inotify_add_watch(self._descriptor, os.fsencode(each), wanted)): each
            for each in directories
        }
        self._identity = self._identify()

    def names(self) -> list[tuple[str, str]] | None:
        """Directory and name of every file that may have changed since the last call.

        None when that cannot be told, from now on either. Raises `FileNotFoundError` when a directory is gone.
        """
        told = list(self._events())
        if self._identify() != self._identity or any(mask & _LOST for _, mask, _ in told):
            return None
        return [(self._watched[number], name) for number, mask, name in told if not mask & _IS_FOLDER]

    def _identify(self) -> list[tuple[int, int]]:
        """Which directories the paths lead to: somebody may have put others in their place."""
        return [(s.st_dev, s.st_ino) for s in map(os.stat, self._watched.values())]

    def _events(self) -> Iterator[tuple[int, int, str]]:
        """Of each event not read yet the kernel's number of the directory, the kind and the name."""
        with contextlib.suppress(BlockingIOError):
            while events := os.read(self._descriptor, _BUFFER):
                start = 0
                while start < len(events):
                    number, mask, _, length = _EVENT.unpack_from(events, start)
                    start += _EVENT.size + length
                    yield number, mask, os.fsdecode(events[start - length : start].rstrip(b"\0"))


def _file_system(libc: ctypes.CDLL, path: str) -> int:
    status = (ctypes.c_long * 64)()
    _checked(libc.statfs(os.fsencode(path), status))
    return int(status[0])


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
