"""The times of meetings that an outgoing text names, held against the user's calendar: whoever wrote it, and whatever graph sends it."""

import asyncio
import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.conflicts import (
    collision_key,
    conflicts_with,
    found_out,
    title_of,
)
from email_assistant.calendars.event import Event, unread_events
from email_assistant.clock import Clock, now_for
from email_assistant.errors import ProviderError, TransientError
from email_assistant.facts.fact import Source
from email_assistant.language.days import days_in
from email_assistant.language.hours import find_hours
from email_assistant.language.text import DAY_FIRST, language_of
from email_assistant.mail.message import Conversation
from email_assistant.models.offline import words
from email_assistant.models.offline.meeting import stated_zone
from email_assistant.models.offline.offers import meeting_request, stated_times, their_zone
from email_assistant.models.offline.proposed_times import written_in
from email_assistant.tools.concerns import Concern
from email_assistant.tools.meeting_words import day_in_words
from email_assistant.working_hours import WorkingHours

MAX_TIMES = 10
"""So many times of a text are looked at."""
_AHEAD = timedelta(days=366)


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A time to come that a text names, and what the calendar has then."""

    event: Event
    taken_by: tuple[Event, ...]
    line: str
    """Where it stands."""
    is_settled: bool = False
    """Whether the calendar has a meeting then with those who get the text, which may be what it speaks of."""

    @property
    def is_free(self) -> bool:
        """Whether the calendar has nothing then."""
        return not (self.taken_by or self.is_settled)


@dataclass(frozen=True, slots=True)
class TimesInDraft:
    """What was found about the times of a text."""

    times: tuple[NamedTime, ...] = ()
    timezone: str = "UTC"
    hours: WorkingHours | None = None
    trouble: str = ""
    """Why the calendar could not be read."""
    theirs: tzinfo | None = None
    """The clock of the place where whoever is answered says to be."""

    @property
    def keys(self) -> list[str]:
        """What tells each collision from all others."""
        return [collision_key(time.event, each) for time in self.times for each in time.taken_by]

    def warnings(self) -> tuple[str, ...]:
        """What a card says of times that are taken, may be, or are outside the user's hours."""
        if self.trouble:
            named = ", ".join(self._described(time) for time in self.times)
            return (f"Nobody has looked whether you are free on {named}: {self.trouble}",)
        lines = [warning for time in self.times for warning in self._warnings(time)]
        return (*lines, *self._beyond_their_hours())

    def reasons(self) -> tuple[str, ...]:
        """That times are free."""
        free = [self._described(time) for time in self.times if time.is_free]
        return (f"Free in your calendar: {'; '.join(free)}.",) if free and not self.trouble else ()

    def concerns(self, shown: Collection[str]) -> list[Concern]:
        """What the person who has accepted was not shown."""
        new = [key for key in self.keys if key not in shown]
        texts = [
            f"{self._described(time)}: {found_out(time.taken_by)}"
            for time in self.times
            if any(collision_key(time.event, each) in new for each in time.taken_by)
        ]
        if not texts:
            return []
        digest = hashlib.sha256(" ".join(new).encode()).hexdigest()[:16]
        return [Concern(f"taken:{digest}", f"{' '.join(texts)} Accept again to send it all the same.")]

    def source(self, now: datetime) -> Iterator[Source]:
        """Days and hours of lines whose times are all free: the calendar is what they rest on."""
        lines = {time.line for time in self.times} if not self.trouble else set()
        lines -= {time.line for time in self.times if time.taken_by}
        if lines:
            text = "\n".join(_days_and_hours(line, now, ZoneInfo(self.timezone)) for line in sorted(lines))
            yield Source("the calendar", text, "ours", now)

    def _beyond_their_hours(self) -> Iterator[str]:
        """Which of the times are none to work at on the other side, by the hours of the user."""
        found = []
        for time in self.times if self.theirs and self.hours else ():
            start, end = (edge.astimezone(self.theirs) for edge in (time.event.start, time.event.end))
            if self.hours and not (time.is_settled or self.hours.hold(start, end)):
                found.append(f"{self._described(time)} is {start:%H:%M}")
        if found:
            which = (
                "None of these times is" if len(found) == len(self.times) else "Not all of these times are"
            )
            yield f"{which} within working hours on both sides: {'; '.join(found)} in {self.theirs}."

    def _warnings(self, time: NamedTime) -> Iterator[str]:
        text, unread = self._described(time), unread_events(time.taken_by)
        if taken := [title_of(each) for each in time.taken_by if not each.unread]:
            yield f"The text names {text}, when you have {', '.join(taken)}."
        if unread:
            yield f"Nobody knows whether {', '.join(map(title_of, unread))} in your calendar is on {text}."
        zone = ZoneInfo(self.timezone)
        start, end = time.event.start.astimezone(zone), time.event.end.astimezone(zone)
        if self.hours and not time.is_settled and not self.hours.hold(start, end):
            yield f"The text names {text}, outside your working hours ({self.hours})."

    def _described(self, time: NamedTime) -> str:
        local = time.event.start.astimezone(ZoneInfo(self.timezone))
        return f"{day_in_words(local.date())}, {local:%H:%M}"


