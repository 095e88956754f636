"""The times that sentences offer for a meeting: understood, or told to be not understood; never guessed.

A sentence offers a time only when each of its words that name a day, an hour or a clock has been read. What the writer cannot do, the old
time of what is moved, when a place is open and what happens every week are no offers.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, tzinfo
from itertools import pairwise

from email_assistant.language import time_words as words
from email_assistant.language.day_words import LATER
from email_assistant.language.days import FoundDay, days_in
from email_assistant.language.folding import fold
from email_assistant.language.hour_words import AFTERNOON, BESIDE, GOES_ON, MORNING
from email_assistant.language.hours import FoundHour, find_hours
from email_assistant.language.lengths import lengths
from email_assistant.language.zones import (
    end_of_zone,
    is_theirs_at,
    is_unknown_at,
    sender_zone,
    zone_anywhere,
    zone_in,
)
from email_assistant.mail.text import one_line
from email_assistant.models.offline import words as kinds

LATEST = time(22)
"""End of a time of which only the beginning is named."""
MAX_UNREAD = 5
MAX_PHRASE = 80
_LINKED = re.compile(
    r"[\s,/&]{0,3}(?:or|and|oder|und|ou|et|o|y|of|en|e)?\s?(?:on\s|am\s|le\s|el\s|the\s|op\s|na\s)?",
    re.IGNORECASE,
)
_THEN_DAY = re.compile(r",?\s(?:on|am|le|el|il|op|na)\s(?:the\s)?", re.IGNORECASE)
_PARTS = (
    (re.compile(rf"{BESIDE}{MORNING}(?!\w)", re.IGNORECASE), time(6), time(12)),
    (re.compile(rf"{BESIDE}{AFTERNOON}(?!\w)", re.IGNORECASE), time(12), time(22)),
)
_SAME_CLAUSE = 30
_HEADING = 4
"""Words of a line that is a heading, or an item of a list."""

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


@dataclass(slots=True)
class ProposedTimes:
    """What sentences offer."""

    starts: dict[datetime, time | None] = field(default_factory=dict)
    """Aware, in the zone that was named, else in the user's; in the order of the text; each with its end where a range is named."""
    windows: dict[tuple[datetime, datetime], None] = field(default_factory=dict)
    """Times within which the meeting may be: "Thursday after three", "Friday morning"."""
    single: set[date] = field(default_factory=set)
    loose: set[date] = field(default_factory=set)
    minutes: int = 0
    """Of the first range; 0 without one."""
    unread: dict[str, None] = field(default_factory=dict)
    """Words that name a time which was not understood, as they stand in the text."""

    @property
    def days(self) -> list[date]:
        """Days without a time. "Next week" says less than "Thursday next week": whole weeks count only when no day is named."""
        timed = {start.date() for start in (*self.starts, *(start for start, _ in self.windows))}
        return sorted((self.single or self.loose if not timed else self.single) - timed)


def written_in(text: str, base: date, zone: tzinfo, *, day_first: bool, stated: tzinfo | None) -> Written:
    """By what the times of a text are read."""
    return Written(base, zone, day_first, stated, sender_zone(text))


def proposed_times(
    lines: Iterable[str], written: Written, *, asked: Sequence[bool] | None = None
) -> ProposedTimes:
    """What the sentences offer. `asked`: of each line whether it asks for something, so that vague words for a time matter."""
    found = ProposedTimes()
    last: tuple[date, ...] = ()
    anchor: date | None = None
    for line, asks in zip(lines, asked or iter(lambda: True, None), strict=False):
        sentence = _Sentence(fold(line), written, anchor, last, asks=asks)
        sentence.read(found)
        anchor = next((day.days[0] for day in reversed(sentence.days) if day.days), anchor)
        if offered := [day for day in sentence.offered_days if day.days and day.exact]:
            last = offered[-1].days if _offers(line) else ()
    return found


