"""What changes in directories, told by Linux (inotify(7)): by name, whoever changed it, before the change's system call returns."""

import contextlib
import ctypes
import os
import struct
import sys
import threading
import weakref
from collections.abc import Sequence
from typing import ClassVar

_EVENT = struct.Struct("iIII")
_BUFFER = 256 * 1024
_MODIFIED, _ATTRIBUTES, _MOVED, _CREATED, _DELETED = 0x2, 0x4, 0x40 | 0x80, 0x100, 0x200
_IS_FOLDER = 0x40000000
_OVERFLOW, _IGNORED = 0x4000, 0x8000
# The directory itself was deleted, moved or unmounted, or there were more changes than the system keeps.
_LOST = 0x400 | 0x800 | 0x2000 | _OVERFLOW | _IGNORED
_MASK_ADD = 0x20000000
_MOST_TOLD = 65_536
"""Of a watch that nobody asks; then it cannot tell any more."""
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
        self.mask = _MOVED | _CREATED | _DELETED | (_MODIFIED | _ATTRIBUTES if content else 0)
        self.told: list[tuple[int, str]] = []
        """Which directory, by the kernel's number, and which name; filled by the source, taken out by `names`."""
        self.is_lost = False
        self._source = _Source.of_this_process(libc)
        self._watched = self._source.add(self, directories)
        self._identity = self._identify()

    def names(self) -> list[tuple[str, str]] | None:
        """Directory and name of every file that may have changed since the last call.

        None when that cannot be told, from now on either. Raises `FileNotFoundError` when a directory is gone.
        """
        if self._identify() != self._identity:
            return None
        told = self._source.take(self)
        return None if self.is_lost else [(self._watched[number], name) for number, name in told]

    def _identify(self) -> list[tuple[int, int]]:
        """Which directories the paths lead to: somebody may have put others in their place."""
        return [(s.st_dev, s.st_ino) for s in map(os.stat, self._watched.values())]


class _Source:
    """The one inotify instance of a process, which hands on what it is told: a user has few of them among all programs."""

    _here: ClassVar["_Source | None"] = None
    _opening: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, libc: ctypes.CDLL) -> None:
        self._libc = libc
        self._descriptor = _checked(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self._lock = threading.Lock()
        self._listeners: dict[int, weakref.WeakSet[Watch]] = {}

    @classmethod
    def of_this_process(cls, libc: ctypes.CDLL) -> "_Source":
        """The instance, made where there is none yet."""
        with cls._opening:
            if cls._here is None:
                cls._here = cls(libc)
            return cls._here

    @classmethod
    def forget(cls) -> None:
        """In a process that was forked: what the other one is told is not for this one."""
        if cls._here:
            os.close(cls._here._descriptor)
        cls._here, cls._opening = None, threading.Lock()

    def add(self, watch: Watch, directories: Sequence[str]) -> dict[int, str]:
        """Tell the watch what happens in these directories, from now on; by the kernel's numbers of them."""
        with self._lock:
            self._hand_on()
            for number in [n for n, watches in self._listeners.items() if not watches]:
                self._libc.inotify_rm_watch(self._descriptor, number)
                del self._listeners[number]
            watched = {}
            for directory in directories:
                number = _checked(
                    self._libc.inotify_add_watch(
                        self._descriptor, os.fsencode(directory), watch.mask | _MASK_ADD
                    )
                )
                watched[number] = directory
                self._listeners.setdefault(number, weakref.WeakSet()).add(watch)
            return watched

    def take(self, watch: Watch) -> list[tuple[int, str]]:
        """What the watch was told and has not taken yet."""
        with self._lock:
            self._hand_on()
            taken, watch.told = watch.told, []
            return taken

    def _hand_on(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while events := os.read(self._descriptor, _BUFFER):
                start = 0
                while start < len(events):
                    number, mask, _, length = _EVENT.unpack_from(events, start)
                    start += _EVENT.size + length
                    self._tell(number, mask, events[start - length : start])

    def _tell(self, number: int, mask: int, name: bytes) -> None:
        if mask & _OVERFLOW:
            concerned = [watch for watches in self._listeners.values() for watch in watches]
        else:
            concerned = list(self._listeners.get(number, ()))
        for watch in concerned:
            if mask & _LOST or len(watch.told) >= _MOST_TOLD:
                watch.is_lost = True
            elif mask & watch.mask and not mask & _IS_FOLDER and not watch.is_lost:
                watch.told.append((number, os.fsdecode(name.rstrip(b"\0"))))
        if mask & _IGNORED:
            self._listeners.pop(number, None)


if sys.platform == "linux":
    os.register_at_fork(after_in_child=_Source.forget)


def _file_system(libc: ctypes.CDLL, path: str) -> int:
    status = (ctypes.c_long * 64)()
    _checked(libc.statfs(os.fsencode(path), status))
    return int(status[0])


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
