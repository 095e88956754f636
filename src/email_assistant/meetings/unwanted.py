"""Warnings of a meeting at a time that the user does not want for meetings."""

from collections.abc import Iterable
from datetime import timedelta
from zoneinfo import ZoneInfo

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.conflicts import outside_hours
from email_assistant.calendars.event import Event
from email_assistant.calendars.free_time import busy_intervals
from email_assistant.models.offline.preferences import Preferences
from email_assistant.tools.tool import Turn
from email_assistant.working_hours import WorkingHours


async def unwanted(event: Event, calendar: Calendar, wanted: Preferences, turn: Turn) -> tuple[str, ...]:
    """Warnings of an event that somebody else has made, beside what the calendar has near it."""
    beside = timedelta(minutes=wanted.buffer)
    near = await calendar.events(event.start - beside, event.end + beside) if beside else ()
    others = [each for each in near if each.uid != event.uid]
    return warnings_beside(event, others, wanted, turn.user.working_hours, turn.user.timezone)


def warnings_beside(
    event: Event, there: Iterable[Event], wanted: Preferences, hours: WorkingHours, own: str
) -> tuple[str, ...]:
    """Warnings where it is outside the working hours or breaks another wish, in the zone `own`; of whole days none."""
    outside = outside_hours(event, hours, own)
    if event.all_day:
        return outside
    zone = ZoneInfo(own)
    busy = busy_intervals(each for each in there if each.id != event.id and not each.unread)
    broken = wanted.broken_by(event.start.astimezone(zone), event.end.astimezone(zone), busy)
    return (*outside, *(f"This is not as you want it: {wish}." for wish in broken))
