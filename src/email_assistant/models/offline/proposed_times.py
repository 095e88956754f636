"""The times that sentences offer for a meeting: understood, or told to be not understood; never guessed."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, tzinfo
from itertools import pairwise

from email_assistant.language import time_words as words
from email_assistant.language.days import FoundDay
from email_assistant.language.hours import FoundHour
from email_assistant.language.text import fold
from email_assistant.language.zones import is_theirs_at, sender_zone, zone_anywhere
from email_assistant.models.offline import words as kinds
from email_assistant.models.offline.lengths import minutes_of
from email_assistant.models.offline.sentence_times import LINKED, PARTS, Sentence, Written

LATEST = time(22)
"""End of a time of which only the beginning is named."""
_EARLIEST = time(6)
MAX_UNREAD = 5
_HEADING = 4
"""Words of a line that is a heading, or an item of a list."""
_THEN_DAY = re.compile(r",?\s(?:on|am|le|el|il|op|na)\s(?:the\s)?", re.IGNORECASE)
_OPENED = re.compile(r"(?:from|ab|vanaf|dalle|von|van|das)\s", re.IGNORECASE)
_SHORT_WORDS = re.compile(r"(?:[^\W\d_]{1,4}\s){0,2}(?=\d)")


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
        return {start.date() for start in (*self.starts, *(start for start, _ in self.windows))} | self.single

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
    sentences: list[Sentence] = []
    anchor: date | None = None
    for line, asks in zip(lines, asked or iter(lambda: True, None), strict=False):
        sentences.append(sentence := Sentence(fold(line), written, anchor, asks=asks))
        anchor = next((day.days[0] for day in reversed(sentence.days) if day.days), anchor)
    is_asked = any(each.offers and _names_a_time(each) for each in sentences)
    last: list[FoundDay] = []
    for sentence in sentences:
        # Where somebody asks for a time, an hour that is merely told of is that of something else.
        if is_asked and not sentence.offers and sentence.is_statement():
            sentence.exclude([(0, len(sentence.text))])
        sentence.last = last
        _read(sentence, found)
        last = _day_for_the_next(sentence)
    if not (found.starts or found.single or found.loose):
        found.unread = {**found.in_passing, **found.unread}
    return found


def _names_a_time(sentence: Sentence) -> bool:
    """Whether a sentence names a day or an hour, understood or not; "Talk in January?" is a heading, and says less than what follows."""
    is_heading = len(sentence.text.split()) <= _HEADING
    offered = sentence.offered_hours or sentence.offered_days
    return bool(offered or (not is_heading and sentence.not_understood()))


def _day_for_the_next(sentence: Sentence) -> list[FoundDay]:
    """The day that an hour of the next sentence is on, where that names none."""
    if offered := [day for day in sentence.offered_days if day.days and day.exact]:
        is_heading = len(sentence.text.split()) <= _HEADING
        is_for_it = is_heading or sentence.offers or kinds.MEETING.search(sentence.text)
        return offered[-1:] if is_for_it else []
    if not sentence.days:
        return sentence.last
    return [] if sentence.is_moved else sentence.context


def _read(sentence: Sentence, found: ProposedTimes) -> None:
    """Add what a sentence offers."""
    found.named_minutes = found.named_minutes or minutes_of(sentence.lengths, sentence.text)
    if words.OPENING.search(sentence.text):
        return
    offered = sentence.offered_days
    if spans := sentence.not_understood():
        in_passing = not (offered or sentence.offered_hours)
        (found.in_passing if in_passing else found.unread)[sentence.phrase(spans)] = None
        found.loose.update(each for day in offered if day.unclear for each in day.days)
        return
    with_hour: list[FoundDay] = []
    for hour in sentence.offered_hours:
        days = _days_for(hour, sentence)
        with_hour += days
        for each in (each for day in days for each in day.days):
            _take(hour, each, sentence, found)
    for day in offered:
        beside = sentence.text[day.start : day.end + 18]
        parts = [(first, last) for pattern, first, last in PARTS if pattern.search(beside)]
        if day not in with_hour and parts:
            for each in day.days:
                found.windows[_window(each, *parts[0], sentence.written.zone)] = None
        (found.single if day.exact else found.loose).update(day.days)


def _take(hour: FoundHour, day: date, sentence: Sentence, found: ProposedTimes) -> None:
    """Add an hour of a day, or the window of which it is an edge."""
    zone = _zone_of(hour, sentence)
    if window := _edges(hour, sentence.text):
        found.windows[_window(day, *window, zone)] = None
    if not window or hour.latest:
        start = datetime.combine(day, hour.at, zone)
        found.starts[start] = found.starts.get(start) or hour.until
        found.minutes = found.minutes or _length(hour.at, hour.until)


def _days_for(hour: FoundHour, sentence: Sentence) -> list[FoundDay]:
    """The days a time belongs to: the nearest one before it, with those joined to that by "or"; else the next one.

    "10:00 on Friday" belongs to Friday, whatever stands before.
    """
    exact = [day for day in sentence.offered_days if day.exact or not day.days]
    following = next((day for day in exact if day.start >= hour.end), None)
    if following and _THEN_DAY.fullmatch(sentence.text, hour.end, following.start):
        return [following]
    before = [day for day in exact if day.start < hour.start]
    if not before:
        return exact[:1] or sentence.context or sentence.last
    chosen = [before[-1]]
    for earlier, later in reversed(list(pairwise(before))):
        if not LINKED.fullmatch(sentence.text, earlier.end, later.start):
            break
        chosen.append(earlier)
    return chosen[::-1]


def _zone_of(hour: FoundHour, sentence: Sentence) -> tzinfo:
    written = sentence.written
    if is_theirs_at(sentence.text, hour.end) and written.theirs:
        return written.theirs
    return hour.zone or zone_anywhere(sentence.text) or written.stated or written.zone


def _edges(hour: FoundHour, text: str) -> tuple[time, time] | None:
    """From when until when, where an hour is the edge of a time."""
    if hour.latest:
        return hour.at, hour.latest
    if hour.until:  # "From ten to eleven" names both edges of the meeting itself.
        return None
    own = _SHORT_WORDS.match(text, hour.start, hour.end)  # Its preposition, as in "antes de las 11".
    before, after = text[: own.end() if own else hour.start][-25:], text[hour.end : hour.end + 20]
    if words.NOT_BEFORE.search(before) or words.OR_LATER.match(after) or _OPENED.match(text, hour.start):
        return hour.at, LATEST
    if words.NOT_AFTER.search(before) or words.OR_EARLIER.match(after):
        return _EARLIEST, hour.at
    return None


def _window(day: date, first: time, last: time, zone: tzinfo) -> tuple[datetime, datetime]:
    return datetime.combine(day, first, zone), datetime.combine(day, last, zone)


def _length(start: time, until: time | None) -> int:
    if until is None:
        return 0
    minutes = (until.hour - start.hour) * 60 + until.minute - start.minute
    return minutes if 10 <= minutes <= 240 else 0
