"""The days ahead that a sentence names, for planning: of "Thursday" the next one, of "26.11." the one of this year or the next."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from email_assistant.language.day_words import DEADLINE_BEFORE, WEEK_OF_BEFORE
from email_assistant.language.named_days import NamedDay, day_in, named_days

_PAST_KEPT = timedelta(days=60)
_FAR = timedelta(days=550)


@dataclass(frozen=True, slots=True)
class FoundDay:
    """Days named at a place of a text; `exact` when it is one day that a time may be put to."""

    start: int
    end: int
    days: tuple[date, ...]
    exact: bool


def find_days(
    text: str, base: date, *, day_first: bool, anchor: date | None = None
) -> tuple[tuple[FoundDay, ...], str]:
    """The days named in a sentence, in order, and the sentence with them blanked out (same length).

    `base` is the day of the message, from which "Thursday" and "tomorrow" count. `day_first` reads 4/12 as
    4 December; without it an ambiguous pair is not taken for a day. `anchor` is a day that was named before:
    after "the 26th", "Friday" is the one of that week. Days before `base` and days after "by" or
    "until" are left out, but blanked.
    """
    named = sorted(named_days(text), key=lambda day: day.start)
    found = [day for each in named for day in _found(each, base, anchor, day_first)]
    kept = (_kept(day, text, base) for day in found)
    return tuple(day for day in kept if day.days), _blank(text, found)


def _found(named: NamedDay, base: date, anchor: date | None, day_first: bool) -> Iterator[FoundDay]:
    exact = True
    days: tuple[date, ...] = ()
    if named.kind == "week":
        days, exact = _workdays(_monday(base) + timedelta(days=7 * named.ahead)), False
    elif named.kind == "day":
        days = (base + timedelta(days=named.ahead),)
    elif named.kind == "weekday":
        days = _weekday(named, base, anchor)
    elif named.kind == "day of month":
        ahead = (base + timedelta(days=n) for n in range(62))
        days = tuple(day for day in ahead if day.day == named.day)[:1]
    elif named.kind == "date":
        days = _date(named, base, day_first)
    if named.kind != "weekday" and named.weekday is not None:
        beside = _weekday(named, base, anchor)
        if not days:
            days = beside
        elif days[0].weekday() != named.weekday:
            days, exact = tuple(sorted({*days, *beside})), False
    if days:
        yield FoundDay(named.start, named.end, days, exact)


def _date(named: NamedDay, base: date, day_first: bool) -> tuple[date, ...]:
    """The date, without a year the nearest ahead; of a pair that can be read both ways what `day_first` says, or none."""
    month, day = named.month, named.day
    if named.pair:
        a, b = named.pair
        if a <= 12 and b <= 12 and a != b and not day_first:
            return ()
        day, month = (a, b) if a > 12 or (day_first and b <= 12) else (b, a)
    found = day_in(named.year or base.year, month, day)
    if found and named.year is None and found < base - _PAST_KEPT:
        found = day_in(base.year + 1, month, day)
    return (found,) if found and abs(found - base) <= _FAR else ()


def _weekday(named: NamedDay, base: date, anchor: date | None) -> tuple[date, ...]:
    if named.which == "last":
        return ()
    number = timedelta(days=named.weekday or 0)
    if named.which == "next":
        return (_monday(base) + timedelta(days=7) + number,)
    day = _monday(anchor or base) + number
    return (day + timedelta(days=7 if day <= base else 0),)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _workdays(monday: date) -> tuple[date, ...]:
    return tuple(monday + timedelta(days=n) for n in range(5))


def _kept(day: FoundDay, text: str, base: date) -> FoundDay:
    before = text[max(0, day.start - 24) : day.start]
    days = day.days
    if day.exact and WEEK_OF_BEFORE.search(before):
        days = _workdays(_monday(days[0]))
        return FoundDay(day.start, day.end, tuple(d for d in days if d >= base), False)
    if DEADLINE_BEFORE.search(before):
        days = ()
    return FoundDay(day.start, day.end, tuple(d for d in days if d >= base), day.exact)


def _blank(text: str, found: list[FoundDay]) -> str:
    for day in found:
        text = text[: day.start] + " " * (day.end - day.start) + text[day.end :]
    return text
