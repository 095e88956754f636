"""What to look at before answering a card, in a few words each: "not who it says", "due today", "2 gaps"."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Literal, Self

from email_assistant.clock import instant_of, short_day
from email_assistant.models.offline.wanted import MONEY, ORDERS
from email_assistant.review.card_view import CardView

Tone = Literal["", "gap", "warn"]
FREE = "free"


class Catch(str):
    """A few words, and how loud they are: "warn" for danger, "gap" for what presses, "" for the rest."""

    __slots__ = ("is_counted", "tone")
    tone: Tone
    is_counted: bool
    """Whether it counts the gaps that are left, which becomes less while a person fills them."""

    def __new__(cls, words: str, tone: Tone = "", *, is_counted: bool = False) -> Self:
        made = super().__new__(cls, words)
        made.tone, made.is_counted = tone, is_counted
        return made


_ALARMS = {ORDERS: Catch("gives orders", "warn"), MONEY: Catch("money", "warn")}


def catch_of(view: CardView, today: date) -> tuple[Catch, ...]:
    """What to look at, the most pressing first."""
    asked_again = (Catch("asked again", "gap"),) if view.problem else ()
    return (*asked_again, *pressing(view, today), *_beside(view))


def pressing(view: CardView, today: date | None = None) -> tuple[Catch, ...]:
    """What may be a reason not to accept, the most pressing first; without `today` in words that stay true."""
    return tuple(_pressing(view, today))


def _pressing(view: CardView, today: date | None) -> Iterator[Catch]:
    if view.doubts:
        yield Catch("not who it says", "warn")
    yield from (_ALARMS[each] for each in view.alarms if each in _ALARMS)
    if view.refund:
        yield Catch("money")
    if view.deadline:
        yield _due(date.fromisoformat(view.deadline), today)
    if found := _in_the_way(view, today):
        yield found
    if gaps := len(view.gaps):
        yield Catch(f"{gaps} gap{'s' if gaps > 1 else ''}", is_counted=True)


def _beside(view: CardView) -> Iterator[Catch]:
    if "collisions" in (view.meeting or {}) and not _in_the_way(view, None):
        rival = (view.meeting or {}).get("rival")
        yield Catch(f"{rival} asks for it, too", "gap") if rival else Catch(FREE)
    if files := len(view.attachments):
        is_picture = all(str(each["type"]).startswith("image/") for each in view.attachments)
        yield Catch(f"{'picture' if is_picture else 'file'}{'s' if files > 1 else ''} attached")


def _due(day: date, today: date | None) -> Catch:
    if today is None or day > today + timedelta(days=1):
        return Catch(f"by {short_day(day)}")
    if day < today:
        return Catch(f"was due {short_day(day)}", "gap")
    return Catch("due today", "gap") if day == today else Catch("due tomorrow")


def _in_the_way(view: CardView, today: date | None) -> Catch | None:
    """Why a meeting cannot be as the mail would have it; None where the calendar has room for it."""
    meeting = view.meeting or {}
    ends = instant_of(str(meeting.get("end", "")), view.timezone)
    if today and ends and ends.date() < today:
        return Catch("is over")
    asked = meeting.get("asked") or {}
    if asked.get("taken_by"):
        return Catch(f"{instant_of(asked['start'], view.timezone):%H:%M} is taken", "gap")
    return Catch("collides") if meeting.get("collisions") else None
