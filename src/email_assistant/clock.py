"""Injected time: aware and UTC inside, the user's zone at the edges; and how days and times are written there, in English, short."""

import math
import re
from calendar import month_name
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_WEEK = 7
_MONTHS = tuple(month_name)[1:]
_DATED = re.compile(
    r"(?P<quoted>“[^”]*”)|(?:\b[A-Z][a-z]{2,5}day,? )?\b"
    rf"(?:(?P<iso>\d{{4}}-\d\d-\d\d)(?!T)|(?P<day>\d{{1,2}}) (?P<month>{'|'.join(_MONTHS)}) (?P<year>\d{{4}}))\b"
)


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The current instant, aware, in UTC."""


@dataclass(frozen=True)
class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The current instant, aware, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True)
class FixedClock:
    """A clock that stands still, for tests and for trying out samples with fixed dates."""

    instant: datetime

    def now(self) -> datetime:
        """The instant it was made with, in UTC."""
        return self.instant.astimezone(UTC)


@dataclass(frozen=True)
class SampleClock:
    """The clock of the sample day, which stands; `now_for` says for which mail."""

    day: datetime
    machine: Clock

    def now(self) -> datetime:
        """The sample day's instant, in UTC."""
        return self.day.astimezone(UTC)

    @property
    def notice(self) -> str:
        """What is said of it wherever somebody sees it."""
        return f"The sample day, {self.day:%A %-d %B %Y}; its clock stands"


def now_for(clock: Clock, arrived: datetime | None) -> datetime:
    """The instant that counts as now for mail that came in then: what came after the sample day has the machine's clock."""
    if (
        isinstance(clock, SampleClock)
        and arrived
        and arrived.astimezone(clock.day.tzinfo).date() > clock.day.date()
    ):
        return clock.machine.now()
    return clock.now()


def seconds_asked_for(value: str, now: datetime | None = None) -> float | None:
    """How long a Retry-After header asks to wait, as seconds or as a date (RFC 9110 §10.2.3); None when it does not say."""
    try:
        seconds = float(value) if value.isascii() else math.nan
        return seconds if math.isfinite(seconds) and seconds >= 0 else None
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (aware - (now or datetime.now(UTC))).total_seconds())


def day_of(text: str) -> date | None:
    """The day that a text names without a time, or None."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def instant_of(text: str, timezone: str) -> datetime | None:
    """An ISO 8601 time by the clock of the IANA zone, which it is in when it names none; None for what is none, as somebody types it."""
    try:
        moment, zone = datetime.fromisoformat(text.strip()), ZoneInfo(timezone)
        return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)
    except (ValueError, OverflowError, OSError, ZoneInfoNotFoundError):
        return None


def short_day(day: date) -> str:
    """Like `Fri 27 Nov`."""
    return f"{day:%a} {day.day} {day:%b}"


def at_seconds(seconds: float) -> datetime | None:
    """The instant that many seconds after the beginning of 1970, in UTC; None for one that no calendar has."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def day_in_words(day: date) -> str:
    """Like `Tuesday 24 November 2026`."""
    return f"{day:%A} {day.day} {day:%B} {day.year}"


def span_in_words(start: str, end: str, timezone: str) -> str:
    """Two times or days in ISO 8601, like `Thu 26 Nov 11:30–13:00` by the clock of the IANA zone; "" when one is none."""
    first, last = day_of(start), day_of(end)
    if first and last:
        return (
            f"{short_day(first)}, all day"
            if first == last
            else f"{short_day(first)} to {short_day(last)}, all day"
        )
    begin, stop = (instant_of(each, timezone) for each in (start, end))
    if begin is None or stop is None:
        return ""
    until = f"{stop:%H:%M}" if begin.date() == stop.date() else f"{short_day(stop.date())} {stop:%H:%M}"
    return f"{short_day(begin.date())} {begin:%H:%M}–{until}"


def days_in_short(text: str, year: int | None) -> str:
    """A sentence of ours with its days as `short_day` writes them, and their year when it is not `year`; what it quotes stays."""
    return _DATED.sub(lambda found: _in_short(found, year), text)


def _in_short(found: re.Match[str], year: int | None) -> str:
    written = found["iso"] or ""
    if found["month"]:
        written = f"{found['year']}-{_MONTHS.index(found['month']) + 1:02}-{int(found['day']):02}"
    day = day_of(written)
    if day is None:
        return found[0]
    return short_day(day) if day.year == year else f"{short_day(day)} {day.year}"


def when_listed(moment: datetime | None, today: date) -> str:
    """In a list: the time of today, the weekday of this week, else the day, with its year when that is another one."""
    if moment is None:
        return ""
    days = (today - moment.date()).days
    if days == 0:
        return f"{moment:%H:%M}"
    if 0 < days < _WEEK:
        return f"{moment:%a}"
    year = "" if moment.year == today.year else f" {moment.year}"
    return f"{moment.day} {moment:%b}{year}"
