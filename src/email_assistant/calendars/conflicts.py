"""Collisions of a meeting with the user's calendar, and the sentences that say so."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, timedelta
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event, unread_events
from email_assistant.calendars.free_time import conflicts
from email_assistant.mail.text import one_line
from email_assistant.working_hours import WorkingHours

FREE = "The time is free in your calendar."
FREE_TIMES = "Free in your calendar: "
"""Begins what a card says of the times of a letter."""
MAX_CLASHES = 5
"""So many collisions are named one by one; a whole day may hold many."""
_MAX_TITLE = 120


def conflicts_with(event: Event, there: Sequence[Event]) -> list[Event]:
    """What else takes part of the time, or may do so since nobody knows when it is; `there` are the events of its time without itself."""
    # Of whatever period they were among the events: a collision is told from others by its times.
    unread = [replace(each, start=event.start, end=event.start) for each in unread_events(there)]
    return [*conflicts(there, event.start, event.end), *unread]


def collision_key(event: Event, other: Event) -> str:
    """Tells one collision at one time from all others."""
    edges = (each.astimezone(UTC).isoformat() for each in (event.start, event.end, other.start, other.end))
    return " ".join([*edges, other.id])


def touching(event: Event, there: Sequence[Event], way: timedelta) -> str:
    """What it touches, as nobody is in two places within no time, and what is elsewhere within the `way` from there: `, right before
    “Lunch”`; "" for nothing."""
    near = [
        (word, each, apart)
        for each in there
        for word, apart in (("after", event.start - each.end), ("before", each.start - event.end))
        if each.busy and not (each.all_day or each.unread or each.id == event.id)
    ]
    close = [
        f"{_apart(apart)} {word} “{_named(each)}”{_place(each, event)}"
        for word, each, apart in near
        if not apart or (timedelta(0) < apart < way and _is_away(each, event))
    ]
    return f", {' and '.join(close)}" if close else ""


def _is_away(event: Event, other: Event) -> bool:
    return event.is_elsewhere and event.location.casefold() != other.location.casefold()


def _apart(time: timedelta) -> str:
    return f"{time // timedelta(minutes=1)} minutes" if time else "right"


def _place(event: Event, other: Event) -> str:
    """Where it is, if that is at a place that the other is not at and its title does not name."""
    place = one_line(event.location, limit=_MAX_TITLE)
    is_known = place.casefold() in f"{other.location}\n{event.title}".casefold()
    return f" ({place})" if event.is_elsewhere and not is_known else ""


def warnings_of(clashing: Sequence[Event]) -> tuple[str, ...]:
    """What a card says of them; `FREE` is for when there are none."""
    taken, unread = _sorted(clashing)
    lines = [f"This collides with {_named(each)} in your calendar." for each in taken[:MAX_CLASHES]]
    if len(taken) > MAX_CLASHES:
        lines.append(f"It collides with {len(taken) - MAX_CLASHES} more events in your calendar.")
    unknown = (
        f"Nobody knows whether {_named(each)} in your calendar is at this time: {each.unread}."
        for each in unread[:MAX_CLASHES]
    )
    return (*lines, *unknown)


def outside_hours(event: Event, hours: WorkingHours, timezone: str) -> tuple[str, ...]:
    """A warning where the meeting is not within the user's working hours by the clock of their `timezone`; of whole days nothing."""
    zone = ZoneInfo(timezone)
    if event.all_day or hours.hold(event.start.astimezone(zone), event.end.astimezone(zone)):
        return ()
    return (f"This is outside your working hours ({hours}).",)


def found_out(new: Sequence[Event]) -> str:
    """What was found in the calendar that the person has not been shown at this time."""
    taken, unread = _sorted(new)
    more = f" and {len(taken) - MAX_CLASHES} more" if len(taken) > MAX_CLASHES else ""
    named, unknown = (", ".join(_named(each) for each in some[:MAX_CLASHES]) for some in (taken, unread))
    lines = [f"Your calendar has {named}{more} at this time."] if taken else []
    return " ".join([*lines, *([f"When {unknown} in your calendar is cannot be read."] if unread else [])])


def title_of(event: Event) -> str:
    """What an event is called; its title may be a stranger's, of an invitation."""
    return one_line(event.title, limit=_MAX_TITLE) or "a busy time"


def _sorted(clashing: Sequence[Event]) -> tuple[list[Event], list[Event]]:
    return [each for each in clashing if not each.unread], unread_events(clashing)


def _named(event: Event) -> str:
    return f"{title_of(event)} (all day)" if event.all_day else title_of(event)
