"""The meeting of a card: when, who and where; its day in the calendar as it is now; and that day drawn as a strip."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event
from email_assistant.calendars.free_time import conflicts
from email_assistant.clock import day_of, instant_of, short_day
from email_assistant.errors import InputError
from email_assistant.meetings.times import event_of
from email_assistant.page.texts import clock_time, long_day
from email_assistant.review.card_view import CardView
from email_assistant.review.kinds import CardKind
from email_assistant.review.waiting import WaitingCard
from email_assistant.working_hours import WorkingHours

EVENT_FIELDS = frozenset(("title", "attendees", "start", "end", "timezone", "location", "message"))
"""Fields of a card that are an event's."""
FIRST_HOUR, LAST_HOUR = 8, 18
"""Hours that are always shown."""
BAR_TOP, BAR_HEIGHT, LOW_TOP, LOW_HEIGHT = 26, 58, 90, 32
"""Pixels: where bars stand, and the lower row of what is asked for."""


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


def meeting(view: CardView, kind: CardKind, asked_for: str, year: int) -> Meeting | None:
    """When, who and where; None of a card about no event, or about one that nobody knows the times of.

    `asked_for` is what the mail asks for, in words; a day of another `year` names its own.
    """
    event, is_made = view.event, kind.draws == "event"
    if not is_made and not event.get("start"):
        return None
    zone = event.get("timezone") or view.timezone
    start, end = instant_of(event.get("start", ""), zone), instant_of(event.get("end", ""), zone)
    first, last = (day_of(event.get(name, "")) for name in ("start", "end"))
    asked = (view.meeting or {}).get("asked") or {}
    edges = (instant_of(str(asked.get(name, "")), zone) for name in ("start", "end"))
    elsewhere = bool(asked.get("end")) and tuple(edges) != (start, end)
    own_year = "" if not start or start.year == year else f" {start.year}"
    times = f"{clock_time(start)}–{clock_time(end)}" if start and end else ""
    until = "" if not (start and end) or start.date() == end.date() else f" to {short_day(end.date())}"
    return Meeting(
        day=f"{short_day(start.date())}{own_year}{until}" if start else event.get("start", ""),
        date=start.date().isoformat() if start else "",
        time="whole day" if first and last else times,
        asked=asked_for,
        timezone=zone,
        is_whole_day=first is not None,
        is_made=is_made,
        is_new=is_made or "collisions" in (view.meeting or {}),
        asked_times={name: str(asked[name]) for name in ("start", "end")} if elsewhere else {},
    )


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
        "busy": [_busy(each, zone) for each in conflicts(events, start, end)],
        "unknown": [each.title for each in events if each.unread],
        "waiting": [
            _busy(event, zone) | {"who": card.facts.sender, "thread": card.thread_id}
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
    shown = (card.facts.meeting or {}).get("collisions") or ()
    known = {(each.get("title"), _instant(each.get("start"))) for each in shown}
    found = conflicts(there, event.start, event.end)
    return [_busy(each, zone) for each in found if (each.title, each.start) not in known]


def _instant(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def _busy(event: Event, zone: str) -> dict[str, str]:
    at = ZoneInfo(zone)
    return {
        "start": event.start.astimezone(at).isoformat(),
        "end": event.end.astimezone(at).isoformat(),
        "title": event.title,
    }


@dataclass(frozen=True, slots=True)
class DayBar:
    """Something in the day."""

    look: str
    """busy, new, asked or wait."""
    x: float
    width: float
    top: int
    height: int
    title: str
    time: str
    label: str
    """For those who do not see it."""


@dataclass(frozen=True, slots=True)
class Strip:
    """The day."""

    heading: str
    aside: str
    hours: tuple[tuple[int, float], ...]
    off: tuple[tuple[float, float], ...]
    """Hours outside of work."""
    bars: tuple[DayBar, ...]
    first: int
    last: int


def strip(
    day: date,
    timezone: str,
    looked_up: datetime,
    bars: Iterable[tuple[str, Mapping[str, str]]],
    working: WorkingHours,
) -> Strip:
    """The strip of `day`, with the hours that the user does not work; each bar is its look and {"start", "end", "title"}, ISO 8601."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(timezone))
    placed, whole = list[tuple[str, str, float, float]](), list[str]()
    for look, times in bars:
        start, end = instant_of(times["start"], timezone), instant_of(times["end"], timezone)
        if start is None or end is None:
            continue
        if end - start >= timedelta(hours=23):
            whole.append(times["title"])
            continue
        begins, ends = (max(0.0, min(24.0, _hours(each, midnight))) for each in (start, end))
        if ends > begins:
            placed.append((look, times["title"], begins, ends))
    first = min([FIRST_HOUR, *(int(begins) for _, _, begins, _ in placed)])
    last = max([LAST_HOUR, *(-int(-ends // 1) for _, _, _, ends in placed)])

    def place(hour: float) -> float:
        return round((hour - first) * 100 / (last - first), 3)

    opens, closes = (each.hour + each.minute / 60 for each in (working.start, working.end))
    off = [(first, max(first, opens)), (min(last, closes), last)]
    off = off if day.weekday() in working.days else [(first, last)]
    zone = timezone.rpartition("/")[2].replace("_", " ")
    aside = [f"looked up now, {clock_time(looked_up)}", f"{zone} time"]
    return Strip(
        heading=long_day(day),
        aside=" · ".join([*aside, *([f"all day: {', '.join(whole)}"] if whole else [])]),
        hours=tuple((hour, place(hour)) for hour in range(first, last)),
        off=tuple((place(start), place(end) - place(start)) for start, end in off if start < end),
        bars=tuple(_bar(look, title, b, e, place(b), place(e) - place(b)) for look, title, b, e in placed),
        first=first,
        last=last,
    )


def _bar(look: str, title: str, begins: float, ends: float, x: float, width: float) -> DayBar:
    times = f"{_clock(begins)}–{_clock(ends)}"
    asked = look == "asked"
    names = {"busy": "busy", "new": "proposed", "asked": "asked for", "wait": "waits in another card"}
    return DayBar(
        look, x, round(width, 3), LOW_TOP if asked else BAR_TOP, LOW_HEIGHT if asked else BAR_HEIGHT, title, times,
        f"{times} {names[look]}: {title}",
    )  # fmt: skip


def _hours(moment: datetime, midnight: datetime) -> float:
    wall = moment.replace(tzinfo=None) - midnight.replace(tzinfo=None)
    return wall.total_seconds() / 3600


def _clock(hour: float) -> str:
    return f"{int(hour):02}:{round(hour % 1 * 60):02}"
