"""Cards of meetings as the calendar is when they are drawn: what was free when they were made may be taken by now."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.conflicts import FREE, FREE_TIMES, title_of, warnings_of
from email_assistant.calendars.event import Event
from email_assistant.calendars.free_time import conflicts
from email_assistant.clock import instant_of, short_day
from email_assistant.errors import ProviderError, TransientError
from email_assistant.mail.conversation import base_subject
from email_assistant.meetings.free_hours import FREE_AS_OF
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
    letters = [card for card in cards if _named(card) or any(each["times"] for each in _offers(card))]
    spans = [each.span for each in near] + [span for each in near for span in _options(each.card).values()]
    for card in letters:
        named = _named(card) + [span for each in _offers(card) for span in _times_of(each, card)]
        spans += [each for each in named if each[1] > now and each[0] - now <= LONGEST]
    if not spans:
        return list(cards)
    try:
        there = await calendar.events(min(start for start, _ in spans), max(end for _, end in spans))
        found = {id(each.card): _fresh(each, near, there, now) for each in near}
        found |= {id(card): _fresh_letter(card, there, now) for card in letters}
    except (ProviderError, TransientError):
        found = {id(each.card): _unknown(each.card) for each in near}
        found |= {id(card): _unknown_letter(card) for card in letters}
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


def _named(card: WaitingCard) -> list[Span]:
    """The times to come that a letter names and that were free."""
    return _spans((card.facts.meeting or {}).get("named") or (), card)


def _offers(card: WaitingCard) -> list[Mapping[str, Any]]:
    return [offer for gap in card.facts.gaps for offer in gap.get("offers") or ()]


def _times_of(offer: Mapping[str, Any], card: WaitingCard) -> list[Span]:
    return _spans(offer["times"], card)


def _spans(times: Iterable[Mapping[str, Any]], card: WaitingCard) -> list[Span]:
    return [span for each in times if (span := _instants(each, card.facts.timezone))]


def _fresh_letter(card: WaitingCard, there: Sequence[Event], now: datetime) -> WaitingCard:
    """Without offers that are taken, and with what is by now in the way of what it names."""

    def is_free(offer: Mapping[str, Any]) -> bool:
        return not any(start <= now or conflicts(there, start, end) for start, end in _times_of(offer, card))

    taken = [(start, found) for start, end in _named(card) if (found := conflicts(there, start, end))]
    lines = [
        f"The text names {short_day(start.date())}, {start:%H:%M}, when you have {', '.join(map(title_of, found))} by now."
        for start, found in taken
    ]
    values = {"gaps": _with_offers(card, is_free), "warnings": [*lines, *card.facts.warnings]}
    return _drawn(card, values, is_free=not taken)


def _unknown_letter(card: WaitingCard) -> WaitingCard:
    gaps = _with_offers(card, lambda offer: not offer["times"])
    return _drawn(card, {"gaps": gaps}, is_free=not _named(card))


def _with_offers(card: WaitingCard, is_kept: Callable[[Mapping[str, Any]], bool]) -> list[Mapping[str, Any]]:
    """The gaps with those of their offers that are kept, as they were looked up now."""
    return [
        {**gap, "offers": [_now(each) for each in gap.get("offers") or () if is_kept(each)]}
        for gap in card.facts.gaps
    ]


def _now(offer: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**offer, "why": "free"} if offer["why"].startswith(FREE_AS_OF) else offer


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
        view["reasons"] = [
            each for each in card.facts.reasons if not each.startswith((FREE[:-1], FREE_TIMES))
        ]
        view["ask"] = card.facts.ask.replace(" is free", " was free")
    return replace(card, view=view, original=card.original or card)
