"""How the page says times, days and numbers: short, in the user's zone, weekdays where a person thinks in them."""

from datetime import date, datetime

from email_assistant.calendars.day_text import short_day


def clock_time(moment: datetime) -> str:
    """Like 07:18."""
    return f"{moment:%H:%M}"


def long_day(day: date) -> str:
    """Like Friday 20 November."""
    return f"{day:%A} {day.day} {day:%B}"


def at(moment: datetime | None, now: datetime) -> str:
    """On a card: like "today, 07:18" or "Mon 16 Nov, 08:12"."""
    if moment is None:
        return ""
    day = "today" if moment.date() == now.date() else short_day(moment.date())
    return f"{day}, {clock_time(moment)}"


def waits(moment: datetime | None, now: datetime) -> str:
    """Like "waits 4 days"; "" for less than a day."""
    days = (now.date() - moment.date()).days if moment else 0
    return f"waits {count(days, 'day')}" if days > 0 else ""


def count(number: int, thing: str, things: str = "") -> str:
    """Like "1 gap" or "3 gaps"."""
    return f"{number} {thing if number == 1 else things or thing + 's'}"
