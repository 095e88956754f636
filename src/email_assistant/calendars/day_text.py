"""Days and times as ISO 8601 texts, and as a list says them: in English, short, by the user's clock."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

_WEEK = 7


def day_of(text: str) -> date | None:
    """The day that a text names without a time, or None."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def instant_of(text: str, timezone: str) -> datetime | None:
    """An ISO 8601 time by the clock of the IANA zone, which it is in when it names none; None for what is none."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    zone = ZoneInfo(timezone)
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)


def short_day(day: date) -> str:
    """Like `Fri 27 Nov`."""
    return f"{day:%a} {day.day} {day:%b}"


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
