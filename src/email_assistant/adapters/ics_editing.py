"""One iCalendar text and what it is to say next: an event made, changed, called off or answered, and every other byte as it was."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from email_assistant.adapters.ics_reading import IcsAgenda
from email_assistant.adapters.ics_writing import (
    edited,
    event_lines,
    insert,
    is_same,
    occurrence,
    vevents,
    zone_lines,
)
from email_assistant.calendars.event import Event, Partstat, check_event, check_uid, in_utc
from email_assistant.clock import Clock
from email_assistant.errors import InputError, NotFoundError, ProviderError

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class IcsText:
    """A calendar's bytes with what they say."""

    raw: bytes
    agenda: IcsAgenda


Plan = Callable[[IcsText], IcsText | None]
"""What a text is to be, from what it is by now; None when it is to stay."""


@dataclass(frozen=True, slots=True)
class IcsEditor:
    """Reads texts of one calendar and plans what they are to say; it writes nothing."""

    source: str
    """What errors begin with."""
    zone: ZoneInfo
    """The owner's, for floating times and days."""
    own: frozenset[str]
    """The owner's addresses in lower case: by them the owner is found among an event's attendees."""
    clock: Clock

    def read(self, raw: bytes) -> IcsText:
        """The bytes with what they say; raises `ProviderError` when they are not whole."""
        return IcsText(raw, IcsAgenda(raw, source=self.source, zone=self.zone, own=self.own))

    def creating(self, event: Event) -> Plan:
        """The event under its id as UID, unless there is one."""
        event = replace(event, uid=event.id)
        return lambda text: None if text.agenda.get(event.id) else self._with(event, text)

    def saying(self, event: Event, text: IcsText) -> IcsText | None:
        """The text with the event as it is now to be; None when it says so, or something newer, already."""
        agenda, uid = text.agenda, event.uid
        before = agenda.find(uid, event.recurrence_id)
        if before and (event.sequence < before.sequence or is_same(before, event)):
            return None
        whole = agenda.find(uid)
        if before is None and whole is not None:
            raise InputError(f"'recurrence_id' is no occurrence of the event {uid[:80]!r}")
        if before is None:
            return self._with(event, text)
        if self.own & {guest.key for guest in before.guests if guest.partstat is Partstat.DECLINED}:
            # That the time is free follows from the answer.
            event = replace(event, busy=before.busy)
        return self._with(event, text, before)

    def cancelling(self, uid: str, recurrence_id: datetime | None) -> Plan:
        """The event, of a series every part of it, or its one occurrence with the status CANCELLED."""

        def plan(text: IcsText) -> IcsText | None:
            changed = text.agenda.changed_occurrences(uid) if recurrence_id is None else []
            planned: IcsText | None = None
            for part in (*changed, recurrence_id):
                found = text.agenda.find(uid, part)
                if found and not found.cancelled:
                    planned = self.saying(replace(found, uid=uid, cancelled=True), text) or planned
                    text = planned or text
            return planned

        return plan

    def answering(self, uid: str, partstat: Partstat, recurrence_id: datetime | None) -> Plan:
        """The event with the owner's answer; it raises `NotFoundError` and `InputError` where there is none to be given."""

        def plan(text: IcsText) -> IcsText | None:
            found = text.agenda.find(uid, recurrence_id)
            if found is None:
                raise NotFoundError(f"{self.source}: there is no event {uid[:80]!r}")
            me = [address.key for address in found.attendees if address.key in self.own]
            if not me:
                raise InputError(f"{self.source}: you are not among the guests of {uid[:80]!r}")
            answered = found
            for key in me:
                answered = answered.answered(key, partstat)
            return self.saying(answered, text)

        return plan

    def _with(self, event: Event, text: IcsText, before: Event | None = None) -> IcsText:
        """What the text will say with the event in it, in the place of what it says of it (`before`), and its bytes."""
        local, utc = ZoneInfo(event.timezone), ZoneInfo("UTC")
        # A text may give a zone's name a meaning of its own; then the event is written in UTC.
        for zone in (local, utc):
            raw = self._written(event, zone, text, before)
            agenda = self.read(raw).agenda
            written = agenda.find(event.uid, event.recurrence_id) if not agenda.is_unread(event.uid) else None
            if written and (written.start, written.end) == (event.start, event.end):
                return IcsText(raw, agenda)
        if event.recurrence and agenda.is_unread(event.uid):
            raise InputError(f"'recurrence' cannot be written: {'; '.join(event.recurrence)[:200]}")
        raise InputError(f"the event's times cannot be written in {event.timezone}")

    def _written(self, event: Event, zone: ZoneInfo, text: IcsText, before: Event | None) -> bytes:
        written = event_lines(event, owner=self.zone, zone=zone, stamp=self.clock.now())
        zones = [] if event.all_day else self._missing(zone, text.agenda, event.start.year)
        if before is None:
            return insert(text.raw, *zones, written)
        raw, blocks = text.raw, vevents(text.raw)
        place = text.agenda.place(event.uid, event.recurrence_id)
        if place is not None:
            start, end = blocks[place]
            block = edited(raw[start:end], written, before, event)
        else:  # An occurrence that says something of its own from now on stands behind its series.
            series = blocks[text.agenda.place(event.uid) or 0]
            start = end = series[1]
            whole = replace(_there(text.agenda.find(event.uid)), recurrence=())
            block = edited(occurrence(raw[slice(*series)]), written, whole, event)
        gone = []
        if event.recurrence_id is None and before.start != event.start:
            # They were occurrences of what the series was: there are none at those times any more.
            changed = text.agenda.changed_occurrences(event.uid)
            gone = [blocks[number] for each in changed for number in text.agenda.places(event.uid, each)]
        for first, last, new in sorted([(start, end, block), *((*each, b"") for each in gone)], reverse=True):
            raw = raw[:first] + new + raw[last:]
        named = b"TZID=" + zone.key.encode()
        return insert(raw, *zones) if named in block and named not in text.raw else raw

    def _missing(self, zone: ZoneInfo, agenda: IcsAgenda, year: int) -> list[bytes]:
        """The zone as the text has to define it, unless it does."""
        is_there = zone.key == "UTC" or zone.key in agenda.zone_names
        return [] if is_there else [zone_lines(zone, around=year)]


