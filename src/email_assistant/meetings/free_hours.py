"""Free hours, and the user's page of them, for the gap of a letter to somebody who asks for a time."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event, start_of_day, unread_events
from email_assistant.calendars.free_time import Interval, spread
from email_assistant.clock import Clock, now_for, short_day
from email_assistant.errors import ProviderError, TransientError
from email_assistant.mail.message import Conversation
from email_assistant.meetings.guest_letter import reader_of, writer_to
from email_assistant.meetings.times import MAX_DAYS, awake, open_slots
from email_assistant.models.offline.meeting import MeetingRequest
from email_assistant.models.offline.named_times import their_clock
from email_assistant.models.offline.offers import meeting_request
from email_assistant.models.offline.preferences import Preferences, Wanted, nothing
from email_assistant.models.offline.wanted import TIME
from email_assistant.review.action import GapOffer
from email_assistant.tools.tool import Turn

FREE_AS_OF = "free as of"
"""Begins why hours are offered: whoever draws them later looks again."""
DAYS_AHEAD = 5
"""So many days are looked at where the mail names none."""


@dataclass(frozen=True)
class FreeHours:
    """Offers them; implements `tools.sending.Offers`."""

    calendar: Calendar
    clock: Clock
    wanted: Wanted = nothing
    link: str = ""
    """A page on which others choose a time with the user."""

    async def __call__(self, turn: Turn) -> tuple[GapOffer, ...]:
        """None for a sender in doubt; no hours where the calendar cannot be read, or nobody understood when it is to be."""
        if turn.is_doubted:
            return ()
        try:
            hours = await self._hours(turn)
        except (ProviderError, TransientError):
            hours = []
        link = [GapOffer(TIME, self.link, "your page of free hours")] if self.link else []
        return (*hours, *link)

    async def _hours(self, turn: Turn) -> list[GapOffer]:
        user, conversation = turn.user, turn.conversation
        now, zone = now_for(self.clock, conversation.arrived), ZoneInfo(user.timezone)
        request = await asyncio.to_thread(meeting_request, conversation, now=now, timezone=user.timezone)
        if request is None or request.unread or request.over:
            return []
        wanted = await self.wanted()
        periods = [(max(begin, now), end) for begin, end in _periods(request, now, zone) if end > now]
        if not periods:
            return []
        there = await self.calendar.events(min(p[0] for p in periods), max(p[1] for p in periods))
        if unread_events(there):  # Then nobody knows what is free.
            return []
        minutes = request.duration_minutes if request.names_length else wanted.minutes
        length = timedelta(minutes=minutes or request.duration_minutes)
        theirs = await asyncio.to_thread(their_clock, conversation, now=now, timezone=user.timezone)
        free = [
            slot
            for period in periods
            for slot in open_slots(there, period, length, zone.key, user.working_hours, wanted)
        ]
        chosen = spread(awake(free, theirs, user.working_hours), theirs or zone, user.working_hours)
        return await asyncio.to_thread(_offers, chosen, conversation, zone, wanted, now)


def _offers(
    free: Sequence[Interval], conversation: Conversation, zone: ZoneInfo, wanted: Preferences, now: datetime
) -> list[GapOffer]:
    """Each, and all of them, in the letter's language."""
    if not free:
        return []
    reader = reader_of(conversation.current, wanted, is_theirs=True)
    clerk = writer_to(reader, reader, own=zone.key, at=free[0][0], wanted=wanted, now=now)
    texts = [clerk.offered(Event("", "", start, end, timezone=zone.key)) for start, end in free]
    as_of = f"{FREE_AS_OF} {short_day(now.astimezone(zone))}, {now.astimezone(zone):%H:%M}"
    times = [(start.astimezone(zone).isoformat(), end.astimezone(zone).isoformat()) for start, end in free]
    found = [GapOffer(TIME, text, as_of, times=(at,)) for text, at in zip(texts, times, strict=True)]
    every = GapOffer(TIME, "\n".join(texts), "to choose from", f"All {len(found)}", tuple(times))
    return [*found, every] if len(found) > 1 else found


def days_asked_about(request: MeetingRequest, now: datetime, zone: tzinfo) -> list[date]:
    """The days that are named, else the coming ones."""
    named = (*request.proposed, *(start for start, _ in request.windows), *request.offered)
    days = {*(start.astimezone(zone).date() for start in named), *request.day_hints}
    if not days or (request.offered and request.asks_when):
        days |= {now.astimezone(zone).date() + timedelta(days=n) for n in range(1, DAYS_AHEAD + 1)}
    return sorted(days)[:MAX_DAYS]


def _periods(request: MeetingRequest, now: datetime, zone: ZoneInfo) -> Iterator[Interval]:
    """The times within which it may be, else whole days."""
    if request.windows:
        yield from request.windows
        return
    for day in days_asked_about(request, now, zone):
        yield start_of_day(day, zone), start_of_day(day + timedelta(days=1), zone)
