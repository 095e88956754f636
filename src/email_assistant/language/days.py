"""The days ahead that a sentence names, for planning: of "Thursday" the next one, of "26.11." the one of this year or the next."""

from dataclasses import dataclass, replace
from datetime import date, timedelta

from email_assistant.language.named_days import NamedDay, day_in, named_days
from email_assistant.language.time_words import DEADLINE_BEFORE

_PAST_KEPT = timedelta(days=60)
_FAR = timedelta(days=550)
_TOO_NEAR = 2
"""Days within which a weekday that comes is not called the next one."""


@dataclass(frozen=True, slots=True)
class FoundDay:
    """Days named at a place of a text; `exact` when it is one day that a time may be put to."""

    start: int
    end: int
    days: tuple[date, ...]
    exact: bool
    unclear: bool = False
    """Whether it could be another day than these, or none that is known."""
    is_bare: bool = False
    """Whether it is a weekday of which nothing says in which week it is."""


def find_days(
    text: str, base: date, *, day_first: bool, anchor: date | None = None
) -> tuple[tuple[FoundDay, ...], str]:
    """The days named in a sentence, in order, and the sentence with them blanked out (same length).

    `base` is the day of the message, from which "Thursday" and "tomorrow" count. `day_first` reads 4/12 as
    4 December; without it an ambiguous pair is not taken for a day. `anchor` is a day that was named before:
    after "the 26th", "Friday" is the one of that week. Days before `base` and days after "by" or
    "until" are left out, but blanked.
    """
    kept, rest = days_in(text, base, day_first=day_first, anchor=anchor)
    return tuple(day for day in kept if day.days), rest


def days_in(
    text: str, base: date, *, day_first: bool, anchor: date | None = None
) -> tuple[tuple[FoundDay, ...], str]:
    """Like `find_days`, with those that are over, or that nobody can tell, among them: they have no days."""
    named = sorted(named_days(text), key=lambda day: day.start)
    found = [day for each in named if (day := _found(each, base, anchor, day_first))]
    return tuple(_kept(day, text, base) for day in found), _blank(text, found)


def _found(named: NamedDay, base: date, anchor: date | None, day_first: bool) -> FoundDay | None:
    exact, differs = True, False
    days: tuple[date, ...] = ()
    if named.kind == "week":
        days, exact = _workdays(monday_of(named, base)), False
    elif named.kind == "day":
        days = (base + timedelta(days=named.ahead),)
    elif named.kind == "weekday":
        days = _weekday(named, base, anchor)
        differs = anchor is not None and days != _weekday(named, base, None)
    elif named.kind == "day of month":
        ahead = (base + timedelta(days=n) for n in range(62))
        days = tuple(day for day in ahead if day.day == named.day)[:1]
    elif named.kind == "date":
        days = _date(named, base, day_first)
    else:
        return None
    unclear = differs or (not days and named.which != "last")
    if named.kind == "weekday" and len(days) > 1:
        exact, unclear = False, True
    if named.kind != "weekday" and named.weekday is not None:
        beside = _weekday(named, base, anchor)
        if not days:
            days = beside
        elif days[0].weekday() != named.weekday:
            days, exact, unclear = tuple(sorted({*days, *beside})), False, True
    return FoundDay(named.start, named.end, days, exact, unclear, named.kind == "weekday" and not named.which)


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
    """The day that is meant; where people differ ("next Thursday", on a Monday) both."""
    if named.which == "last":
        return ()
    number = timedelta(days=named.weekday or 0)
    this_week = _monday(base) + number
    coming = this_week + timedelta(days=7 if this_week <= base else 0)
    if named.which == "week":
        return (monday_of(named, base) + number,)
    if named.which == "next":
        following = this_week + timedelta(days=7)
        # Nobody calls tomorrow "next".
        return (
            (following,) if (coming - base).days <= _TOO_NEAR else tuple(dict.fromkeys((coming, following)))
        )
    if named.which != "coming" and anchor is not None:
        day = _monday(anchor) + number
        coming = day + timedelta(days=7 if day <= base else 0)
    return (coming,)


def monday_of(named: NamedDay, base: date) -> date:
    """That of the week which is meant."""
    return _monday(base) + timedelta(days=7 * named.ahead)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _workdays(monday: date) -> tuple[date, ...]:
    return tuple(monday + timedelta(days=n) for n in range(5))


def _kept(day: FoundDay, text: str, base: date) -> FoundDay:
    before = text[max(0, day.start - 24) : day.start]
    if DEADLINE_BEFORE.search(before):
        return replace(day, days=(), unclear=False)
    return replace(day, days=tuple(d for d in day.days if d >= base))


def _blank(text: str, found: list[FoundDay]) -> str:
    for day in found:
        text = text[: day.start] + " " * (day.end - day.start) + text[day.end :]
    return text
