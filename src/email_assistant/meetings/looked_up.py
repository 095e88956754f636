"""Cards of meetings as the calendar is when they are drawn: what was free when they were made may be taken by now."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.conflicts import FREE, title_of, warnings_of
from email_assistant.calendars.event import Event
from email_assistant.calendars.free_time import conflicts
from email_assistant.clock import instant_of
from email_assistant.errors import ProviderError, TransientError
from email_assistant.mail.conversation import base_subject
from email_assistant.meetings.times import collisions_of
from email_assistant.review.waiting import WaitingCard

LONGEST = timedelta(days=92)
"""Meetings that begin later than this, and those that are over, stay as they were made."""
_COLLIDES = ("This collides with ", "It collides with ")
Span = tuple[datetime, datetime]


@dataclass(frozen=True)
class _Asked:
    """A card that would take a time."""

    card: WaitingCard
    span: Span

    @property
    def who(self) -> str:
        return self.card.facts.sender_name


async def looked_up(cards: Sequence[WaitingCard], calendar: Calendar, now: datetime) -> list[WaitingCard]:
    """The cards, those about the time of a meeting with what the calendar, and the other cards, say of it at `now`.

    Whoever answers one answers the same question (`WaitingCard.digest`). Where the calendar cannot be read nothing is free.
    """
    asked = [_Asked(card, span) for card in cards if (span := _span_of(card))]
    near = [each for each in asked if each.span[1] > now and each.span[0] - now <= LONGEST]
    if not near:
        return list(cards)
    spans = [each.span for each in near] + [span for each in near for span in _options(each.card).values()]
    try:
        there = await calendar.events(min(start for start, _ in spans), max(end for _, end in spans))
        found = {id(each.card): _fresh(each, near, there, now) for each in near}
    except (ProviderError, TransientError):
        found = {id(each.card): _unknown(each.card) for each in near}
    return [found.get(id(card), card) for card in cards]


def _span_of(card: WaitingCard) -> Span | None:
    view = card.facts
    if "collisions" not in (view.meeting or {}):
        return None
    return _instants(view.event, view.event.get("timezone") or view.timezone)


def _instants(times: Mapping[str, Any], zone: str) -> Span | None:
    start, end = (instant_of(str(times.get(name, "")), zone) for name in ("start", "end"))
    return (start, end) if start and end and start < end else None


def _options(card: WaitingCard) -> dict[int, Span]:
    options = (card.facts.meeting or {}).get("options") or ()
    spans = {number: _instants(each, card.facts.timezone) for number, each in enumerate(options)}
    return {number: span for number, span in spans.items() if span}


def _fresh(asked: _Asked, others: Iterable[_Asked], there: Iterable[Event], now: datetime) -> WaitingCard:
    card, view = asked.card, asked.card.facts
    meeting = dict(view.meeting or {})
    mine = {str(view.event.get("title", "")).casefold(), f"held: {base_subject(view.subject)}".casefold()}
    there = [each for each in there if each.title.casefold() not in mine]
    rivals = [each for each in others if each.card.thread_id != card.thread_id]
    taken = conflicts(there, *asked.span)
    options, spans = list(meeting.get("options") or ()), _options(card)
    meeting["options"] = [
        each
        for number, each in enumerate(options)
        if number not in spans or not (conflicts(there, *spans[number]) or _rival(rivals, spans[number]))
    ]
    if (named := meeting.get("asked")) and (span := _instants(named, view.timezone)):
        meeting["asked"] = {**named, "taken_by": next(map(title_of, conflicts(there, *span)), "")}
    # Of a series those of its other times stay: here its first one is looked at.
    shown = meeting.get("collisions") or ()
    elsewhere = [each for each in shown if not _is_within(_instants(each, view.timezone), asked.span)]
    meeting |= {
        "collisions": [*collisions_of(taken), *elsewhere],
        "rival": _rival(rivals, asked.span),
        "looked_at": now.isoformat(),
    }
    other_warnings = [each for each in view.warnings if not each.startswith(_COLLIDES)]
    values = {"meeting": meeting, "warnings": [*warnings_of(taken), *other_warnings]}
    return _drawn(card, values, is_free=not taken)


def _rival(rivals: Iterable[_Asked], span: Span) -> str:
    """Who asks for part of that time on another card."""
    return next((each.who for each in rivals if _is_within(each.span, span)), "")


def _is_within(one: Span | None, other: Span) -> bool:
    return one is not None and one[0] < other[1] and other[0] < one[1]


def _unknown(card: WaitingCard) -> WaitingCard:
    """The card without a word on what is free."""
    meeting = {name: value for name, value in (card.facts.meeting or {}).items() if name != "collisions"}
    return _drawn(card, {"meeting": meeting | {"options": []}}, is_free=False)


def _drawn(card: WaitingCard, values: Mapping[str, Any], *, is_free: bool) -> WaitingCard:
    """The card with what is told of it now; of one that is not free nothing says so any more."""
    view = {**card.view, **values}
    if not is_free:
        view["reasons"] = [each for each in card.facts.reasons if not each.startswith(FREE[:-1])]
        view["ask"] = card.facts.ask.replace(" is free", " was free")
    return replace(card, view=view, original=card)
