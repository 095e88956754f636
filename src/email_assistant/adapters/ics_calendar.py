"""The `Calendar` port on one iCalendar file (RFC 5545)."""

import asyncio
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from email_assistant.adapters.files import file_errors, locked, write_atomically
from email_assistant.adapters.ics_reading import IcsAgenda
from email_assistant.adapters.ics_writing import (
    EMPTY_CALENDAR,
    edited,
    event_lines,
    insert,
    is_same,
    occurrence,
    vevents,
    zone_lines,
)
from email_assistant.calendars.event import (
    Event,
    Partstat,
    check_event,
    check_period,
    check_uid,
    in_utc,
    is_zone,
)
from email_assistant.clock import Clock, SystemClock
from email_assistant.errors import (
    AccessError,
    ConfigError,
    InputError,
    NotFoundError,
    ProviderError,
    TransientError,
)

_T = TypeVar("_T")

FILE_NAME = "calendar.ics"

_ATTEMPTS = 5
_MAX_BYTES = 64 * 1024 * 1024
# File times are coarse: a file this young may change again without its time changing.
_SETTLED_NS = 2_000_000_000


@dataclass(frozen=True)
class _Read:
    """What the file says, or is to say."""

    raw: bytes
    agenda: IcsAgenda
    stamp: tuple[int, int, int] | None = None
    """What identified the file when it was read; None where that cannot be relied on."""


