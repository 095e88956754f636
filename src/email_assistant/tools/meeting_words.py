"""When a meeting is, in words for a person; and whether the mail names another time for it."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event
from email_assistant.language.hours import find_hours
from email_assistant.language.words import WORDS
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline.meeting import meeting_request
from email_assistant.models.offline.named_times import NamedTimes, is_named, named_times
from email_assistant.models.offline.reading import body_words, sentences

NOT_NAMED = "This day and time could not be found in the mail's words; compare them with the mail."
_MAX_SENTENCES = 200
_MAX_SENTENCE = 1_000
_NAMED = 3
"""So many times of a mail are named one by one."""
with WORDS.section("meeting_words") as section:
    _OPEN = section.pattern("{open}")
    """Words beside which an hour may be the edge of a time, or one that does not suit."""


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
    told = f"{_span(event, event.timezone)} ({event.timezone})"
    start = event.start.astimezone(UTC)
    same_clock = all(
        moment.astimezone(ZoneInfo(event.timezone)).utcoffset()
        == moment.astimezone(ZoneInfo(own)).utcoffset()
        for moment in (start, event.end.astimezone(UTC))
    )
    return told if same_clock else f"{told}, which is {_span(event, own, beside=event.timezone)} ({own})"


def times_named(conversation: Conversation, *, now: datetime, timezone: str) -> list[str]:
    """When the mail would have the meeting, in ISO 8601: `start/end` for times, days alone where it names no time.

    Empty when the current message asks for no meeting, or names neither a day nor a time. Where the hours may be meant
    as the edges of a time ("after three"), only their days are given.
    """
    request = meeting_request(conversation, now=now, timezone=timezone)
    if request is None:
        return []
    if not request.windows and _has_open_hours(conversation.current, timezone):
        days = {*request.day_hints, *(start.date() for start in request.proposed)}
        return [day.isoformat() for day in sorted(days)]
    length = timedelta(minutes=request.duration_minutes)
    times = [f"{_iso(start)}/{_iso(start + length)}" for start in request.proposed]
    times += [f"{_iso(start)}/{_iso(end)}" for start, end in request.windows]
    return [*times, *(day.isoformat() for day in request.day_hints)]


def doubts_about(event: Event, conversation: Conversation, *, now: datetime, own: str) -> tuple[str, ...]:
    """What a card says of its time besides `otherwise_named`.

    That is words of the mail that were not understood, and a day, an hour or a clock that does not stand in it. A mail with a
    calendar part says its times there; one that names no time leaves them to the user.
    """
    if conversation.current.calendars:
        return ()
    unread = not_understood(conversation, now=now, timezone=own)
    named = named_times(conversation, now=now, timezone=own)
    zone, home = ZoneInfo(event.timezone), ZoneInfo(own)
    told = [unread] if unread else []
    asked = times_named(conversation, now=now, timezone=own)
    if not asked and (named.days or named.hours) and not _stands_there(event, named, home):
        told.append(NOT_NAMED)
    clocks = {event.start.astimezone(each).utcoffset() for each in (home, *named.zones)}
    if not event.all_day and event.start.astimezone(zone).utcoffset() not in clocks:
        told.append(f"The mail names no clock of {event.timezone}; compare the time with the mail.")
    return tuple(told)


def not_understood(conversation: Conversation, *, now: datetime, timezone: str) -> str:
    """A sentence on the words of the current message that name a time for a meeting which nobody has understood, else ""."""
    request = meeting_request(conversation, now=now, timezone=timezone)
    if request is None or not request.unread:
        return ""
    quoted = " and ".join(f"“{words}”" for words in request.unread)
    return f"The mail names a time that was not understood: {quoted}."


def _stands_there(event: Event, named: NamedTimes, own: ZoneInfo) -> bool:
    zone = ZoneInfo(event.timezone)
    if named.hours and not event.all_day:
        return is_named(event.start, named, all_day=False, zone=zone, own=own)
    days = {event.start.astimezone(each).date() for each in (zone, own)}
    return not named.days or bool(days & named.days)


def _has_open_hours(message: Message, timezone: str) -> bool:
    """Whether a sentence that names an hour may mean it as an edge."""
    zone = ZoneInfo(timezone)
    said = (each[:_MAX_SENTENCE] for each in sentences(body_words(message))[:_MAX_SENTENCES])
    return any(_OPEN.search(each) and next(iter(find_hours(each, zone)), None) for each in said)


def otherwise_named(event: Event, named: Sequence[str], *, own: str) -> str:
    """A sentence that says so where the meeting is at none of the times that `times_named` gave, else ""."""
    if not named or any(fits(event, each, own) for each in named):
        return ""
    listed = [_told(each, own) for each in named[:_NAMED]]
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


def _told(named: str, own: str) -> str:
    start, slash, _ = named.partition("/")
    if not slash:
        return day_in_words(date.fromisoformat(named))
    local = datetime.fromisoformat(start).astimezone(ZoneInfo(own))
    return f"{day_in_words(local.date())}, {local:%H:%M}"


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


def day_in_words(day: date) -> str:
    """Like `Tuesday 24 November 2026`."""
    return f"{day:%A} {day.day} {day:%B} {day.year}"


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
