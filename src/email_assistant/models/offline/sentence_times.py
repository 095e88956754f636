"""One sentence that may name a time for a meeting: its days and hours, which of them are offered, and what nobody has understood.

A sentence offers a time only when each of its words and numbers that name a day, an hour or a clock has been read. What the writer cannot
do, the old time of what is moved, what else there is then, when a place is open and what happens every week are no offers.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from itertools import pairwise

from email_assistant.language import time_words as words
from email_assistant.language.days import FoundDay, days_in
from email_assistant.language.hours import AFTER_BARE, FoundHour, find_hours
from email_assistant.language.measures import SIGN, Length, lengths
from email_assistant.language.time_words import AFTERNOON, BESIDE, GOES_ON, LATER, MORNING
from email_assistant.language.zones import end_of_zone, is_theirs_at, is_unknown_at, zone_anywhere, zone_in
from email_assistant.mail.text import one_line
from email_assistant.models.offline import words as kinds

MAX_PHRASE = 80
PARTS = (
    (re.compile(rf"{BESIDE}{MORNING}(?!\w)", re.IGNORECASE), time(6), time(12)),
    (re.compile(rf"{BESIDE}{AFTERNOON}(?!\w)", re.IGNORECASE), time(12), time(22)),
)
"""Parts of a day: pattern, from when, until when."""
LINKED = re.compile(
    r"[\s,/&]{0,3}(?:or|and|oder|und|ou|et|o|y|of|en|e)?\s?(?:on\s|am\s|le\s|el\s|the\s|op\s|na\s)?",
    re.IGNORECASE,
)
"""Between two of which one may be chosen."""
_SAME_CLAUSE = 30
_STATEMENT = 2
"""Words besides its times of what tells something of its own."""
_CLOCK_LIKE = re.compile(r"\w+(?:[.:]\d\d)?\s?(?:h|hrs?|heures?|horas?|uur)\b.*|\d{1,2}h\d\d", re.IGNORECASE)
"""Lengths that are written like times of day."""
_NUMBER = re.compile(
    rf"(?<![\w.,:/#+-])(?<!\d\s)(?<!{SIGN})(?<!{SIGN}\s)(?:\d{{1,2}}(?:[:.]\d\d|-?ish)?|(?:[01]\d|2[0-3])[0-5]\d)"
    rf"(?!\w|\s\d|\s?%|\s?{SIGN}|[.,:/]\d)"
)
_COUNTS = re.compile(r"\s[^\W\d_]{3,}")
_NAME_BEFORE = re.compile(r"[^\W\d_a-zß-ÿ]\w+\s$")
_LONGEST = 8 * 60
"""Minutes of a length that is written like a time of day: "15 uur" is none."""
_FOUR = 4
"""Digits of an hour and its minutes; away from a day they are more often a year or the number of something."""

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


class Sentence:
    """The days and the hours of one sentence, those of them that are offered, and what else in it names a time."""

    def __init__(self, text: str, written: Written, anchor: date | None, *, asks: bool) -> None:
        """`anchor` is a day that was named before; `asks` whether somebody asks here or nearby, so that vague words matter."""
        self.text, self.written, self.asks = text, written, asks
        self.last: list[FoundDay] = []
        """The day that the sentence before is about."""
        self.days, rest = days_in(text, written.base, day_first=written.day_first, anchor=anchor)
        named = list(lengths(text))
        sure = [each for each in named if not self._is_like_a_clock(each)]
        self.hours = find_hours(_blanked(rest, spans_of(sure), "·"), written.zone, whole=text)
        self.lengths = [
            each
            for each in named
            if not any(_overlap(each, hour) for hour in self.hours)
            and (each in sure or each.minutes <= _LONGEST)
        ]
        self.is_moved = words.MOVES.search(text) is not None and bool(self.days or self.hours)
        self.offers = offers_in(text) or kinds.QUESTION.search(text) is not None
        """Whether it asks for something, or says that a time suits."""
        self.excluded: tuple[Span, ...] = ()
        self.exclude(_excluded(self))

    def exclude(self, spans: Iterable[Span]) -> None:
        """What stands there is no offer."""
        self.excluded += tuple(spans)
        self.offered_days = tuple(day for day in self.days if not self._is_excluded(day))
        offered = tuple(hour for hour in self.hours if not self._is_excluded(hour))
        same = self.is_moved and not offered and words.SAME_TIME.search(self.text)
        self.offered_hours = self.hours[:1] if same else offered

    def is_statement(self, start: int = 0, end: int | None = None) -> bool:
        """Whether a part of it names an hour, asks for nothing, and tells something of its own."""
        end = len(self.text) if end is None else end
        own = self.other_words(start, end)
        has_hour = any(start <= hour.start < end for hour in self.hours)
        is_choice = own[:1] and LINKED.fullmatch(own[0])
        return bool(
            has_hour and len(own) >= _STATEMENT and not is_choice and not offers_in(self.text[start:end])
        )

    def other_words(self, start: int, end: int) -> list[str]:
        """What a part of it says besides days and hours."""
        return _blanked(self.text, [*spans_of(self.days), *spans_of(self.hours)])[start:end].split()

    @property
    def context(self) -> list[FoundDay]:
        """The one day of what is moved, or of which it says at what hour there is something else, or at what hour it does not suit."""
        with_hour = [span for span in self.excluded if any(_within(hour, span) for hour in self.hours)]
        days = [day for day in self.days if day.exact and day.days]
        if self.is_moved:
            return days[-1:]
        days = [day for day in days if any(_within(day, span) for span in with_hour)]
        return days[:1] if len({day.days for day in days}) == 1 else []

    def _is_like_a_clock(self, length: Length) -> bool:
        before = self.text[: length.start]
        if not _CLOCK_LIKE.fullmatch(self.text, length.start, length.end) or words.LASTING.search(before):
            return False
        return self.text[length.start].isdecimal() or words.CLOCK_BEFORE.search(before) is not None

    def _is_excluded(self, found: FoundDay | FoundHour) -> bool:
        return any(start < found.end and found.start < end for start, end in self.excluded)

    def not_understood(self) -> list[Span]:
        """The places of words that name a time which nobody can tell."""
        if not (self.asks or self.offered_days or self.offered_hours):
            return []
        return [*self._odd_days(), *self._relative(), *self._odd_hours(), *self._signs_left()]

    def _odd_days(self) -> Iterable[Span]:
        """Days that may be others, or that several words together make another day, or several."""
        text, days, hours = self.text, self.offered_days, self.offered_hours
        for day in days:
            before = words.ODD_BEFORE.search(text, max(0, day.start - 20), day.start)
            if day.unclear or before or words.ODD_AFTER.match(text, day.end):
                yield before.start() if before else day.start, day.end
        for first, second in pairwise(days):
            is_period = not self.is_moved and words.TO_DAY.fullmatch(text, first.end, second.start)
            # "Thursday or Friday next week": is it Thursday next week?
            linked = LINKED.fullmatch(text, first.end, second.start) and _weeks_differ(first, second)
            if is_period or linked:
                yield first.start, second.end
        for week, day in ((week, day) for week in days for day in days if not week.exact and day.exact):
            if week.days and day.days and _week_of(week) != _week_of(day):
                yield min(week.start, day.start), max(week.end, day.end)
        if hours and len(days) > 1 and len(days) == len(self.days) and words.PREFERS.search(text):
            yield days[0].start, days[-1].end

    def _relative(self) -> Iterable[Span]:
        """What is said of several days at once, or counted from something that the sentence does not name."""
        text, days, hours = self.text, self.offered_days, self.offered_hours
        patterns = (
            (words.RECURRING, hours and days),
            (words.ANY_DAY, any(day.exact for day in days)),  # "Any day but Friday" is every day but that.
            (words.SAME_TIME, not (self.is_moved and hours)),
        )
        for pattern, applies in patterns:
            yield from (match.span() for match in pattern.finditer(text) if applies)
        for length in self.lengths:  # "An hour earlier", than what?
            if apart := words.APART.match(text, length.end):
                yield length.start, apart.end()
        for later in LATER.finditer(text):  # "In eight days" is a week to some.
            if not any(day.start < later.end() and later.start() < day.end for day in self.days):
                yield later.span()

    def _odd_hours(self) -> Iterable[Span]:
        """Hours of an unknown half of the day, clock or day, or of which more is said than was read."""
        of_one_day = (self.is_moved and self.context) or any(
            day.exact or not day.days for day in self.offered_days
        )
        on_a_day = of_one_day or not (self.offered_days or (self.asks and not self.context and not self.last))
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
        taken = [*spans_of(self.days), *spans_of(self.lengths)]
        taken += [(hour.start, max(hour.end, end_of_zone(self.text, hour.end))) for hour in self.hours]
        taken += [match.span() for match in words.GREETING.finditer(self.text)]
        taken += [*self.excluded]
        for pattern, _, _ in PARTS:
            taken += [m.span() for m in pattern.finditer(self.text) if self._adjoins(m.span())]
        rest = _blanked(self.text, taken)
        found = [match.span() for match in words.SIGNS.finditer(rest)]
        found += [match.span() for match in _NUMBER.finditer(rest) if self._may_be_a_time(match.span())]
        if self.asks or found or (self.offered_days and self.offered_hours):
            found += [
                match.span() for match in words.WEAK_SIGNS.finditer(rest) if self._matters(match.span())
            ]
        return found

    def _may_be_a_time(self, number: Span) -> bool:
        """Whether a number that nobody has read may be part of an offered time: not "4 people", nor "Street 5", away from its day."""
        text, (start, end) = self.text, number
        beside = words.CLOCK_BEFORE.search(text, 0, start) or any(
            LINKED.fullmatch(text, day.end, start)
            or ("," not in text[end : day.start] and LINKED.fullmatch(text, end, day.start))
            for day in self.offered_days
        )
        counts = _COUNTS.match(text, end) and not AFTER_BARE.match(text, end)
        is_other = counts or end - start == _FOUR or _NAME_BEFORE.search(text, 0, start)
        return bool(self._offered() and (beside or not is_other))

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
        return [*spans_of(self.offered_days), *spans_of(self.offered_hours)]

    def _adjoins(self, span: Span) -> bool:
        """Whether a part of the day stands beside a day."""
        return any(
            not self.text[min(day.end, span[1]) : max(span[0], day.start)].strip(" ,")
            or (day.start <= span[0] and span[1] <= day.end)
            for day in self.days
        )

    def phrase(self, spans: list[Span]) -> str:
        """What was not understood, with the days and the hours of its clause."""
        start, end = min(first for first, _ in spans), max(last for _, last in spans)
        for first, last in self._offered():
            between = self.text[last:start] if last <= start else self.text[end:first]
            if len(between) <= _SAME_CLAUSE:
                start, end = min(start, first), max(end, last)
        return one_line(self.text[start:end].strip(" ,.;:?!"), limit=MAX_PHRASE)


def _excluded(sentence: Sentence) -> Iterable[Span]:
    """The places of a sentence in which times stand that are not offered."""
    text = sentence.text
    for match in words.INSTEAD_OF.finditer(text):
        behind = [day.start for day in sentence.days if day.start >= match.end()]
        yield match.start(), behind[1] if len(behind) > 1 else len(text)
    named = sorted([*spans_of(sentence.days), *spans_of(sentence.hours)])
    new = next(
        (start for start, _ in named if sentence.is_moved and words.MOVED_TO.search(text[:start])), None
    )
    if new is not None:
        yield 0, new
    parts = list(clauses(text, named))
    for index, (start, end) in enumerate(parts):
        clause = text[start:end]
        moved = new is None and words.MOVES.search(clause)
        is_context = sentence.is_statement(start, end) and any(
            offers_in(text[first:last]) and any(first <= hour.start < last for hour in sentence.hours)
            for first, last in parts
        )
        if moved or is_context or words.TRAVEL.search(clause):
            yield start, end
        elif refuses(clause):
            has_own = any(start <= at < end for at, _ in named)
            yield (start if has_own or not index else parts[index - 1][0]), end


def refuses(text: str) -> bool:
    """Whether it says that something does not suit."""
    return words.CANNOT.search(words.NOT_CANNOT.sub(" ", text)) is not None


def clauses(text: str, named: Sequence[Span] = ()) -> Iterable[Span]:
    """The clauses, of a text with days and hours at the `named` places; the comma of "Monday, 23 November" ends none."""
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
    return _week_of(first) != _week_of(second) and second.end - second.start > 12


def _week_of(day: FoundDay) -> tuple[int, int]:
    return day.days[0].isocalendar()[:2]


def _blanked(text: str, spans: Iterable[Span], by: str = " ") -> str:
    for start, end in spans:
        text = text[:start] + by * (end - start) + text[end:]
    return text


def spans_of(found: Iterable[FoundDay | FoundHour | Length]) -> list[Span]:
    return [(each.start, each.end) for each in found]


def _within(found: FoundDay | FoundHour, span: Span) -> bool:
    return span[0] <= found.start < span[1]


def _overlap(one: Length, other: FoundHour) -> bool:
    return one.start < other.end and other.start < one.end


def offers_in(text: str) -> bool:
    return any(pattern.search(text) for pattern in (kinds.REQUEST, words.ANEW, words.SUITS))
