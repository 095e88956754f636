"""The times that fixed rules choose for a meeting, from what the calendar tool tells of its days."""

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event
from email_assistant.calendars.free_time import free_slots, spread
from email_assistant.language.zones import sender_zone
from email_assistant.mail.message import Conversation
from email_assistant.models.offline.meeting import MeetingRequest
from email_assistant.models.offline.meeting_preferences import MeetingPreferences
from email_assistant.models.offline.reading import body_words
from email_assistant.tools.check_calendar import FREE_LINE
from email_assistant.tools.meeting_words import in_words
from email_assistant.working_hours import WorkingHours

_BUSY = re.compile(r"(\d{1,2}):(\d{2})\s*[–—-]\s*(\d{1,2}):(\d{2})")


@dataclass(frozen=True)
class Hours:
    """The hours in which meetings may begin: those to come, and none before the user's earliest."""

    zone: ZoneInfo
    now: datetime
    wanted: MeetingPreferences
    working: WorkingHours

    @property
    def first(self) -> time:
        """When a day's first meeting may begin, where nobody proposed a time."""
        return max(self.working.start, self.wanted.earliest or time())

    def allow(self, start: datetime) -> bool:
        """Whether a meeting may begin then."""
        return start > self.now and start.astimezone(self.zone).time() >= (self.wanted.earliest or time())

    def is_working(self, start: datetime, end: datetime) -> bool:
        """Whether a meeting lies within the hours of a working day."""
        first, last = start.astimezone(self.zone), end.astimezone(self.zone)
        return self.allow(start) and self.working.hold(first, last)


def free_start(request: MeetingRequest, calendar: str, hours: Hours) -> datetime | None:
    """The first proposed time that is free, else the first free half hour of the days asked about."""
    zone, length = hours.zone, timedelta(minutes=request.duration_minutes)
    busy = _busy(calendar, zone)
    if busy is None:
        return None
    for start in request.proposed:
        if hours.allow(start) and _is_free(start, start + length, busy):
            return start
    for first, last in request.windows:
        start = first
        while start + length <= last:
            if hours.is_working(start, start + length) and _is_free(start, start + length, busy):
                return start
            start += timedelta(minutes=30)
    for day in sorted(
        {*(s.astimezone(zone).date() for s in request.proposed), *request.day_hints, *_days(calendar)}
    ):
        start = datetime.combine(day, hours.first, zone)
        while start + length <= datetime.combine(day, hours.working.end, zone):
            if hours.is_working(start, start + length) and _is_free(start, start + length, busy):
                return start
            start += timedelta(minutes=30)
    return None


def offered_times(
    request: MeetingRequest, calendar: str, hours: Hours, conversation: Conversation
) -> list[str]:
    """Up to three free times in words, by both clocks where the sender says to be elsewhere; none when the calendar could not be read."""
    busy = _busy(calendar, hours.zone)
    if busy is None:
        return []
    theirs = sender_zone(body_words(conversation.current)) or hours.zone
    length = timedelta(minutes=request.duration_minutes)
    events = [Event("", "", start, end) for start, end in busy]
    slots = [
        slot
        for day in sorted(set(_days(calendar)))
        for slot in free_slots(
            events,
            start=datetime.combine(day, time(), hours.zone),
            end=datetime.combine(day, hours.working.end, hours.zone),
            duration=length,
            timezone=hours.zone.key,
            hours=hours.working,
        )
        if hours.is_working(*slot)
    ]
    chosen = spread(slots, theirs, hours.working)
    told = (Event("", "", *slot, timezone=hours.zone.key) for slot in chosen)
    return [in_words(each, own=str(theirs)) for each in told]


def _busy(calendar: str, zone: ZoneInfo) -> list[tuple[datetime, datetime]] | None:
    """Busy times as the calendar tool tells them; None when it could not be read."""
    busy = []
    for line in calendar.partition(f"\n{FREE_LINE}")[0].splitlines():
        day = _day_of(line)
        if day is None:
            return None
        midnight = datetime.combine(day, time(), zone)
        if "all day" in line and "free all day" not in line:
            busy.append((midnight, midnight + timedelta(days=1)))
        for h1, m1, h2, m2 in _BUSY.findall(line):
            busy.append((midnight + _clock(h1, m1), midnight + _clock(h2, m2)))
    return busy


def _clock(hour: str, minute: str) -> timedelta:
    return timedelta(hours=int(hour), minutes=int(minute))


def _days(calendar: str) -> list[date]:
    return [d for d in map(_day_of, calendar.partition(f"\n{FREE_LINE}")[0].splitlines()) if d]


def _day_of(line: str) -> date | None:
    found = re.search(r"\d{4}-\d\d-\d\d", line)
    return date.fromisoformat(found.group()) if found else None


def _is_free(start: datetime, end: datetime, busy: list[tuple[datetime, datetime]]) -> bool:
    return all(end <= b or start >= e for b, e in busy)