class IcsTexts(ABC):
    """What a `Calendar` does wherever its iCalendar text is kept; who keeps it brings how it is read and replaced."""

    _editor: IcsEditor
    """What reads and plans its texts."""

    @abstractmethod
    async def _in_thread(self, work: Callable[..., _T], *args: Any) -> _T:
        """What `work` returns, which blocks."""

    @abstractmethod
    def _look(self, uid: str) -> IcsAgenda:
        """What the text that the event is or would be in says now. Blocks."""

    @abstractmethod
    def _rewritten(self, uid: str, plan: Plan) -> IcsAgenda:
        """What that text says after it was changed as planned from what it says by now. Blocks.

        Raises `TransientError` when another program keeps changing it.
        """

    async def create(self, event: Event) -> Event:
        """Add the event with its id as UID, guests as attendees who are asked to answer.

        When the UID is there already, nothing changes and what is there is returned.
        Raises `InputError` when the event cannot be written.
        """
        check_event(event)
        agenda = await self._in_thread(self._rewritten, event.id, self._editor.creating(event))
        return _there(agenda.get(event.id))

    async def get(self, event_id: str) -> Event | None:
        """The event of this UID (of a series the first), or None."""
        return await self._in_thread(lambda: self._look(event_id).get(event_id))

    async def find(self, uid: str, recurrence_id: datetime | None = None) -> Event | None:
        """The event of this UID, or its one occurrence, as the series' rule has it when nothing else is said of it.

        Raises `ProviderError` when its times cannot be read for certain.
        """
        instant = _instant(recurrence_id)
        return await self._in_thread(lambda: self._look(uid).find(uid, instant))

    async def put(self, event: Event) -> Event:
        """Write the event, or what has changed of it, under its UID.

        Raises `InputError` when it cannot be written, or is an occurrence that its series does not have.
        """
        check_uid(event.uid)
        event = replace(event, id=event.id or event.uid, recurrence_id=_instant(event.recurrence_id))
        check_event(event)
        agenda = await self._in_thread(self._rewritten, event.uid, partial(self._editor.saying, event))
        return _there(agenda.find(event.uid, event.recurrence_id))

    async def cancel(self, uid: str, recurrence_id: datetime | None = None) -> None:
        """Give the event, of a series every part of it, or its one occurrence the status CANCELLED."""
        check_uid(uid)
        plan = self._editor.cancelling(uid, _instant(recurrence_id))
        await self._in_thread(self._rewritten, uid, plan)

    async def answer(self, uid: str, partstat: Partstat, recurrence_id: datetime | None = None) -> Event:
        """Write the owner's PARTSTAT into the event, or into its one occurrence."""
        check_uid(uid)
        instant = _instant(recurrence_id)
        agenda = await self._in_thread(self._rewritten, uid, self._editor.answering(uid, partstat, instant))
        return _there(agenda.find(uid, instant))


def _instant(moment: datetime | None) -> datetime | None:
    return moment and in_utc("recurrence_id", moment)


def _there(found: Event | None) -> Event:
    """What has just been written."""
    if found is None:
        raise ProviderError("the calendar does not say what was written into it")
    return found