def _offers(line: str) -> bool:
    """Whether the day of a sentence is one for the meeting, so that an hour of the next sentence may be on it."""
    patterns = (kinds.QUESTION, kinds.REQUEST, kinds.MEETING, words.SUITS)
    return len(line.split()) <= _HEADING or any(pattern.search(line) for pattern in patterns)


class _Sentence:
    """One sentence: its days and hours, those of them that are offered, and what else in it names a time."""

    def __init__(
        self, text: str, written: Written, anchor: date | None, last: tuple[date, ...], *, asks: bool
    ) -> None:
        self.text, self.written, self.last, self.asks = text, written, last, asks
        self.days, rest = days_in(text, written.base, day_first=written.day_first, anchor=anchor)
        self.hours = find_hours(rest, written.zone, whole=text)
        self.is_moved = words.MOVES.search(text) is not None and bool(self.days or self.hours)
        self.excluded = tuple(_excluded(self))
        self.offered_days = tuple(day for day in self.days if not self._is_excluded(day.start, day.end))
        offered = tuple(hour for hour in self.hours if not self._is_excluded(hour.start, hour.end))
        same = self.is_moved and not offered and words.SAME_TIME.search(text)
        self.offered_hours = self.hours[:1] if same else offered

    def read(self, found: ProposedTimes) -> None:
        """Add what is offered."""
        if words.OPENING.search(self.text):
            return
        if spans := self._not_understood():
            if not (self.offered_days or self.offered_hours) and (
                found.starts or found.single or found.loose
            ):
                return  # The times that it speaks of in passing are named elsewhere.
            found.unread[self._phrase(spans)] = None
            found.loose.update(each for day in self.offered_days if day.unclear for each in day.days)
            return
        day_given: set[int] = set()
        for hour in self.offered_hours:
            self._take(hour, found, day_given)
        for day in self.offered_days:
            if day.start not in day_given and (part := self._part_beside(day)):
                for each in day.days:
                    found.windows[self._window(each, *part, self.written.zone)] = None
            (found.single if day.exact else found.loose).update(day.days)

    def _take(self, hour: FoundHour, found: ProposedTimes, day_given: set[int]) -> None:
        chosen = self._days_for(hour)
        day_given.update(day.start for day in chosen)
        zone = self._zone_of(hour)
        edge = self._edge(hour)
        for day in [each for one in chosen for each in one.days] if chosen else self.last:
            if edge:
                found.windows[self._window(day, *edge, zone)] = None
            else:
                start = datetime.combine(day, hour.at, zone)
                found.starts[start] = found.starts.get(start) or hour.until
                found.minutes = found.minutes or _length(hour.at, hour.until)

    def _days_for(self, hour: FoundHour) -> list[FoundDay]:
        """The days a time belongs to: the nearest one before it, with those joined to that by "or"; else the next one.

        "10:00 on Friday" belongs to Friday, whatever stands before.
        """
        exact = [day for day in self.offered_days if day.exact or not day.days]
        following = next((day for day in exact if day.start >= hour.end), None)
        if following and _THEN_DAY.fullmatch(self.text, hour.end, following.start):
            return [following]
        before = [day for day in exact if day.start < hour.start]
        if not before:
            return exact[:1] or self._moved_day()
        chosen = [before[-1]]
        for earlier, later in reversed(list(pairwise(before))):
            if not _LINKED.fullmatch(self.text, earlier.end, later.start):
                break
            chosen.append(earlier)
        return chosen[::-1]

    def _moved_day(self) -> list[FoundDay]:
        """Of a meeting that is moved on its day: that day."""
        old = [day for day in self.days if day.exact and day.days]
        return old[-1:] if self.is_moved else []

    def _zone_of(self, hour: FoundHour) -> tzinfo:
        if is_theirs_at(self.text, hour.end) and self.written.theirs:
            return self.written.theirs
        return hour.zone or zone_anywhere(self.text) or self.written.stated or self.written.zone

    def _edge(self, hour: FoundHour) -> tuple[time, time] | None:
        """From when until when, where an hour is the edge of a time."""
        before, after = self.text[max(0, hour.start - 25) : hour.start], self.text[hour.end : hour.end + 20]
        written = self.text[hour.start : hour.end]
        opened = re.match(r"(?:from|ab|vanaf|dalle|von|van|das)\s", written, re.IGNORECASE)
        if (
            words.NOT_BEFORE.search(before)
            or words.OR_LATER.match(after)
            or (opened and not hour.until and not hour.window)
        ):
            return hour.at, LATEST
        if words.NOT_AFTER.search(before) or words.OR_EARLIER.match(after):
            return time(6), hour.at
        return None

    def _part_beside(self, day: FoundDay) -> tuple[time, time] | None:
        beside = self.text[day.start : day.end + 18]
        return next(((first, last) for pattern, first, last in _PARTS if pattern.search(beside)), None)

    def _window(self, day: date, first: time, last: time, zone: tzinfo) -> tuple[datetime, datetime]:
        return datetime.combine(day, first, zone), datetime.combine(day, last, zone)

    def _is_excluded(self, first: int, last: int) -> bool:
        return any(start < last and first < end for start, end in self.excluded)

    def _not_understood(self) -> list[Span]:
        """The places of words that name a time which nobody can tell."""
        if not (self.asks or self.offered_days or self.offered_hours):
            return []
        return [*self._odd_days(), *self._odd_hours(), *self._signs_left()]

    def _odd_days(self) -> Iterable[Span]:
        """Days that may be others, or that several words together make another day, or several."""
        text, days, hours = self.text, self.offered_days, self.offered_hours
        for day in days:
            before = text[max(0, day.start - 20) : day.start]
            if day.unclear or words.ODD_BEFORE.search(before) or words.ODD_AFTER.match(text, day.end):
                yield day.start, day.end
        for first, second in pairwise(days):
            is_period = not self.is_moved and words.TO_DAY.fullmatch(text, first.end, second.start)
            # "Thursday or Friday next week": is it Thursday next week?
            linked = (
                hours and _LINKED.fullmatch(text, first.end, second.start) and _weeks_differ(first, second)
            )
            if is_period or linked:
                yield first.start, second.end
        if hours and len(days) > 1 and len(days) == len(self.days) and words.PREFERS.search(text):
            yield days[0].start, days[-1].end
        if hours and days:
            yield from (match.span() for match in words.RECURRING.finditer(text))
        for later in LATER.finditer(text):  # "In eight days" is a week to some.
            if not any(day.start < later.end() and later.start() < day.end for day in self.days):
                yield later.span()

    def _odd_hours(self) -> Iterable[Span]:
        """Hours of an unknown half of the day, clock or day, or of which more is said than was read."""
        of_one_day = any(day.exact or not day.days for day in self.offered_days) or self._moved_day()
        on_a_day = of_one_day or (not self.offered_days and (self.last or not self.asks))
        for hour in self.offered_hours:
            goes_on = GOES_ON.match(self.text, hour.end)
            if hour.unclear or goes_on or not on_a_day or self._clock_is_unknown(hour):
                yield hour.start, hour.end

    def _clock_is_unknown(self, hour: FoundHour) -> bool:
        if is_theirs_at(self.text, hour.end):
            return self.written.theirs is None
        if is_unknown_at(self.text, hour.end, self.written.zone):
            return True
        if hour.zone or zone_anywhere(self.text) or self.written.stated:
            return False
        # Whose clock is meant, where another place is spoken of?
        there = zone_in(self.text) or self.written.theirs
        noon = datetime.combine(self.written.base, time(12), UTC)
        own = noon.astimezone(self.written.zone).utcoffset()
        return there is not None and noon.astimezone(there).utcoffset() != own

    def _signs_left(self) -> list[Span]:
        """Words for times that no reader has taken."""
        taken = [(day.start, day.end) for day in self.days]
        taken += [(hour.start, max(hour.end, end_of_zone(self.text, hour.end))) for hour in self.hours]
        taken += [(length.start, length.end) for length in lengths(self.text)]
        taken += [match.span() for match in words.GREETING.finditer(self.text)]
        taken += [*self.excluded]
        for pattern, _, _ in _PARTS:
            taken += [m.span() for m in pattern.finditer(self.text) if self._adjoins(m.span())]
        rest = _blanked(self.text, taken)
        found = [match.span() for match in words.SIGNS.finditer(rest)]
        if self.asks or found or (self.offered_days and self.offered_hours):
            found += [
                match.span() for match in words.WEAK_SIGNS.finditer(rest) if self._matters(match.span())
            ]
        return found

    def _matters(self, sign: Span) -> bool:
        """Whether a vague word says something about the day or the hour of the sentence, or is all that it has."""
        spans = self._offered()
        if not spans:
            return self.asks
        near = (
            self.text[end : sign[0]] if end <= sign[0] else self.text[sign[1] : start] for start, end in spans
        )
        return any(len(each) <= _SAME_CLAUSE and not words.CLAUSE_END.search(each + " ") for each in near)

    def _offered(self) -> list[Span]:
        days = [(day.start, day.end) for day in self.offered_days]
        return [*days, *((hour.start, hour.end) for hour in self.offered_hours)]

    def _adjoins(self, span: Span) -> bool:
        """Whether a part of the day stands beside a day."""
        return any(
            not self.text[min(day.end, span[1]) : max(span[0], day.start)].strip(" ,")
            or (day.start <= span[0] and span[1] <= day.end)
            for day in self.days
        )

    def _phrase(self, spans: list[Span]) -> str:
        """What was not understood, with the days and the hours of its clause."""
        start, end = min(first for first, _ in spans), max(last for _, last in spans)
        for first, last in self._offered():
            between = self.text[last:start] if last <= start else self.text[end:first]
            if len(between) <= _SAME_CLAUSE:
                start, end = min(start, first), max(end, last)
        return one_line(self.text[start:end].strip(" ,.;:?!"), limit=MAX_PHRASE)


