"""Which days and hours a conversation names at all: what a proposed time can be held against."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo

from email_assistant.language.days import find_days
from email_assistant.language.hours import FoundHour, find_hours
from email_assistant.language.text import DAY_FIRST, language_of
from email_assistant.language.zones import sender_zone
from email_assistant.mail.message import Conversation
from email_assistant.models.offline.meeting import said_in, written_at
from email_assistant.models.offline.offers import their_zone
from email_assistant.models.offline.reading import body_words, subject_words

_MAX_EARLIER = 8


@dataclass(frozen=True, slots=True)
class NamedTimes:
    """The days and hours that a conversation's texts name, as far as rules can read them."""

    days: frozenset[date]
    hours: tuple[FoundHour, ...]
    zones: tuple[tzinfo, ...]
    """Clocks that are named beside hours, and those of the places where the writers say to be."""


def named_times(conversation: Conversation, *, now: datetime, timezone: str) -> NamedTimes:
    """Every day and hour that the conversation names, quoted text included. May read time zone data from disk."""
    own = ZoneInfo(timezone)
    days: set[date] = set()
    hours: list[FoundHour] = []
    zones: list[tzinfo] = []
    for message in (*conversation.earlier[-_MAX_EARLIER:], conversation.current):
        base = written_at(message, now).astimezone(own).date()
        for text in (f"{subject_words(message)}\n{body_words(message)}", message.quoted[:20_000]):
            zones += [zone] if (zone := sender_zone(text)) else []
            for found_days, found_hours in days_and_hours(text, base, own):
                days.update(found_days)
                hours.extend(found_hours)
    zones += [hour.zone for hour in hours if hour.zone]
    return NamedTimes(frozenset(days), tuple(hours), tuple(zones))


def their_clock(conversation: Conversation, *, now: datetime, timezone: str) -> tzinfo | None:
    """The clock of whoever asks: of the place where they say to be, else the one that their message names an hour by."""
    named = {*named_times(Conversation(conversation.current), now=now, timezone=timezone).zones}
    return their_zone(conversation) or (named.pop() if len(named) == 1 else None)


def days_and_hours(text: str, base: date, own: tzinfo) -> Iterator[tuple[list[date], tuple[FoundHour, ...]]]:
    """The days and the hours of each sentence; `base` is the day on which it was written."""
    day_first = language_of(text) in DAY_FIRST
    for line in said_in(text):
        found, rest = find_days(line, base, day_first=day_first)
        yield [day for named in found for day in named.days], find_hours(rest, own, whole=line)


def is_named(start: datetime, named: NamedTimes, *, all_day: bool, zone: ZoneInfo, own: ZoneInfo) -> bool:
    """Whether rules find the day and the hour in the conversation, by any clock they could be meant by; for whole days the day."""
    if all_day:
        return start.astimezone(own).date() in named.days
    start = start.astimezone(UTC)
    for hour in named.hours:
        for clock in (hour.zone, zone, own):
            wall = start.astimezone(clock) if clock else None
            if wall and wall.date() in named.days and wall.time() == hour.at:
                return True
    return False
