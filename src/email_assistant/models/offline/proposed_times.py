"""The times that sentences offer for a meeting, by one grammar; all else that names a time is "not understood", and told.

A sentence offers one group of days and hours, joined by nothing but "or", "and", commas and prepositions: "Tuesday at 10 or
Thursday at 3 pm CET". It proposes nothing where a number or a word for a time is left over, or where it
denies, excepts, moves, or sets a condition.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, tzinfo

from email_assistant.language import time_words as words
from email_assistant.language.days import FoundDay
from email_assistant.language.hours import FoundHour
from email_assistant.language.measures import Length, lengths
from email_assistant.language.text import fold
from email_assistant.language.zones import is_somewhere_unknown, sender_zone
from email_assistant.mail.text import one_line
from email_assistant.models.offline import words as kinds
from email_assistant.models.offline.sentence_times import LONGEST, MAX_PHRASE, PARTS, Sentence, Written

DEFAULT_MINUTES = 30
MAX_UNREAD = 5
_SHORTEST = 10
"""Minutes of a meeting, at least."""
_NO_LENGTH = re.compile(r" (?:ago|later|before)\b", re.IGNORECASE)
_WHEN = re.compile(
    r"\b(?:what|when|which|wann|was|welche\w*|quand|quels?|quelles?|cuándo|qué|cuál\w*)\b", re.IGNORECASE
)


@dataclass(slots=True)
class ProposedTimes:
    """What sentences offer."""

    starts: dict[datetime, time | None] = field(default_factory=dict)
    """Aware, in the zone that was named, else in the user's; in the order of the text; each with its end where a range is named."""
    windows: dict[tuple[datetime, datetime], None] = field(default_factory=dict)
    """Times within which the meeting may be: "between 2 and 4 pm", "Friday morning"."""
    single: set[date] = field(default_factory=set)
    loose: set[date] = field(default_factory=set)
    minutes: int = 0
    """Of the first range; 0 without one."""
    named_minutes: int = 0
    """The first length of a meeting that is named; 0 without one."""
    unread: dict[str, None] = field(default_factory=dict)
    """Words that name a time which was not understood, as they stand in the text."""
    in_passing: dict[str, None] = field(default_factory=dict)
    """The same of sentences that name neither a day nor an hour: they count where no other names one."""

    @property
    def names_time(self) -> bool:
        """Whether they name a day or an hour at all, understood or not."""
        return bool(self.days_named or self.loose or self.unread)

    @property
    def days_named(self) -> set[date]:
        """Every single day, with a time or without."""
        return self._timed | self.single

    @property
    def days(self) -> list[date]:
        """Days without a time. "Next week" says less than "Thursday next week": whole weeks count only when no day is named."""
        timed = self._timed
        return sorted((self.single or self.loose if not timed else self.single) - timed)

    @property
    def _timed(self) -> set[date]:
        return {start.date() for start in (*self.starts, *(start for start, _ in self.windows))}


def written_in(text: str, base: date, zone: tzinfo, *, day_first: bool, stated: tzinfo | None) -> Written:
    """By what the times of a text are read."""
    return Written(base, zone, day_first, stated, sender_zone(text), is_somewhere_unknown(text))


def proposed_times(
    lines: Iterable[str], written: Written, *, asked: Sequence[bool] | None = None
) -> ProposedTimes:
    """What the sentences offer. `asked`: of each line whether it asks for something, so that vague words for a time matter."""
    found = ProposedTimes()
    sentences: list[tuple[Sentence, bool]] = []
    anchor: date | None = None
    for line, asks in zip(lines, asked or iter(lambda: True, None), strict=False):
        sentences.append((sentence := Sentence(fold(line), written, anchor), asks))
        anchor = next((day.days[0] for day in reversed(sentence.days) if day.days), anchor)
    is_asked = any(_asks_for_a_time(each, asks=asks) for each, asks in sentences)
    last: list[FoundDay] = []
    told: dict[str, None] = {}
    for sentence, asks in sentences:
        found.named_minutes = found.named_minutes or minutes_of(sentence.lengths, sentence.text)
        if sentence.tells and (is_asked or not asks):  # Of something else than what is asked for.
            told[one_line(sentence.text, limit=MAX_PHRASE)] = None
        elif not sentence.is_over or (sentence.offers and kinds.MEETING.search(sentence.text)):
            _read(sentence, last, found, asks=asks)
        last = _day_for_the_next(sentence, last)
    if not (found.starts or found.single or found.loose):
        found.unread = {**found.in_passing, **found.unread} or told
    return found


