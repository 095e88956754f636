"""The times a model answered, read strictly: they exist by a known clock, are to come and make sense."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import is_zone, start_of_day
from email_assistant.calendars.proposal import DEFAULT_MINUTES
from email_assistant.errors import InputError
from email_assistant.mail.text import one_line

MAX_DAYS = 14
MAX_YEARS = 10
NO_END = f"The mail names no end; {DEFAULT_MINUTES} minutes are taken."
TWICE = "The clock shows this hour twice on that day; the first time is taken."
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Span:
    """Start and end, aware and in `zone`; for whole days midnights in the user's zone. Notes are for the person."""

    start: datetime
    end: datetime
    zone: ZoneInfo
    all_day: bool
    notes: tuple[str, ...] = ()


def span_of(start: str, end: str, timezone: str, *, own: str, now: datetime) -> Span:
    """From ISO 8601 texts by the clock of `timezone`, of the user's `own` zone when that is empty.

    Without an end, `DEFAULT_MINUTES` are taken and noted. Raises `InputError` that says what is wrong.
    """
    name = timezone.strip() or own
    if not is_zone(name):
        raise InputError(f"its time zone is unknown: {quoted(name)}")
    start, end = start.strip(), end.strip()
    if not start:
        raise InputError("it names no time")
    try:
        days = _DAY.fullmatch(start)
        span = (
            _whole_days(start, end, ZoneInfo(own))
            if days
            else _hours(start, end, name, bool(timezone.strip()))
        )
        _check(span, now)
    except OverflowError:
        raise InputError("its time is out of range") from None
    return span


def _whole_days(start: str, end: str, zone: ZoneInfo) -> Span:
    if end and not _DAY.fullmatch(end):
        raise InputError("it starts with a day and ends with a time")
    first, last = _day(start), _day(end or start)
    after = last + timedelta(days=1)
    return Span(start_of_day(first, zone), start_of_day(after, zone), zone, all_day=True)


def _hours(start: str, end: str, name: str, is_named: bool) -> Span:
    zone = ZoneInfo(name)
    begins, notes = _instant(start, zone, is_named)
    if not end:
        ends = (begins.astimezone(UTC) + timedelta(minutes=DEFAULT_MINUTES)).astimezone(zone)
        return Span(begins, ends, zone, all_day=False, notes=(*notes, NO_END))
    if _DAY.fullmatch(end):
        raise InputError("it starts with a time and ends with a day")
    ends, more = _instant(end, zone, is_named)
    return Span(begins, ends, zone, all_day=False, notes=tuple(dict.fromkeys((*notes, *more))))


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InputError(f"{quoted(text)} is no day") from None


def _instant(text: str, zone: ZoneInfo, is_named: bool) -> tuple[datetime, tuple[str, ...]]:
    """A time by the clock of the zone; beside a zone's name an offset must be that zone's, or be UTC's."""
    try:
        time = datetime.fromisoformat(text).replace(microsecond=0)
    except ValueError:
        raise InputError(f"{quoted(text)} is no time") from None
    local = time.replace(tzinfo=zone) if time.tzinfo is None else time.astimezone(zone)
    if time.tzinfo is not None:
        if is_named and time.utcoffset() and time.utcoffset() != local.utcoffset():
            raise InputError(f"{quoted(text)} is not by the clock of {zone.key}")
        return local, ()
    if local.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != time:
        raise InputError(f"the clock of {zone.key} skips {quoted(text)}")
    twice = local.replace(fold=1).utcoffset() != local.utcoffset()
    return local, (TWICE,) if twice else ()


def _check(span: Span, now: datetime) -> None:
    # In UTC: the clock on the wall shows one hour of the year twice.
    start, end = span.start.astimezone(UTC), span.end.astimezone(UTC)
    if end <= start:
        raise InputError("it does not end after it starts")
    if (end if span.all_day else start) <= now:
        raise InputError("it is in the past")
    days = (span.end.date() - span.start.date()).days if span.all_day else (end - start) / timedelta(days=1)
    if days > MAX_DAYS:
        raise InputError(f"it is longer than {MAX_DAYS} days")
    if start > now + timedelta(days=366 * MAX_YEARS):
        raise InputError(f"it is more than {MAX_YEARS} years ahead")


def quoted(text: str) -> str:
    """A piece of an answer as a note may show it: one line, bounded."""
    return repr(one_line(text, limit=80))
