"""The `Calendar` port on one iCalendar file (RFC 5545)."""

import asyncio
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from email_assistant.adapters.files import file_errors, locked, write_atomically
from email_assistant.adapters.ics_editing import IcsEditor, IcsText, IcsTexts, Plan
from email_assistant.adapters.ics_reading import IcsAgenda
from email_assistant.adapters.ics_writing import (
    EMPTY_CALENDAR,
)
from email_assistant.calendars.event import (
    Event,
    check_period,
    is_zone,
)
from email_assistant.clock import Clock, SystemClock
from email_assistant.errors import (
    AccessError,
    ConfigError,
    ProviderError,
    TransientError,
)

_T = TypeVar("_T")

FILE_NAME = "calendar.ics"

_ATTEMPTS = 5
_MAX_BYTES = 64 * 1024 * 1024
# File times are coarse: a file this young may change again without its time changing.
_SETTLED_NS = 2_000_000_000


class IcsCalendar(IcsTexts):
    """A calendar in one `.ics` file, or in `calendar.ics` of a folder; an empty one is created when it is missing.

    Other programs may change the file at any time. It is never rewritten as a whole: a new event is put in beside
    what is there, and of one that is there the lines that say something else by now are, under a lock file, and the result
    replaces the file atomically.
    """

    writes_to_guests = False
    """A file writes to nobody."""

    def __init__(
        self, path: Path, timezone: str, clock: Clock | None = None, own: frozenset[str] = frozenset()
    ) -> None:
        """`timezone` is the owner's IANA zone, for floating times and days; `ConfigError` when there is none such.

        `own` are the owner's addresses in lower case: by them the owner is found among an event's attendees.
        """
        if not is_zone(timezone):
            raise ConfigError(f"EMAIL_ASSISTANT_TIMEZONE is not an IANA time zone: {timezone!r}")
        self._path = path
        self._editor = IcsEditor(str(path), ZoneInfo(timezone), own, clock or SystemClock())
        self._reading = threading.Lock()
        self._last: IcsText | None = None
        self._stamp: tuple[int, int, int] | None = None
        """What identified the file when it was read; None where that cannot be relied on."""

    @classmethod
    def of(cls, deps: Any, path: Path) -> "IcsCalendar":
        """The one that settings name."""
        return cls(path, deps.settings.timezone, own=deps.settings.own_addresses)

    @property
    def name(self) -> str:
        """ "ics:" and the path it was made with."""
        return f"ics:{self._path}"

    async def events(self, start: datetime, end: datetime) -> list[Event]:
        """Every occurrence that overlaps [start, end), recurring ones expanded, ordered by start.

        Times are in UTC. An occurrence of a series has the id UID_YYYYMMDDTHHMMSSZ (UID_YYYYMMDD for days).
        Raises `InputError` for naive times, `ProviderError` when the file cannot be read for certain.
        """
        check_period(start, end)
        return await self._in_thread(lambda: self._look("").between(start, end))

    async def _in_thread(self, work: Callable[..., _T], *args: Any) -> _T:
        def held() -> _T:
            with self._reading:
                return work(*args)

        return await asyncio.to_thread(held)

    def _look(self, uid: str) -> IcsAgenda:
        return self._read().agenda

    def _rewritten(self, uid: str, plan: Plan) -> IcsAgenda:
        path = self._file()
        self._read()
        with file_errors(str(path)), locked(path.with_name(path.name + ".lock")):
            for _ in range(_ATTEMPTS):
                text = self._read()
                planned = plan(text)
                if planned is None:
                    return text.agenda
                # Programs that do not know our lock may have written meanwhile; their change is not to be lost.
                if path.read_bytes() == text.raw:
                    write_atomically(path, planned.raw)
                    self._last, self._stamp = planned, None
                    return planned.agenda
        raise TransientError(f"{path}: another program keeps changing the file")

    def _read(self) -> IcsText:
        """What the file says now; parsed again only when it may have changed."""
        path = self._file()
        with file_errors(str(path)):
            try:
                status = path.stat()
            except FileNotFoundError:
                self._create_empty(path)
                status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            if self._last and self._stamp == stamp:
                return self._last
            if status.st_size > _MAX_BYTES:
                raise ProviderError(f"{path}: larger than {_MAX_BYTES // 1024 // 1024} MiB")
            is_settled = time.time_ns() - status.st_mtime_ns > _SETTLED_NS
            raw = path.read_bytes()
        if self._last is None:
            # From now on it is known to have been there; its lock is there before it is.
            with suppress(OSError):
                _made(path).touch(mode=0o600)
        if self._last is None or self._last.raw != raw:
            self._last = self._editor.read(raw)
        self._stamp = stamp if is_settled else None
        return self._last

    def _create_empty(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(path.with_name(path.name + ".lock")):
            if path.exists():
                return
            if self._last is not None or _made(path).exists():
                # Taking a lost file for an empty calendar would make up free time.
                raise AccessError(
                    f"{path} has disappeared: put it back; for an empty calendar delete {_made(path)}"
                )
            write_atomically(path, EMPTY_CALENDAR)

    def _file(self) -> Path:
        path = self._path.expanduser()
        return Path(os.path.realpath(path / FILE_NAME if path.is_dir() and path.name != FILE_NAME else path))


def _made(path: Path) -> Path:
    """What is beside a calendar from its first reading on, and stays when it is gone."""
    return path.with_name(path.name + ".made")
