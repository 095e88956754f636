"""Days, weeks and months as claims: every day that a text can mean, counted from the one on which it was written."""

from collections.abc import Iterator
from datetime import date, timedelta

from email_assistant.facts.fact import Claim, Key
from email_assistant.language.named_days import NamedDay, day_in, named_days

_NEAREST = timedelta(days=300)


def dates(text: str, base: date, *, day_first: bool | None) -> Iterator[Claim]:
    """The dates in a text; a weekday that adjoins one belongs to it and must agree.

    A date without a year may be the one before `base` or the one after, unless that is more than 300 days away.
    """
    for named in named_days(text):
        if named.kind == "weekday":
            keys, fault = _weekday(named, base), ""
        elif named.kind == "day":
            keys, fault = _day_keys({base + timedelta(days=named.ahead)}), ""
        elif named.kind == "week":
            monday = base - timedelta(days=base.weekday()) + timedelta(days=7 * named.ahead)
            keys, fault = frozenset({("week", monday.isoformat())}), ""
        elif named.kind == "month":
            years = {named.year} if named.year else {day.year for day in _days(named.month, 15, None, base)}
            keys, fault = frozenset(("month", str(year), str(named.month)) for year in years), ""
        else:
            keys, fault = _dated(named, base, day_first)
        yield Claim("date", named.start, named.end, keys, fault)


def _dated(named: NamedDay, base: date, day_first: bool | None) -> tuple[frozenset[Key], str]:
    """What a date is compared by, and what is wrong with it."""
    keys: frozenset[Key] = frozenset()
    if named.kind == "day of month":
        near = {base + timedelta(days=n) for n in range(-31, 62)}
        days = {day for day in near if day.day == named.day}
    elif named.pair:
        days, keys = _of_pair(named.pair, named.year, base, day_first)
        if not days:  # Either may be the month.
            return keys, ""
    else:
        days = _days(named.month, named.day, named.year, base)
    if not days:
        return keys, "there is no such day"
    if named.weekday is not None:
        fitting = {day for day in days if day.weekday() == named.weekday}
        if not fitting:
            day = max(days)
            return frozenset(), f"{day.day} {day:%B %Y} is a {day:%A}"
        days = fitting
    return _day_keys(days) | keys, ""


def _of_pair(
    pair: tuple[int, int], year: int | None, base: date, day_first: bool | None
) -> tuple[set[date], frozenset[Key]]:
    """The days that 4/12 can be, none when that is open, and the pair as it is written."""
    a, b = pair
    either = {True: _days(b, a, year, base), False: _days(a, b, year, base)}
    written = frozenset({("slashed", str(a), str(b), f"{year % 100:02}" if year else "")})
    if day_first is not None and either[day_first]:
        return either[day_first], written
    if either[True] and either[False] and a != b:
        return set(), written
    return either[True] or either[False], written


def _days(month: int, day: int, year: int | None, base: date) -> set[date]:
    """The days that a written date may be."""
    years = [year] if year else [base.year - 1, base.year, base.year + 1]
    found = {one for each in years if (one := day_in(each, month, day))}
    near = {one for one in found if abs(one - base) <= _NEAREST}
    return found if year else near or found


def _day_keys(days: set[date]) -> frozenset[Key]:
    """Keys of days; `near` ones are what a weekday alone is compared by."""
    return frozenset(key for day in days for key in (("date", day.isoformat()), ("near", day.isoformat())))


def _weekday(named: NamedDay, base: date) -> frozenset[Key]:
    number = named.weekday or 0
    next_one = base + timedelta(days=(number - base.weekday() - 1) % 7 + 1)
    last_one = base - timedelta(days=(base.weekday() - number) % 7)
    if named.which == "last":
        days, loose = {last_one - timedelta(days=0 if last_one < base else 7)}, {last_one}
    elif named.which == "next":
        days = {base - timedelta(days=base.weekday()) + timedelta(days=7 + number)}
        loose = {next_one, *days}
    elif named.which == "week":
        days = {base - timedelta(days=base.weekday()) + timedelta(days=7 * named.ahead + number)}
        loose = {next_one, *days}
    elif named.which == "later":
        days = loose = {next_one + timedelta(days=7 * named.ahead)}
    else:
        days, loose = {next_one}, {next_one, last_one}
    near = frozenset(("near", day.isoformat()) for day in days | loose)
    return near | {("weekday", day.isoformat()) for day in days}
