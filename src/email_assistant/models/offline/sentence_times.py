"""One sentence that may name times: its days and hours, which of them belong together, and what else in it names a time."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from itertools import groupby, pairwise

from email_assistant.language import time_words as words
from email_assistant.language.days import FoundDay, days_in
from email_assistant.language.hours import FoundHour, find_hours
from email_assistant.language.measures import SIGN, Length, lengths
from email_assistant.language.numbers import number_words
from email_assistant.language.zones import (
    end_of_zone,
    is_theirs_at,
    is_unknown_at,
    zone_anywhere,
    zone_in,
)
from email_assistant.mail.text import one_line
from email_assistant.models.offline import words as kinds

MAX_PHRASE = 80
PARTS = (
    (re.compile(rf"{words.BESIDE}{words.MORNING}(?!\w)", re.IGNORECASE), time(6), time(12)),
    (re.compile(rf"{words.BESIDE}{words.AFTERNOON}(?!\w)", re.IGNORECASE), time(12), time(22)),
)
"""Parts of a day: pattern, from when, until when."""
_HEADING = 4
"""Words of a line that is a heading, or an item of a list."""
_TOLD = 2
"""Words besides its times of a sentence that tells something of its own."""
_NEAR = 30
"""Characters within which a vague word is said of a day or an hour."""
_CLOCK_LIKE = re.compile(r"\w+(?:[.:]\d\d)?\s?(?:h|hrs?|heures?|horas?)\b.*|\d{1,2}h\d\d", re.IGNORECASE)
"""Lengths that are written like times of day."""
_NUMBER = re.compile(
    rf"(?<![\w.,:/#+-])(?<!{SIGN})(?<!{SIGN}\s)(?:\d{{1,2}}(?:[:.]\d\d|-?ish)?|(?:[01]\d|2[0-3])[0-5]\d)(?!\w|\s?%|\s?{SIGN}|[.,:/]\d)"
)
_COUNTS = re.compile(r"\s(?:people|persons?|Personen|Leute|personnes|personas)\b")
_SHORT_WORDS = re.compile(r"(?:[^\W\d_]{1,4}\s){0,2}(?=\d)")
_NOON = 12
LONGEST = 8 * 60
"""Minutes of a meeting: "15 heures" is a time of day."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Written:
    """The day of the message and the user's zone, by which words like "tomorrow" are read."""

    base: date
    zone: tzinfo
    day_first: bool
    stated: tzinfo | None = None
    """The zone that the message says all of its times are in."""
    theirs: tzinfo | None = None
    """That of the place where the writer says to be."""
    is_somewhere_unknown: bool = False
    """Whether they say to be at a place whose clock nobody can tell."""


