"""`check_calendar`: what is busy on some days, and what is free to offer."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import ClassVar
from zoneinfo import ZoneInfo

from pydantic import Field

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.free_time import describe_day, describe_free
from email_assistant.clock import Clock, now_for
from email_assistant.errors import InputError
from email_assistant.meetings.times import MAX_DAYS
from email_assistant.review.action import Risk
from email_assistant.tools.tool import Arguments, Reading, Turn

FREE_LINE = "Free in working hours"
"""How the line begins that says what may be offered."""


class CheckCalendarArguments(Arguments):
    """Which days to look at."""

    days: list[str] = Field(
        min_length=1, max_length=MAX_DAYS, description="Days as YYYY-MM-DD in the user's time zone."
    )


@dataclass(frozen=True)
class CheckCalendar:
    """Tells what is busy and free."""

    calendar: Calendar
    clock: Clock
    name: ClassVar[str] = "check_calendar"
    description: ClassVar[str] = (
        "Busy times in the user's calendar on the given days, in the user's time zone."
    )
    arguments: ClassVar[type[Arguments]] = CheckCalendarArguments
    risk: ClassVar[Risk] = Risk.READ

    async def read(self, args: CheckCalendarArguments, turn: Turn) -> Reading:
        """One line a day; an unreadable calendar is an error, never free time."""
        zone = ZoneInfo(turn.user.timezone)
        days = [await self._day(_day(day), zone, turn) for day in dict.fromkeys(args.days)]
        lines, times = [line for line, _, _ in days], [untitled for _, untitled, _ in days]
        free = "; ".join(filter(None, (left for _, _, left in days)))
        offered = [f"{FREE_LINE} ({turn.user.working_hours}): {free}"] if free else []
        return Reading(
            "\n".join([*lines, *offered]),
            tuple(f"Calendar: {line}" for line in lines),
            ours="\n".join([*times, *offered]),
        )

    async def _day(self, day: date, zone: ZoneInfo, turn: Turn) -> tuple[str, str, str]:
        """The day's line; the same without the titles, which a stranger's invitation may have worded; what is free in working hours."""
        start = datetime(day.year, day.month, day.day, tzinfo=zone)
        nxt = day + timedelta(days=1)
        events = await self.calendar.events(start, datetime(nxt.year, nxt.month, nxt.day, tzinfo=zone))
        now = now_for(self.clock, turn.conversation.arrived)
        return (
            describe_day(events, day, zone.key),
            describe_day(events, day, zone.key, titles=False),
            describe_free(events, day, zone.key, turn.user.working_hours, now),
        )


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        raise InputError(f"days: {text!r} is not a day; write it like 2026-11-26") from None
