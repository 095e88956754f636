"""The times that fixed rules choose for a meeting, from what the calendar tool tells of its days."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import chain
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event
from email_assistant.calendars.free_time import Interval, busy_intervals, conflicts, spread
from email_assistant.mail.message import Conversation
from email_assistant.meetings.check_calendar import FREE_LINE
from email_assistant.meetings.guest_letter import people_of, writer_to
from email_assistant.meetings.times import open_slots
from email_assistant.models.offline.meeting import MeetingRequest
from email_assistant.models.offline.named_times import named_times
from email_assistant.models.offline.offers import their_zone
from email_assistant.models.offline.preferences import Preferences
from email_assistant.working_hours import WorkingHours

_DAYS = 3
_BUSY = re.compile(r"(\d{1,2}):(\d{2})\s*[–—-]\s*(\d{1,2}):(\d{2})")


@dataclass(frozen=True)
class Hours:
    """The hours in which meetings may be: those to come, and none that the user does not want."""

    zone: ZoneInfo
    now: datetime
    wanted: Preferences
    working: WorkingHours

    def allow(self, start: datetime, end: datetime, there: Sequence[Event]) -> bool:
        """Whether a meeting may be then, beside what the calendar has."""
        first, last = start.astimezone(self.zone), end.astimezone(self.zone)
        wishes = self.wanted.broken_by(first, last, busy_intervals(there))
        return start > self.now and not conflicts(there, start, end) and not wishes

    def free(
        self, first: datetime, last: datetime, length: timedelta, there: Sequence[Event]
    ) -> list[Interval]:
        """The times between the two that may be offered."""
        period = max(first, self.now), last
        slots = open_slots(there, period, length, self.zone.key, self.working, self.wanted)
        return slots if period[0] < last else []

    def of_day(self, day: date, length: timedelta, there: Sequence[Event]) -> list[Interval]:
        """The same of a day."""
        first = datetime.combine(day, time(), self.zone)
        return self.free(first, first + timedelta(days=1), length, there)


def free_start(request: MeetingRequest, calendar: str, hours: Hours) -> datetime | None:
    """The first proposed time that is free, else another that was offered, else the first free one of the days asked about."""
    zone, length = hours.zone, timedelta(minutes=request.duration_minutes)
    there = _events(calendar, zone)
    if there is None:
        return None
    for start in (*request.proposed, *request.offered):
        # What the user has offered is as the user wants it.
        is_free = start > hours.now and not conflicts(there, start, start + length)
        if is_free and (start in request.offered or hours.allow(start, start + length, there)):
            return start
    days = {*(s.astimezone(zone).date() for s in request.proposed), *request.day_hints, *_days(calendar)}
    slots = [
        *(slot for first, last in request.windows for slot in hours.free(first, last, length, there)),
        *(slot for day in sorted(days) for slot in hours.of_day(day, length, there)),
    ]
    return slots[0][0] if slots else None


def offered_times(
    request: MeetingRequest, calendar: str, hours: Hours, conversation: Conversation
) -> list[str]:
    """Up to three free times in the letter's words, by both clocks where the sender says to be elsewhere; none when the calendar could
    not be read.

    Those that did not suit before are not among them, nor days that the mail names and does not ask about: "any day but Friday".
    """
    there = _events(calendar, hours.zone)
    if there is None:
        return []
    length = timedelta(minutes=request.duration_minutes)
    declined = [Event("", "", start, start + length) for start in request.offered]
    alone = Conversation(conversation.current)
    named = named_times(alone, now=hours.now, timezone=hours.zone.key).days - {*request.day_hints}
    theirs = their_zone(conversation) or hours.zone
    days = (hours.of_day(day, length, there) for day in sorted({*_days(calendar)} - named))
    free = [left for day in days if (left := [each for each in day if not conflicts(declined, *each)])]
    # Where no day is named, the next ones.
    chosen = spread(list(chain(*(free if request.day_hints else free[:_DAYS]))), theirs, hours.working)
    person = people_of(conversation)[conversation.current.sender.key]
    clerk = writer_to(person, {}, own=hours.zone.key, at=hours.now, wanted=hours.wanted, now=hours.now)
    return [replace(clerk, theirs=theirs).offer(Event("", "", *slot)) for slot in chosen]


def _events(calendar: str, zone: ZoneInfo) -> list[Event] | None:
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
    return [Event("", "", start, end) for start, end in busy]


def _clock(hour: str, minute: str) -> timedelta:
    return timedelta(hours=int(hour), minutes=int(minute))


def _days(calendar: str) -> list[date]:
    return [d for d in map(_day_of, calendar.partition(f"\n{FREE_LINE}")[0].splitlines()) if d]


def _day_of(line: str) -> date | None:
    found = re.search(r"\d{4}-\d\d-\d\d", line)
    return date.fromisoformat(found.group()) if found else None