@dataclass(frozen=True)
class Agenda:
    """What the times of a text are held against."""

    calendar: Calendar
    clock: Clock
    timezone: str
    """The user's, by its IANA name."""
    hours: WorkingHours

    async def of_reply(
        self, text: str, conversation: Conversation, with_whom: Collection[str]
    ) -> TimesInDraft | None:
        """The times that a text names in answer to a conversation; None where neither is about a meeting."""
        now = now_for(self.clock, conversation.arrived)
        asked = await asyncio.to_thread(meeting_request, conversation, now=now, timezone=self.timezone)
        if not (asked or words.MEETING.search(text)):
            return None
        found = await self.of_text(text, with_whom, now)
        return replace(found, theirs=their_zone(conversation))

    async def of_text(self, text: str, with_whom: Collection[str], now: datetime) -> TimesInDraft:
        """The times that a text names. Meetings with the people `with_whom` may be what it speaks of.

        They are keys of addresses; such a meeting takes no time.
        """
        named = await asyncio.to_thread(self._named, text, now)
        if not named:
            return TimesInDraft()
        try:
            there = await self.calendar.events(
                min(event.start for event, _ in named), max(event.end for event, _ in named)
            )
        except (ProviderError, TransientError) as error:
            times = tuple(NamedTime(event, (), line) for event, line in named)
            return TimesInDraft(times, self.timezone, self.hours, str(error))
        theirs = [each for each in there if _is_with(each, with_whom)]
        others = [each for each in there if each not in theirs]
        times = tuple(
            NamedTime(event, tuple(conflicts_with(event, others)), line, bool(conflicts_with(event, theirs)))
            for event, line in named
        )
        return TimesInDraft(times, self.timezone, self.hours)

    def _named(self, text: str, now: datetime) -> list[tuple[Event, str]]:
        zone = ZoneInfo(self.timezone)
        base = now.astimezone(zone).date()
        day_first = language_of(text) in DAY_FIRST
        written = written_in(text, base, zone, day_first=day_first, stated=stated_zone(text, zone))
        found: dict[datetime, tuple[Event, str]] = {}
        for start, end, line in stated_times(text, written):
            if now < start < now + _AHEAD:
                event = Event("", "", start, end, timezone=self.timezone)
                found.setdefault(start.astimezone(UTC), (event, line))
        return list(found.values())[:MAX_TIMES]


def _days_and_hours(line: str, now: datetime, zone: ZoneInfo) -> str:
    days, rest = days_in(line, now.astimezone(zone).date(), day_first=language_of(line) in DAY_FIRST)
    hours = find_hours(rest, zone, whole=line)
    spans = sorted((each.start, each.end) for found in (days, hours) for each in found)
    return " ".join(line[start:end] for start, end in spans)


def _is_with(event: Event, people: Collection[str]) -> bool:
    organizer = [event.organizer] if event.organizer else []
    return any(each.key in people for each in (*event.attendees, *organizer))
