"""The event that a card makes, or is about: when, who and where."""

from collections.abc import Mapping
from dataclasses import dataclass

from email_assistant.calendars.day_text import day_of, instant_of, short_day
from email_assistant.page.words import clock_time
from email_assistant.review.card_view import CardView
from email_assistant.review.kinds import CardKind

EVENT_FIELDS = frozenset(("title", "attendees", "start", "end", "timezone", "location"))
"""Fields of a card that are an event's."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """When, who and where."""

    day: str
    date: str
    time: str
    asked: str
    timezone: str
    is_whole_day: bool
    is_made: bool
    """Whether this card makes it; else it is about somebody's event."""
    is_new: bool
    """Whether its time would be taken by it; else the calendar has it, or gives it up."""
    asked_times: Mapping[str, str]
    """{"start", "end"} of what the mail asks for; {} when it is what is proposed, or nothing."""


def meeting(view: CardView, kind: CardKind, asked_for: str) -> Meeting | None:
    """When, who and where; None of a card about no event, or about one that nobody knows the times of.

    `asked_for` is what the mail asks for, in words.
    """
    event, is_made = view.event, kind.draws == "event"
    if not is_made and not event.get("start"):
        return None
    zone = event.get("timezone") or view.timezone
    start, end = instant_of(event.get("start", ""), zone), instant_of(event.get("end", ""), zone)
    first, last = (day_of(event.get(name, "")) for name in ("start", "end"))
    asked = (view.meeting or {}).get("asked") or {}
    times = f"{clock_time(start)}–{clock_time(end)}" if start and end else ""
    until = "" if not (start and end) or start.date() == end.date() else f" to {short_day(end.date())}"
    return Meeting(
        day=f"{short_day(start.date())} {start.year}{until}" if start else event.get("start", ""),
        date=start.date().isoformat() if start else "",
        time="whole day" if first and last else times,
        asked=asked_for,
        timezone=zone,
        is_whole_day=first is not None,
        is_made=is_made,
        is_new=is_made or "collisions" in (view.meeting or {}),
        asked_times={name: str(asked[name]) for name in ("start", "end")} if asked.get("end") else {},
    )