class Sentence:
    """The days and hours of one sentence, and what else in it names a time."""

    def __init__(self, text: str, written: Written, anchor: date | None = None) -> None:
        """`anchor` is a day that was named before: "Friday" is the one of its week."""
        self.text, self.written = text, written
        self.days, rest = days_in(text, written.base, day_first=written.day_first, anchor=anchor)
        named = [each for each in lengths(text) if _is_of_a_meeting(each, text)]
        sure = [each for each in named if not _CLOCK_LIKE.fullmatch(text[each.start : each.end])]
        self.hours = find_hours(blanked(rest, spans_of(sure), "·"), written.zone, whole=text)
        self.lengths = [each for each in named if not any(_overlap(each, hour) for hour in self.hours)]
        self.offers = offers_in(text) or kinds.QUESTION.search(text) is not None
        """Whether it asks for something, or says that a time suits."""
        self.spans = sorted([*spans_of(self.days), *self._hour_spans()])
        self.rest = blanked(text, [*self.spans, *spans_of(self.lengths), *self._beside_days()])
        """What it says besides days, hours and lengths."""

    def _hour_spans(self) -> list[Span]:
        return [(each.start, max(each.end, end_of_zone(self.text, each.end))) for each in self.hours]

    def _beside_days(self) -> Iterator[Span]:
        """Parts of the day that stand beside a day, and greetings."""
        yield from (match.span() for match in words.GREETING.finditer(self.text))
        for pattern, _, _ in PARTS:
            for start, end in (match.span() for match in pattern.finditer(self.text)):
                gaps = [
                    self.text[min(day.end, end) : max(start, day.start)]
                    for day in self.days
                    if day.start <= end
                ]
                if any(not gap.strip(" ,") for gap in gaps):
                    yield start, end

    def other_words(self) -> list[str]:
        """What it says besides days and hours."""
        return re.findall(r"[^\W\d_]+", blanked(self.text, self.spans))

    @property
    def tells(self) -> bool:
        """Whether it names an hour, asks for nothing and tells something of its own."""
        return bool(self.hours) and not self.offers and len(self.other_words()) >= _TOLD

    @property
    def is_over(self) -> bool:
        """Whether all its days are over, or deadlines."""
        return bool(self.days) and not any(day.days or day.unclear for day in self.days)

    @property
    def is_heading(self) -> bool:
        """Whether it is as short as a heading."""
        return len(self.text.split()) <= _HEADING

    def groups(self) -> Iterator[tuple[list[FoundDay], list[FoundHour]]] | None:
        """The days with the hours that belong to them, in order; None where that is not clear."""
        named: list[FoundDay | FoundHour] = sorted([*self.days, *self.hours], key=lambda each: each.start)
        if not self._is_one_group(named):
            return None
        runs = [
            (is_day, list(run)) for is_day, run in groupby(named, lambda each: isinstance(each, FoundDay))
        ]
        first_is_day = bool(runs) and runs[0][0]
        pairs = [(run, runs[at + 1][1] if at + 1 < len(runs) else []) for at, (_, run) in enumerate(runs)][
            ::2
        ]
        found: list[tuple[list[FoundDay], list[FoundHour]]]
        found = [(run, other) if first_is_day else (other, run) for run, other in pairs]  # type: ignore[misc]
        if any(len(days) > 1 and len(hours) > 1 for days, hours in found):
            return None
        if any(hours and not all(day.exact for day in days) for days, hours in found):
            return None
        if self._weeks_differ():
            return None
        return None if len(found) > 1 and any(not days for days, _ in found) else iter(found)

    def _weeks_differ(self) -> bool:
        """Whether a weekday stands beside a day of another week: "Thursday or Friday next week": is it Thursday next week?"""
        weeks = {
            day.isocalendar()[:2]
            for each in self.days
            if not each.is_bare and each.exact
            for day in each.days
        }
        return any(
            day.isocalendar()[:2] not in weeks
            for each in self.days
            if weeks and each.is_bare
            for day in each.days
        )

    def _is_one_group(self, named: Sequence[FoundDay | FoundHour]) -> bool:
        ends = dict(self._hour_spans())
        text = blanked(self.text, spans_of(self.lengths))
        gaps = [
            (first, second, text[ends.get(first.start, first.end) : second.start])
            for first, second in pairwise(named)
        ]
        apart = [each for each in gaps if not words.LINK.fullmatch(" ".join(each[2].split()))]
        if not apart:
            return True
        # "On Thursday with Tom at 3 pm": one day and its hours, in one clause.
        first, second, gap = apart[0]
        is_pair = isinstance(first, FoundDay) != isinstance(second, FoundDay)
        return is_pair and len(apart) == 1 and len(self.days) == 1 and not words.CLAUSE_END.search(gap + " ")

    def unread(self, *, asks: bool) -> str:
        """The words of a time that was not understood; "" where all that names one was. `asks`: whether vague words matter."""
        found = [*self._denied(), *self._edges(), *self._unclear(), *self._left(asks=asks)]
        if self.spans and self.groups() is None:
            found.append(self.spans[0])
        if not found:
            return ""
        start = min(first for first, _ in [*found, *self.spans])
        end = max(last for _, last in [*found, *self.spans])
        return one_line(self.text[start:end].strip(" ,.;:?!"), limit=MAX_PHRASE)

    def _denied(self) -> Iterator[Span]:
        """Words of a sentence that names a time by which nothing is proposed."""
        if self.spans and (denied := words.DENIES.search(self.rest)):
            yield denied.span()

    @property
    def leaves_open(self) -> bool:
        """Whether more is said of its times than was understood; which of two days or hours is meant may be known from elsewhere."""
        return any([*self._denied(), *self._edges(), *self._left(asks=True)])

    def _edges(self) -> Iterator[Span]:
        """Days and hours that are counted from others, or are edges."""
        numbers = {hour.start: self._number_of(hour) for hour in self.hours}
        for start, end in self.spans:
            place = numbers.get(start, start)
            before = words.ODD_BEFORE.search(self.text, max(0, place - 30), place)
            if before or words.ODD_AFTER.match(self.text, end) or self._begins_a_period(end):
                yield before.start() if before else start, end
        yield from (each for each in spans_of(self.lengths) if words.ODD_AFTER.match(self.text, each[1]))

    def _number_of(self, hour: FoundHour) -> int:
        """Where the number of an hour begins, behind a preposition that may be an edge's: "from 2 pm"; a range's is its own."""
        own = None if hour.until or hour.latest else _SHORT_WORDS.match(self.text, hour.start, hour.end)
        return own.end() if own else hour.start

    def _begins_a_period(self, end: int) -> bool:
        """Whether a day ends there that is the first of several: "Tuesday to Thursday"."""
        to = words.TO_DAY.match(self.text, end)
        return (
            to is not None
            and any(day.end == end for day in self.days)
            and any(day.start == to.end() for day in self.days)
        )

    def _unclear(self) -> Iterator[Span]:
        """Days and hours that may be others, or are by a clock that nobody can tell."""
        yield from ((day.start, day.end) for day in self.days if day.unclear)
        yield from ((hour.start, hour.end) for hour in self.hours if hour.unclear)
        yield from ((hour.start, hour.end) for hour in self.hours if self._clock_is_unknown(hour))

    def _clock_is_unknown(self, hour: FoundHour) -> bool:
        if is_theirs_at(self.text, hour.end):
            return self.written.theirs is None
        if is_unknown_at(self.text, hour.end, self.written.zone):
            return True
        if hour.zone or zone_anywhere(self.text) or self.written.stated:
            return False
        # Whose clock is meant, where another place is spoken of?
        if self.written.is_somewhere_unknown:
            return True
        there = zone_in(self.text) or self.written.theirs
        noon = datetime.combine(self.written.base, time(12), UTC)
        own = noon.astimezone(self.written.zone).utcoffset()
        return there is not None and noon.astimezone(there).utcoffset() != own

    def _left(self, *, asks: bool) -> Iterator[Span]:
        """Words and numbers for times that no reader has taken."""
        yield from (match.span() for match in words.SIGNS.finditer(self.rest))
        if self.spans:
            yield from (
                (each.start, each.end)
                for each in number_words(self.rest)
                if each.value <= _NOON
                and not (each.bare and not words.CLOCK_BEFORE.search(self.rest[: each.start]))
            )
            yield from (
                match.span()
                for match in _NUMBER.finditer(self.rest)
                if not _COUNTS.match(self.rest, match.end())
            )
        if asks or self.spans:
            yield from (
                match.span()
                for match in words.WEAK_SIGNS.finditer(self.rest)
                if self._matters(match.span(), asks)
            )

    def _matters(self, sign: Span, asks: bool) -> bool:
        """Whether a vague word says something about the day or the hour of the sentence, or is all that it has."""
        if not self.spans:
            return asks
        near = (
            self.text[end : sign[0]] if end <= sign[0] else self.text[sign[1] : start]
            for start, end in self.spans
        )
        return any(len(each) <= _NEAR for each in near)

    def moments(self) -> Iterator[tuple[datetime, time | None]]:
        """Each hour on the day that is named nearest before it, else the next one, with its end; whatever is said of it."""
        for hour in self.hours:
            before = [day for day in self.days if day.start < hour.start]
            for day in (before[-1:] or self.days[:1])[0].days if self.days else ():
                yield datetime.combine(day, hour.at, self.clock_of(hour)), hour.until or hour.latest

    def clock_of(self, hour: FoundHour) -> tzinfo:
        """By which clock an hour is meant."""
        written = self.written
        if is_theirs_at(self.text, hour.end) and written.theirs:
            return written.theirs
        return hour.zone or zone_anywhere(self.text) or written.stated or written.zone


def offers_in(text: str) -> bool:
    """Whether it asks for something, or says that a time suits."""
    return any(pattern.search(text) for pattern in (kinds.REQUEST, words.ANEW, words.SUITS))


def blanked(text: str, spans: Iterable[Span], by: str = " ") -> str:
    """The text, as long as it was, without what stands at some places."""
    for start, end in spans:
        text = text[:start] + by * (end - start) + text[end:]
    return text


def spans_of(found: Iterable[FoundDay | FoundHour | Length]) -> list[Span]:
    """The places of what was found."""
    return [(each.start, each.end) for each in found]


def _is_of_a_meeting(length: Length, text: str) -> bool:
    """Whether it may say how long a meeting is to be: "à cinq heures" is a time of day."""
    is_time = words.CLOCK_BEFORE.search(text[: length.start])
    return length.unit in {"minute", "hour"} and length.minutes <= LONGEST and not is_time


def _overlap(one: Length, other: FoundHour) -> bool:
    return one.start < other.end and other.start < one.end
