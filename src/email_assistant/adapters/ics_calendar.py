"""The `Calendar` port on one iCalendar file (RFC 5545)."""

import asyncio
import os
import threading
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.adapters.files import file_errors, locked, write_atomically
from email_assistant.adapters.ics_reading import IcsAgenda
from email_assistant.adapters.ics_writing import EMPTY_CALENDAR, event_lines, insert, zone_lines
from email_assistant.calendars.event import Event, check_event, check_period, is_zone
from email_assistant.clock import Clock, SystemClock
from email_assistant.errors import ConfigError, InputError, ProviderError, TransientError

FILE_NAME = "calendar.ics"

_ATTEMPTS = 5
_MAX_BYTES = 64 * 1024 * 1024
# File times are coarse: a file this young may change again without its time changing.
_SETTLED_NS = 2_000_000_000


@dataclass(frozen=True)
class _Read:
    """A reading of the file: what identified the file then, whether that can be relied on, and what it said."""

    stamp: tuple[int, int, int]
    settled: bool
    raw: bytes
    agenda: IcsAgenda


class IcsCalendar:
    """A calendar in one `.ics` file, or in `calendar.ics` of a folder; an empty one is created when it is missing.

    Other programs may change the file at any time. It is never rewritten as a whole: a new event is put in beside
    what is there, under a lock file, and the result replaces the file atomically.
    """

    def __init__(self, path: Path, timezone: str, clock: Clock | None = None) -> None:
        """`timezone` is the owner's IANA zone, for floating times and days; `ConfigError` when there is none such."""
        if not is_zone(timezone):
            raise ConfigError(f"EMAIL_ASSISTANT_TIMEZONE is not an IANA time zone: {timezone!r}")
        self._path = path
        self._zone = ZoneInfo(timezone)
        self._clock = clock or SystemClock()
        self._reading = threading.Lock()
        self._last: _Read | None = None

    @classmethod
    def of(cls, built: Any, path: Path) -> "IcsCalendar":
        """The one that settings name."""
        return cls(path, built.settings.timezone)

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
        return await asyncio.to_thread(self._events, start, end)

    async def create(self, event: Event) -> Event:
        """Add the event with its id as UID, guests as attendees who are asked to answer.

        When the UID is there already, nothing changes and what is there is returned.
        Raises `InputError` when the event cannot be written.
        """
        check_event(event)
        return await asyncio.to_thread(self._create, event)

    async def get(self, event_id: str) -> Event | None:
        """The event of this UID (of a series the first), or None."""
        return await asyncio.to_thread(self._get, event_id)

    def _events(self, start: datetime, end: datetime) -> list[Event]:
        with self._reading:
            return self._read().agenda.between(start, end)

    def _get(self, event_id: str) -> Event | None:
        with self._reading:
            return self._read().agenda.get(event_id)

    def _create(self, event: Event) -> Event:
        path = self._file()
        with self._reading:
            self._read()
            with file_errors(str(path)), locked(path.with_name(path.name + ".lock")):
                for _ in range(_ATTEMPTS):
                    read = self._read()
                    found = read.agenda.get(event.id)
                    if found is not None:
                        return found
                    agenda, created, raw = self._with(event, read)
                    # Programs that do not know our lock may have written meanwhile; their change is not to be lost.
                    if path.read_bytes() == read.raw:
                        write_atomically(path, raw)
                        self._last = _Read((0, 0, 0), False, raw, agenda)
                        return created
        raise TransientError(f"{path}: another program keeps changing the file")

    def _with(self, event: Event, read: _Read) -> tuple[IcsAgenda, Event, bytes]:
        """What the file will say with the event in it, the event as it is read back from there, and the file's bytes."""
        local, utc = ZoneInfo(event.timezone), ZoneInfo("UTC")
        # A file may give a zone's name a meaning of its own; then the event is written in UTC.
        for zone in (local, utc):
            raw = insert(read.raw, *self._lines(event, zone, read.agenda))
            agenda = IcsAgenda(raw, source=str(self._path), zone=self._zone)
            written = agenda.get(event.id)
            if written and (written.start, written.end) == (event.start, event.end):
                return agenda, written, raw
        raise InputError(f"the event's times cannot be written in {event.timezone}")

    def _lines(self, event: Event, zone: ZoneInfo, agenda: IcsAgenda) -> list[bytes]:
        lines = [event_lines(event, owner=self._zone, zone=zone, stamp=self._clock.now())]
        if not event.all_day and zone.key != "UTC" and zone.key not in agenda.zone_names:
            lines.insert(0, zone_lines(zone, around=event.start.year))
        return lines

    def _read(self) -> _Read:
        """What the file says now; parsed again only when it may have changed."""
        path = self._file()
        with file_errors(str(path)):
            try:
                status = path.stat()
            except FileNotFoundError:
                self._create_empty(path)
                status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            if self._last and self._last.settled and self._last.stamp == stamp:
                return self._last
            if status.st_size > _MAX_BYTES:
                raise ProviderError(f"{path}: larger than {_MAX_BYTES // 1024 // 1024} MiB")
            settled = time.time_ns() - status.st_mtime_ns > _SETTLED_NS
            raw = path.read_bytes()
        if self._last and self._last.raw == raw:
            self._last = _Read(stamp, settled, raw, self._last.agenda)
        else:
            self._last = _Read(stamp, settled, raw, IcsAgenda(raw, source=str(path), zone=self._zone))
        return self._last

    def _create_empty(self, path: Path) -> None:
        if self._last is not None:
            # It was there: taking a lost file for an empty calendar would make up free time.
            raise TransientError(f"{path}: the file has disappeared")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(path.with_name(path.name + ".lock")):
            if not path.exists():
                write_atomically(path, EMPTY_CALENDAR)

    def _file(self) -> Path:
        path = self._path.expanduser()
        return Path(os.path.realpath(path / FILE_NAME if path.is_dir() else path))
