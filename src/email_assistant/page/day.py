"""A day of the calendar as it is now, with what waits for it in other cards."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event
from email_assistant.calendars.free_time import conflicts
from email_assistant.errors import InputError
from email_assistant.review.waiting import WaitingCard
from email_assistant.tools.meeting import event_of


async def day(named: str, calendar: Calendar, zone: str, cards: Sequence[WaitingCard]) -> dict[str, Any]:
    """{"zone", "busy": [{"start", "end", "title"}], "waiting": [{"start", "end", "who", "thread"}]} of that date.

    Raises `InputError` for what is no date, and what the calendar raises: an error is never free time.
    """
    try:
        start = datetime.combine(date.fromisoformat(named), datetime.min.time(), ZoneInfo(zone))
        end = datetime.combine(start.date() + timedelta(days=1), datetime.min.time(), ZoneInfo(zone))
    except (ValueError, OverflowError):
        raise InputError("The date must be like 2026-11-26.") from None
    events = await calendar.events(start, end)
    waiting = [(card, event) for card in cards if (event := proposed(card, card.args, zone))]
    return {
        "zone": zone,
        "busy": [_told(each, zone) for each in conflicts(events, start, end)],
        "unknown": [each.title for each in events if each.unread],
        "waiting": [
            _told(event, zone) | {"who": card.facts.sender, "thread": card.thread_id}
            for card, event in waiting
            if event.start < end and event.end > start
        ],
    }


def proposed(card: WaitingCard, args: Any, zone: str) -> Event | None:
    """The event that a card's fields stand for; None for another kind of card, and for times that cannot be read."""
    if card.kind.draws != "event":
        return None
    try:
        return event_of("", args, owner=zone)
    except (InputError, KeyError):
        return None


async def new_collisions(
    card: WaitingCard, event: Event, calendar: Calendar, zone: str
) -> list[dict[str, str]]:
    """What takes part of the event's time by now and its card does not tell."""
    there = await calendar.events(event.start, event.end)
    told = (card.facts.meeting or {}).get("collisions") or ()
    known = {(each.get("title"), _instant(each.get("start"))) for each in told}
    found = conflicts(there, event.start, event.end)
    return [_told(each, zone) for each in found if (each.title, each.start) not in known]


def _instant(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def _told(event: Event, zone: str) -> dict[str, str]:
    at = ZoneInfo(zone)
    return {
        "start": event.start.astimezone(at).isoformat(),
        "end": event.end.astimezone(at).isoformat(),
        "title": event.title,
    }
