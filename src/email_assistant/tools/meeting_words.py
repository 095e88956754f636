"""When a meeting is, in words for a person; and whether the mail names another time for it."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event
from email_assistant.mail.message import Conversation
from email_assistant.models.offline.meeting import meeting_request
from email_assistant.models.offline.reading import body_words

_NAMED = 3
"""So many times of a mail are named one by one."""
_OPEN = re.compile(
    r"\b(?:between|after|before|until|till|any ?time|earliest|latest|except|not at|can't|cannot|onwards?|from .{1,20} on|"
    r"zwischen|nach|vor|ab|bis|frühestens|spätestens|außer|entre|après|avant|dès|jusqu|sauf|después|antes|desde|hasta|salvo)\b"
    r"|から|まで|以降|以前",
    re.IGNORECASE,
)
"""Words beside which an hour may be the edge of a time, or one that does not suit."""


def in_words(event: Event, *, own: str) -> str:
    """Like `Tuesday 24 November 2026, 17:00–17:30 (Europe/Berlin)`.

    `own` is the IANA zone of the calendar's owner. A meeting by another clock is told by both.
    """
    if event.all_day:
        first, last = _days(event, own)
        return f"{_day(first)}, all day" if first == last else f"{_day(first)} to {_day(last)}, all day"
    told = f"{_span(event, event.timezone)} ({event.timezone})"
    start = event.start.astimezone(UTC)
    same_clock = all(
        moment.astimezone(ZoneInfo(event.timezone)).utcoffset()
        == moment.astimezone(ZoneInfo(own)).utcoffset()
        for moment in (start, event.end.astimezone(UTC))
    )
    return told if same_clock else f"{told}, which is {_span(event, own)} ({own})"


def times_named(conversation: Conversation, *, now: datetime, timezone: str) -> list[str]:
    """When the mail would have the meeting, in ISO 8601: `start/end` for times, days alone where it names no time.

    Empty when the current message asks for no meeting, or names neither a day nor a time. Where the hours may be meant
    as the edges of a time ("after three"), only their days are given.
    """
    request = meeting_request(conversation, now=now, timezone=timezone)
    if request is None:
        return []
    if _OPEN.search(body_words(conversation.current)):
        days = {*request.day_hints, *(start.date() for start in request.proposed)}
        return [day.isoformat() for day in sorted(days)]
    length = timedelta(minutes=request.duration_minutes)
    times = [f"{_iso(start)}/{_iso(start + length)}" for start in request.proposed]
    return [*times, *(day.isoformat() for day in request.day_hints)]


def otherwise_named(event: Event, named: Sequence[str], *, own: str) -> str:
    """A sentence that says so where the meeting is at none of the times that `times_named` gave, else ""."""
    if not named or any(_fits(event, each, own) for each in named):
        return ""
    listed = [_told(each, own) for each in named[:_NAMED]]
    more = [f"{len(named) - _NAMED} more"] if len(named) > _NAMED else []
    this = in_words(event, own=own)
    return f"The mail names another time: {' or '.join([*listed, *more])}. This is {this}."


def _fits(event: Event, named: str, own: str) -> bool:
    first, last = _days(event, own)
    start, slash, end = named.partition("/")
    if not slash:
        return first <= date.fromisoformat(named) <= last
    if event.all_day:
        return False
    return datetime.fromisoformat(start) <= event.start and event.end <= datetime.fromisoformat(end)


def _told(named: str, own: str) -> str:
    start, slash, _ = named.partition("/")
    if not slash:
        return _day(date.fromisoformat(named))
    local = datetime.fromisoformat(start).astimezone(ZoneInfo(own))
    return f"{_day(local.date())}, {local:%H:%M}"


def _days(event: Event, zone: str) -> tuple[date, date]:
    """The first and the last day, by the clock of the zone."""
    last = event.end.astimezone(UTC) - timedelta(seconds=1)
    return event.start.astimezone(ZoneInfo(zone)).date(), last.astimezone(ZoneInfo(zone)).date()


def _span(event: Event, zone: str) -> str:
    start, end = event.start.astimezone(ZoneInfo(zone)), event.end.astimezone(ZoneInfo(zone))
    if start.date() == end.date():
        return f"{_day(start.date())}, {start:%H:%M}–{end:%H:%M}"
    return f"{_day(start.date())}, {start:%H:%M} to {_day(end.date())}, {end:%H:%M}"


def _day(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B} {day.year}"


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
