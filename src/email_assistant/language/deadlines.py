"""The deadlines that a text sets: "by Friday", "fällig am 25.11.", "d'ici demain", "within 24 hours"."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from email_assistant.language.days import find_days
from email_assistant.language.hours import find_hours
from email_assistant.language.measures import lengths
from email_assistant.language.time_words import MOVED_TO, MOVES, THIS_WEEK
from email_assistant.language.words import WORDS

with WORDS.section("deadlines") as section:
    AT_ONCE = section.pattern("{at_once}")
    """Asks for something now, where it asks for something."""

    ASKING = section.pattern("{asking}")
    """Asks or obliges the reader to do something."""

    TO_DO = section.pattern("{to_do}")
    """What deadlines are set for."""

    PROMISE = section.pattern("{promise}")
    """Tells what the writer is going to do."""

    DUE = section.pattern("{due}")
    """Names a deadline; the day stands behind it, or else before it."""

    BY = section.pattern("{by}")
    """Words before a day that make it a deadline where something is to be done."""

    WITHIN = section.pattern(r"\b(?:{within})\s(?:the\snext\s)?$")
    """Words right before a length of time within which something is to be done."""

    TONIGHT = section.pattern("{tonight}")
    """Other ways to say today."""

    END_OF_DAY = section.pattern("{end_of_day}")
    END_OF_WEEK = section.pattern("{end_of_week}")
    END_OF_MONTH = section.pattern("{end_of_month}")

TERMS = re.compile(
    r"\bnet\s(?P<a>\d{1,3})\b|\b(?P<b>\d{1,3})\s(?:days?|tagen?|jours|días) net(?:to)?\b|\bzahlungsziel\W{1,2}(?P<c>\d{1,3}) tage",
    re.IGNORECASE,
)
"""Terms of payment, in days."""
_WINDOW = 60
_CLOSE = 30
"""Characters between "by" and its day, at most."""
_MAX_CUES = 4
"""Places in one sentence where a deadline is looked for, of each kind."""
_LOOK_BACK = timedelta(days=30)
_NEAR = 2
"""Days within which a wish for a day is a deadline: "could you call me tomorrow"."""
_OF_THAT_DAY = re.compile(r"\b(?:from|of|since|von|vom|seit|de|du|d'|del)\s?(?:the\s)?$", re.IGNORECASE)
_MAX_DAYS = 366


@dataclass(frozen=True, slots=True)
class Deadline:
    """A day by which something is to be done."""

    day: date
    asked: bool
    """Whether the sentence asks for something, or names what is to be done."""


@dataclass(frozen=True, slots=True)
class WrittenWhen:
    """When a text was written, in its reader's zone, and whether its language writes 4/12 for 4 December."""

    at: datetime
    zone: ZoneInfo
    day_first: bool

    @property
    def day(self) -> date:
        """The day from which "tomorrow" counts."""
        return self.at.date()


def deadlines_in(lines: Iterable[str], written: WrittenWhen) -> Iterator[Deadline]:
    """The deadlines that sentences set, in their order; one may be found twice.

    What the writer promises to do by a day is none. May read time zone data from disk.
    """
    anchor: date | None = None
    for line in (TONIGHT.sub("today", line) for line in lines):
        asks = ASKING.search(line)
        to_do = TO_DO.search(line) is not None and not PROMISE.search(line)
        asked = asks is not None or to_do
        found = [*_due(line, written), *_terms(line, written)]
        if asked:
            found += [*_by(line, written), *_lengths(line, written)]
        if asks:
            found += [written.day] if AT_ONCE.search(line) else []
            found += _wished(line[asks.start() :], written, anchor)
        yield from (Deadline(day, asked) for day in found)
        named, _ = find_days(line, written.day, day_first=written.day_first, anchor=anchor)
        anchor = next((day.days[0] for day in named if day.exact), anchor)


