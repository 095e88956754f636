"""When a meeting is, in words for a person; and whether the mail names another time for it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event
from email_assistant.clock import day_in_words
from email_assistant.mail.message import Conversation
from email_assistant.models.offline.meeting import MeetingRequest
from email_assistant.models.offline.meeting_change import change_wanted
from email_assistant.models.offline.named_times import NamedTimes, is_named, named_times
from email_assistant.models.offline.offers import meeting_request, not_understood, spans, time_in_words

NOT_NAMED = "This day and time could not be found in the mail's words; compare them with the mail."
NOT_ASKED = "The mail asks for no meeting, as far as it was understood."
_NAMED = 3
"""So many times of a mail are named one by one."""


def in_words(event: Event, *, own: str) -> str:
    """Like `Tuesday 24 November 2026, 17:00–17:30 (Europe/Berlin)`.

    `own` is the IANA zone of the calendar's owner. A meeting by another clock is told by both.
    """
    if event.all_day:
        first, last = _days(event, own)
        return (
            f"{day_in_words(first)}, all day"
            if first == last
            else f"{day_in_words(first)} to {day_in_words(last)}, all day"
        )
    text = f"{_span(event, event.timezone)} ({event.timezone})"
    start = event.start.astimezone(UTC)
    same_clock = all(
        moment.astimezone(ZoneInfo(event.timezone)).utcoffset()
        == moment.astimezone(ZoneInfo(own)).utcoffset()
        for moment in (start, event.end.astimezone(UTC))
    )
    return text if same_clock else f"{text}, which is {_span(event, own, beside=event.timezone)} ({own})"


def times_named(conversation: Conversation, *, now: datetime, timezone: str) -> tuple[list[str], list[str]]:
    """When the mail would have the meeting, in ISO 8601: `start/end` for times, days alone where it names no time; and beside that
    the times that the user has offered, where the mail answers those.

    Empty when the current message asks for no meeting, or names neither a day nor a time.
    """
    request = meeting_request(conversation, now=now, timezone=timezone)
    if request is None:
        return [], []
    times = spans(request, request.proposed)
    times += [
        f"{start.astimezone(UTC).isoformat()}/{end.astimezone(UTC).isoformat()}"
        for start, end in request.windows
    ]
    days = [day.isoformat() for day in request.day_hints]
    return [*times, *days], spans(request, request.offered)


def doubts_about(event: Event, conversation: Conversation, *, now: datetime, own: str) -> tuple[str, ...]:
    """What a card says of its time besides `otherwise_named`.

    That is words of the mail that were not understood, and a day, an hour, a clock or a length that does not stand in it, so that
    whoever proposes the meeting has chosen it. A mail with a calendar part says its times there.
    """
    message = conversation.current
    if message.calendars:
        return ()
    request = meeting_request(conversation, now=now, timezone=own)
    named = named_times(conversation, now=now, timezone=own)
    zone, home = ZoneInfo(event.timezone), ZoneInfo(own)
    if request is None:
        wished = change_wanted(conversation, now=now, timezone=own)
        unnamed = () if _stands_there(event, named, home) else (NOT_NAMED,)
        return unnamed if wished and wished.request else (NOT_ASKED, *unnamed)
    minutes = round((event.end - event.start).total_seconds() / 60)
    clocks = {event.start.astimezone(each).utcoffset() for each in (home, *named.zones)}
    lines = [not_understood(conversation, now=now, timezone=own), _chosen(event, request, named, home)]
    if not (request.proposed or request.windows or request.day_hints) and (named.days or named.hours):
        # Of a time that the message names and does not offer nothing follows; one that was named before may be meant.
        silent = (
            conversation
            if request.unread
            else replace(conversation, current=replace(message, subject="", text=""))
        )
        before = named_times(silent, now=now, timezone=own)
        is_known = (before.days or before.hours) and _stands_there(event, before, home)
        lines[1] = "" if is_known else NOT_NAMED
    if not event.all_day and event.start.astimezone(zone).utcoffset() not in clocks:
        lines.append(f"The mail names no clock of {event.timezone}; compare the time with the mail.")
    if request.names_length and not event.all_day and minutes != request.duration_minutes:
        lines.append(f"The mail names {request.duration_minutes} minutes; this takes {minutes}.")
    return tuple(filter(None, lines))


def _chosen(event: Event, request: MeetingRequest, named: NamedTimes, own: ZoneInfo) -> str:
    """What of the day and the hour somebody has chosen, since the mail leaves it open, else ""."""
    start = event.start.astimezone(own)
    edges = {first for first, _ in request.windows if first.time() in {hour.at for hour in named.hours}}
    if request.proposed or event.all_day or start in edges:
        return ""
    if request.windows or len(request.day_hints) == 1:
        return f"The mail names no hour: {start:%H:%M} was chosen for you."
    day = day_in_words(start.date())
    return f"The mail names no day and no hour: {day}, {start:%H:%M} was chosen for you."


def _stands_there(event: Event, named: NamedTimes, own: ZoneInfo) -> bool:
    zone = ZoneInfo(event.timezone)
    if named.hours and not event.all_day:
        return is_named(event.start, named, all_day=False, zone=zone, own=own)
    days = {event.start.astimezone(each).date() for each in (zone, own)}
    return not named.days or bool(days & named.days)


def otherwise_named(event: Event, named: Sequence[str], *, own: str) -> str:
    """A sentence that says so where the meeting is at none of the times that `times_named` gave, else ""."""
    if not named or any(fits(event, each, own) for each in named):
        return ""
    listed = [time_in_words(each, own) for each in named[:_NAMED]]
    more = [f"{len(named) - _NAMED} more"] if len(named) > _NAMED else []
    this = in_words(event, own=own)
    return f"The mail names another time: {' or '.join([*listed, *more])}. This is {this}."


def fits(event: Event, named: str, own: str) -> bool:
    """Whether the meeting is at this time of those that `times_named` gave; `own` is the owner's IANA zone."""
    first, last = _days(event, own)
    start, slash, end = named.partition("/")
    if not slash:
        return first <= date.fromisoformat(named) <= last
    if event.all_day:
        return False
    return datetime.fromisoformat(start) <= event.start and event.end <= datetime.fromisoformat(end)


def _days(event: Event, zone: str) -> tuple[date, date]:
    """The first and the last day, by the clock of the zone."""
    last = event.end.astimezone(UTC) - timedelta(seconds=1)
    return event.start.astimezone(ZoneInfo(zone)).date(), last.astimezone(ZoneInfo(zone)).date()


def _span(event: Event, zone: str, beside: str = "") -> str:
    """The day and the hours by one clock; `beside` those by another clock the hours alone, where the day is the same."""
    start, end = event.start.astimezone(ZoneInfo(zone)), event.end.astimezone(ZoneInfo(zone))
    if beside and {event.start.astimezone(ZoneInfo(beside)).date()} == {start.date(), end.date()}:
        return f"{start:%H:%M}–{end:%H:%M}"
    if start.date() == end.date():
        return f"{day_in_words(start.date())}, {start:%H:%M}–{end:%H:%M}"
    return f"{day_in_words(start.date())}, {start:%H:%M} to {day_in_words(end.date())}, {end:%H:%M}"