class IcsCalendar:
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
        self._zone = ZoneInfo(timezone)
        self._own = own
        self._clock = clock or SystemClock()
        self._reading = threading.Lock()
        self._last: _Read | None = None

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
        return await self._looked_up(lambda agenda: agenda.between(start, end))

    async def create(self, event: Event) -> Event:
        """Add the event with its id as UID, guests as attendees who are asked to answer.

        When the UID is there already, nothing changes and what is there is returned.
        Raises `InputError` when the event cannot be written.
        """
        check_event(event)
        return await asyncio.to_thread(self._create, event)

    async def get(self, event_id: str) -> Event | None:
        """The event of this UID (of a series the first), or None."""
        return await self._looked_up(lambda agenda: agenda.get(event_id))

    async def find(self, uid: str, recurrence_id: datetime | None = None) -> Event | None:
        """The event of this UID, or its one occurrence, as the series' rule has it when nothing else is said of it.

        Raises `ProviderError` when its times cannot be read for certain.
        """
        instant = _instant(recurrence_id)
        return await self._looked_up(lambda agenda: agenda.find(uid, instant))

    async def put(self, event: Event) -> Event:
        """Write the event, or what has changed of it, into the file under its UID.

        Raises `InputError` when it cannot be written, or is an occurrence that its series does not have.
        """
        check_uid(event.uid)
        event = replace(event, id=event.id or event.uid, recurrence_id=_instant(event.recurrence_id))
        check_event(event)
        return await asyncio.to_thread(self._put, event)

    async def cancel(self, uid: str, recurrence_id: datetime | None = None) -> None:
        """Give the event, of a series every part of it, or its one occurrence the status CANCELLED."""
        check_uid(uid)
        await asyncio.to_thread(self._cancel, uid, _instant(recurrence_id))

    async def answer(self, uid: str, partstat: Partstat, recurrence_id: datetime | None = None) -> Event:
        """Write the owner's PARTSTAT into the event, or into its one occurrence."""
        check_uid(uid)
        return await asyncio.to_thread(self._answer, uid, partstat, _instant(recurrence_id))

    async def _looked_up(self, look: Callable[[IcsAgenda], _T]) -> _T:
        def work() -> _T:
            with self._reading:
                return look(self._read().agenda)

        return await asyncio.to_thread(work)

    def _create(self, event: Event) -> Event:
        event = replace(event, uid=event.id)

        def plan(read: _Read) -> _Read | None:
            return None if read.agenda.get(event.id) else self._with(event, read)

        return _there(self._rewritten(plan).get(event.id))

    def _put(self, event: Event) -> Event:
        agenda = self._rewritten(lambda read: self._saying(event, read))
        return _there(agenda.find(event.uid, event.recurrence_id))

    def _cancel(self, uid: str, recurrence_id: datetime | None) -> None:
        def plan(read: _Read) -> _Read | None:
            changed = read.agenda.changed_occurrences(uid) if recurrence_id is None else []
            planned: _Read | None = None
            for part in (*changed, recurrence_id):
                found = read.agenda.find(uid, part)
                if found and not found.cancelled:
                    planned = self._saying(replace(found, uid=uid, cancelled=True), read) or planned
                    read = planned or read
            return planned

        self._rewritten(plan)

    def _answer(self, uid: str, partstat: Partstat, recurrence_id: datetime | None) -> Event:
        def plan(read: _Read) -> _Read | None:
            found = read.agenda.find(uid, recurrence_id)
            if found is None:
                raise NotFoundError(f"{self._path}: there is no event {uid[:80]!r}")
            me = [address.key for address in found.attendees if address.key in self._own]
            if not me:
                raise InputError(f"{self._path}: you are not among the guests of {uid[:80]!r}")
            answered = found
            for key in me:
                answered = answered.answered(key, partstat)
            return self._saying(answered, read)

        return _there(self._rewritten(plan).find(uid, recurrence_id))

    def _rewritten(self, plan: Callable[[_Read], _Read | None]) -> IcsAgenda:
        """What the file says after it was changed as planned from what it says by now; None changes nothing."""
        path = self._file()
        with self._reading:
            self._read()
            with file_errors(str(path)), locked(path.with_name(path.name + ".lock")):
                for _ in range(_ATTEMPTS):
                    read = self._read()
                    planned = plan(read)
                    if planned is None:
                        return read.agenda
                    # Programs that do not know our lock may have written meanwhile; their change is not to be lost.
                    if path.read_bytes() == read.raw:
                        write_atomically(path, planned.raw)
                        self._last = planned
                        return planned.agenda
        raise TransientError(f"{path}: another program keeps changing the file")

    def _saying(self, event: Event, read: _Read) -> _Read | None:
        """The file with the event as it is now to be; None when it says so, or something newer, already."""
        agenda, uid = read.agenda, event.uid
        before = agenda.find(uid, event.recurrence_id)
        if before and (event.sequence < before.sequence or is_same(before, event)):
            return None
        whole = agenda.find(uid)
        if before is None and whole is not None:
            raise InputError(f"'recurrence_id' is no occurrence of the event {uid[:80]!r}")
        if before is None:
            return self._with(event, read)
        if self._own & {guest.key for guest in before.guests if guest.partstat is Partstat.DECLINED}:
            # That the time is free follows from the answer.
            event = replace(event, busy=before.busy)
        return self._with(event, read, before)

    def _with(self, event: Event, read: _Read, before: Event | None = None) -> _Read:
        """What the file will say with the event in it, in the place of what it says of it (`before`), and the file's bytes."""
        local, utc = ZoneInfo(event.timezone), ZoneInfo("UTC")
        # A file may give a zone's name a meaning of its own; then the event is written in UTC.
        for zone in (local, utc):
            raw = self._written(event, zone, read, before)
            agenda = self._agenda(raw)
            written = agenda.find(event.uid, event.recurrence_id) if not agenda.is_unread(event.uid) else None
            if written and (written.start, written.end) == (event.start, event.end):
                return _Read(raw, agenda)
        if event.recurrence and agenda.is_unread(event.uid):
            raise InputError(f"'recurrence' cannot be written: {'; '.join(event.recurrence)[:200]}")
        raise InputError(f"the event's times cannot be written in {event.timezone}")

    def _written(self, event: Event, zone: ZoneInfo, read: _Read, before: Event | None) -> bytes:
        written = event_lines(event, owner=self._zone, zone=zone, stamp=self._clock.now())
        zones = [] if event.all_day else self._missing(zone, read.agenda, event.start.year)
        if before is None:
            return insert(read.raw, *zones, written)
        raw, blocks = read.raw, vevents(read.raw)
        place = read.agenda.place(event.uid, event.recurrence_id)
        if place is not None:
            start, end = blocks[place]
            block = edited(raw[start:end], written, before, event)
        else:  # An occurrence that says something of its own from now on stands behind its series.
            series = blocks[read.agenda.place(event.uid) or 0]
            start = end = series[1]
            whole = replace(_there(read.agenda.find(event.uid)), recurrence=())
            block = edited(occurrence(raw[slice(*series)]), written, whole, event)
        gone = []
        if event.recurrence_id is None and before.start != event.start:
            # They were occurrences of what the series was: there are none at those times any more.
            changed = read.agenda.changed_occurrences(event.uid)
            gone = [blocks[number] for each in changed for number in read.agenda.places(event.uid, each)]
        for first, last, new in sorted([(start, end, block), *((*each, b"") for each in gone)], reverse=True):
            raw = raw[:first] + new + raw[last:]
        named = b"TZID=" + zone.key.encode()
        return insert(raw, *zones) if named in block and named not in read.raw else raw

    def _missing(self, zone: ZoneInfo, agenda: IcsAgenda, year: int) -> list[bytes]:
        """The zone as the file has to define it, unless it does."""
        is_there = zone.key == "UTC" or zone.key in agenda.zone_names
        return [] if is_there else [zone_lines(zone, around=year)]

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
            if self._last and self._last.stamp == stamp:
                return self._last
            if status.st_size > _MAX_BYTES:
                raise ProviderError(f"{path}: larger than {_MAX_BYTES // 1024 // 1024} MiB")
            is_settled = time.time_ns() - status.st_mtime_ns > _SETTLED_NS
            raw = path.read_bytes()
        if self._last is None:
            # From now on it is known to have been there; its lock is there before it is.
            with suppress(OSError):
                _made(path).touch(mode=0o600)
        known = self._last.agenda if self._last and self._last.raw == raw else None
        self._last = _Read(raw, known or self._agenda(raw), stamp if is_settled else None)
        return self._last

    def _agenda(self, raw: bytes) -> IcsAgenda:
        return IcsAgenda(raw, source=str(self._file()), zone=self._zone, own=self._own)

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


def _instant(moment: datetime | None) -> datetime | None:
    return moment and in_utc("recurrence_id", moment)


def _there(found: Event | None) -> Event:
    """What has just been looked up under the lock."""
    if found is None:
        raise ProviderError("the calendar does not say what was written into it")
    return found