def _due(line: str, written: WrittenWhen) -> Iterator[date]:
    """The days behind words such as "deadline", or else the last ones before them."""
    for cue in islice(DUE.finditer(line), _MAX_CUES):
        behind, before = line[cue.end() :][:_WINDOW], line[max(0, cue.start() - _WINDOW) : cue.start()]
        first = next(_behind(behind, written, close=_WINDOW), None) or next(_lengths(behind, written), None)
        yield from [first] if first else [day for _, day in _days(before, written)][-1:]


def _by(line: str, written: WrittenWhen) -> Iterator[date]:
    """The days behind words such as "by", which are deadlines where something is to be done."""
    for cue in islice(BY.finditer(line), _MAX_CUES):
        first = next(_behind(line[cue.end() :][:_WINDOW], written, close=_CLOSE), None)
        if first:
            yield first


def _behind(window: str, written: WrittenWhen, *, close: int) -> Iterator[date]:
    """The days named in the text behind a cue, or else the day of the time named right there."""
    days = [day for start, day in _days(window, written) if start <= close]
    hour = next(iter(find_hours(f" {window}", written.zone)), None)
    if not days and hour and hour.start <= 8:
        # "By 9:00", written in the evening, is tomorrow's.
        days = [written.day + timedelta(days=hour.at <= written.at.time())]
    yield from days


def _days(text: str, written: WrittenWhen) -> list[tuple[int, date]]:
    """The days that a piece of text names, each with its place; of several possible ones the last."""
    base = written.day
    plain = BY.sub(lambda match: " " * len(match.group()), text)
    found = [(d.start, d.days[-1]) for d in find_days(plain, base, day_first=written.day_first)[0]]
    if not found:  # Days before the message was written are found by their date only.
        past, _ = find_days(plain, base - _LOOK_BACK, day_first=written.day_first)
        dated = (day for day in past if day.exact and re.search(r"\d", plain[day.start : day.end]))
        found = [(day.start, day.days[0]) for day in dated]
    found += [(match.start(), day) for pattern, day in _ends(base) for match in pattern.finditer(text)]
    return sorted(found)


def _ends(base: date) -> tuple[tuple[re.Pattern[str], date], ...]:
    """The last days of the day, of the working week (on a weekend of the week) and of the month."""
    week = base + timedelta(days=(4 if base.weekday() <= 4 else 6) - base.weekday())
    month = (base.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    return ((END_OF_DAY, base), (END_OF_WEEK, week), (END_OF_MONTH, month))


def _terms(line: str, written: WrittenWhen) -> Iterator[date]:
    for match in islice(TERMS.finditer(line), _MAX_CUES):
        yield _later(written, days=int(match["a"] or match["b"] or match["c"]))


def _lengths(text: str, written: WrittenWhen) -> Iterator[date]:
    """The ends of lengths of time such as "within 24 hours"."""
    found = (each for each in lengths(text) if WITHIN.search(text, max(0, each.start - _CLOSE), each.start))
    for length in islice(found, _MAX_CUES):
        if length.unit in {"minute", "hour"}:
            yield (
                written.at + min(timedelta(minutes=float(length.minutes)), timedelta(days=_MAX_DAYS))
            ).date()
        else:
            yield _later(written, days=int(length.count) * (7 if length.unit == "week" else 1))


def _later(written: WrittenWhen, *, days: int) -> date:
    return written.day + timedelta(days=min(days, _MAX_DAYS))


def _wished(text: str, written: WrittenWhen, anchor: date | None) -> Iterator[date]:
    """Days of now and soon behind a request: "please decide today", "I would like an answer this week"."""
    base = written.day
    days, _ = find_days(text, base, day_first=written.day_first, anchor=anchor)
    for day in days:
        this_week = THIS_WEEK.fullmatch(text, day.start, day.end) is not None
        is_near = day.exact and (day.days[0] - base).days <= _NEAR
        # "The photos from today" are not wanted today, and what is moved to Friday is not to be answered by then.
        before = text[max(0, day.start - 12) : day.start]
        of_that_day = _OF_THAT_DAY.search(before) or (MOVED_TO.search(before) and MOVES.search(text))
        if (this_week or is_near) and not of_that_day:
            yield day.days[-1]