def _excluded(sentence: _Sentence) -> Iterable[Span]:
    """The places of a sentence in which times stand that are not offered."""
    text = sentence.text
    for match in words.INSTEAD_OF.finditer(text):
        behind = [day.start for day in sentence.days if day.start >= match.end()]
        yield match.start(), behind[1] if len(behind) > 1 else len(text)
    named = sorted([*((d.start, d.end) for d in sentence.days), *((h.start, h.end) for h in sentence.hours)])
    new = next(
        (start for start, _ in named if sentence.is_moved and words.MOVED_TO.search(text[:start])), None
    )
    if new is not None:
        yield 0, new
    clauses = list(_clauses(text, named))
    for index, (start, end) in enumerate(clauses):
        clause = text[start:end]
        moved = new is None and words.MOVES.search(clause)
        if moved or words.TRAVEL.search(clause):
            yield start, end
        elif words.CANNOT.search(words.NOT_CANNOT.sub(" ", clause)):
            has_own = any(start <= at < end for at, _ in named)
            yield (start if has_own or not index else clauses[index - 1][0]), end


def _clauses(text: str, named: Sequence[Span]) -> Iterable[Span]:
    """The clauses; the comma of "Monday, 23 November" ends none."""
    start = 0
    for match in words.CLAUSE_END.finditer(text):
        if any(first <= match.start() < last for first, last in named):
            continue
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _weeks_differ(first: FoundDay, second: FoundDay) -> bool:
    if not (first.days and second.days and first.exact and second.exact):
        return False
    weeks = {each.days[0].isocalendar()[:2] for each in (first, second)}
    return len(weeks) > 1 and second.end - second.start > 12


def _blanked(text: str, spans: Iterable[Span]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _length(start: time, until: time | None) -> int:
    if until is None:
        return 0
    minutes = (until.hour - start.hour) * 60 + until.minute - start.minute
    return minutes if 10 <= minutes <= 240 else 0
