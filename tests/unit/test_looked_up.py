"""Cards of meetings as they are drawn: what the calendar has by then, and what other cards ask for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from email_assistant.calendars.event import Event
from email_assistant.errors import ProviderError
from email_assistant.meetings.looked_up import looked_up
from email_assistant.review.card_facts import catch_of
from email_assistant.review.waiting import WaitingCard

NOW = datetime(2026, 11, 19, 14, 3, tzinfo=UTC)
TEN = datetime(2026, 11, 24, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
FREE = "The time is free in your calendar."


@dataclass
class Diary:
    """A calendar of these events; "" reads as an error."""

    events_: Sequence[Event] | None

    async def events(self, start: datetime, end: datetime) -> list[Event]:
        """Those of the time."""
        if self.events_ is None:
            raise ProviderError("the calendar is gone")
        return [each for each in self.events_ if each.start < end and each.end > start]


def card(who: str = "Ana", at: datetime = TEN, **meeting: Any) -> WaitingCard:
    """A card that proposes an hour, made when that was free."""
    times = {"start": at.isoformat(), "end": (at + HOUR).isoformat(), "timezone": "UTC"}
    args = {"title": "Shelf", "attendees": "", "location": "", **times}
    view = {
        "kind": "schedule_meeting",
        "title": "Schedule meeting: Shelf",
        "ask": f"{who} asks for a meeting, “Shelf”; {at:%H:%M} is free.",
        "args": args,
        "sender": who,
        "subject": "Shelf",
        "timezone": "UTC",
        "reasons": [FREE],
        "meeting": {"collisions": [], "options": [], "asked": None, **times, **meeting},
    }
    return WaitingCard(who, "email_assistant", view["title"], args, {}, "", view)  # type: ignore[arg-type]


def event(title: str, at: datetime = TEN) -> Event:
    """An hour in the calendar."""
    return Event(title, title, at, at + HOUR)


def said(card: WaitingCard) -> list[str]:
    """What the list says of it."""
    return [str(each) for each in catch_of(card.facts, NOW.date())]


async def test_what_came_in_the_way_since_is_told_and_the_question_stays_the_same() -> None:
    """An accept of it counts as before; nothing says any more that the time is free."""
    asked = card(options=[{"start": str(TEN + n * HOUR), "end": str(TEN + (n + 1) * HOUR)} for n in (2, 3)])
    assert said(asked) == ["free"]
    (drawn,) = await looked_up([asked], Diary([event("Audit"), event("Board", TEN + 2 * HOUR)]), NOW)  # type: ignore[arg-type]
    assert said(drawn) == ["collides"]
    assert (drawn.facts.reasons, drawn.facts.warnings) == ([], ["This collides with Audit in your calendar."])
    assert drawn.facts.meeting is not None
    assert [each["start"] for each in drawn.facts.meeting["options"]] == [str(TEN + 3 * HOUR)]
    assert "is free" not in drawn.facts.ask
    assert drawn.digest == asked.digest
    (again,) = await looked_up([drawn], Diary([]), NOW)  # type: ignore[arg-type]
    assert (said(again), again.facts.warnings) == (["free"], [])


async def test_an_hour_that_two_cards_ask_for_is_free_on_neither() -> None:
    """Each names the other; it is no option of a third, and the meeting's own entry is in nobody's way."""
    third = card("Cy", TEN + 4 * HOUR, options=[{"start": str(TEN), "end": str(TEN + HOUR)}])
    drawn = await looked_up([card(), card("Bo"), third], Diary([event("Shelf")]), NOW)  # type: ignore[arg-type]
    assert [said(each) for each in drawn] == [
        ["Bo asks for it, too"],
        ["Ana asks for it, too"],
        ["free"],
    ]
    assert drawn[2].facts.meeting is not None
    assert drawn[2].facts.meeting["options"] == []


async def test_a_calendar_that_cannot_be_read_has_no_free_time() -> None:
    """Nothing is said of it at all."""
    (drawn,) = await looked_up([card()], Diary(None), NOW)  # type: ignore[arg-type]
    assert (said(drawn), drawn.facts.reasons) == ([], [])
    assert "is free" not in drawn.facts.ask
