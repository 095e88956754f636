"""What to look at before answering a card, in a few words each: "not who it says", "due today", "2 gaps"."""

from collections.abc import Iterator
from datetime import date, timedelta

from email_assistant.calendars.day_text import day_of, instant_of, short_day
from email_assistant.models.offline.wanted import MONEY, ORDERS
from email_assistant.review.card_view import CardView

_ALARMS = {ORDERS: "gives orders", MONEY: "money"}


def catch_of(view: CardView, today: date) -> tuple[str, ...]:
    """What to look at, the most pressing first."""
    asked_again = ("asked again",) if view.problem else ()
    return (*asked_again, *pressing(view, today), *_beside(view))


def pressing(view: CardView, today: date | None = None) -> tuple[str, ...]:
    """What may be a reason not to accept, the most pressing first; without `today` in words that stay true."""
    return tuple(_pressing(view, today))


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


def _pressing(view: CardView, today: date | None) -> Iterator[str]:
    if view.doubts:
        yield "not who it says"
    yield from (_ALARMS[each] for each in view.alarms if each in _ALARMS)
    if view.refund:
        yield "money"
    if view.deadline:
        yield _due(date.fromisoformat(view.deadline), today)
    if found := _in_the_way(view, today):
        yield found
    if gaps := len(view.gaps):
        yield f"{gaps} gap{'s' if gaps > 1 else ''}"


def _beside(view: CardView) -> Iterator[str]:
    if "collisions" in (view.meeting or {}) and not _in_the_way(view, None):
        yield "free"
    if view.confidence is not None:
        yield f"{100 * view.confidence:.0f}% sure"
    if files := len(view.attachments):
        is_picture = all(str(each["type"]).startswith("image/") for each in view.attachments)
        yield f"{'picture' if is_picture else 'file'}{'s' if files > 1 else ''} attached"


def _due(day: date, today: date | None) -> str:
    if today is None or day > today + timedelta(days=1):
        return f"by {short_day(day)}"
    if day < today:
        return f"was due {short_day(day)}"
    return "due today" if day == today else "due tomorrow"


def _in_the_way(view: CardView, today: date | None) -> str:
    """Why a meeting cannot be as the mail would have it; "" where the calendar has room for it."""
    meeting = view.meeting or {}
    ends = instant_of(str(meeting.get("end", "")), view.timezone)
    if today and ends and ends.date() < today:
        return "is over"
    asked = meeting.get("asked") or {}
    if asked.get("taken_by"):
        return f"{instant_of(asked['start'], view.timezone):%H:%M} is taken"
    return "collides" if meeting.get("collisions") else ""