def _asks_for_a_time(sentence: Sentence, *, asks: bool) -> bool:
    """Whether it asks for a meeting, or names a time and asks; "Talk in January?" is a heading, and says less than what follows."""
    if kinds.QUESTION.search(sentence.text) and _WHEN.search(sentence.text):
        return True
    if not sentence.offers or sentence.spans or sentence.is_heading:
        return sentence.offers and bool(sentence.spans)
    return bool(kinds.MEETING.search(sentence.text) or sentence.unread(asks=asks))


def _day_for_the_next(sentence: Sentence, last: list[FoundDay]) -> list[FoundDay]:
    """The day that an hour of the next sentence is on, where that names none."""
    days = [day for day in sentence.days if day.days and day.exact]
    if not sentence.days:
        return last
    return days if len(days) == 1 and not (words.DENIES.search(sentence.rest) and not sentence.hours) else []


def _read(sentence: Sentence, last: list[FoundDay], found: ProposedTimes, *, asks: bool) -> None:
    """Add what a sentence offers."""
    unread = sentence.unread(asks=asks)
    groups = None if unread else sentence.groups()
    if groups is None:
        (found.unread if sentence.spans else found.in_passing)[unread] = None
        found.loose.update(each for day in sentence.days if day.unclear for each in day.days)
        return
    for days, hours in groups:
        for day in days or last:
            _take(day, hours, sentence, found)
        if hours and not (days or last):
            found.unread[one_line(sentence.text[hours[0].start : hours[-1].end], limit=MAX_PHRASE)] = None


def _take(named: FoundDay, hours: Sequence[FoundHour], sentence: Sentence, found: ProposedTimes) -> None:
    """Add the hours of a day, its part, or the day alone."""
    beside = sentence.text[named.start : named.end + 18]
    parts = [(first, last) for pattern, first, last in PARTS if pattern.search(beside)]
    for day in named.days:
        for hour in hours:
            zone = sentence.clock_of(hour)
            if hour.latest:
                found.windows[_window(day, hour.at, hour.latest, zone)] = None
            start = datetime.combine(day, hour.at, zone)
            found.starts[start] = found.starts.get(start) or hour.until
            found.minutes = found.minutes or _length(hour.at, hour.until)
        if parts and not hours:
            found.windows[_window(day, *parts[0], sentence.written.zone)] = None
    (found.single if named.exact else found.loose).update(named.days)


def minutes_in(text: str) -> int | None:
    """The first length named in minutes or hours, in minutes from 10 to 480; None when there is none."""
    text = " ".join(text.split())
    return minutes_of(lengths(text), text) or None


def minutes_of(found: Iterable[Length], text: str) -> int:
    """The same of lengths that were found in the text; 0 when there is none."""
    for length in found:
        if length.unit in {"minute", "hour"} and not _NO_LENGTH.match(text, length.end):
            minutes = round(length.minutes)
            if _SHORTEST <= minutes <= LONGEST:
                return minutes
    return 0


def _window(day: date, first: time, last: time, zone: tzinfo) -> tuple[datetime, datetime]:
    return datetime.combine(day, first, zone), datetime.combine(day, last, zone)


def _length(start: time, until: time | None) -> int:
    if until is None:
        return 0
    minutes = (until.hour - start.hour) * 60 + until.minute - start.minute
    return minutes if 10 <= minutes <= 240 else 0
