"""Days, weeks, months, times of day and their ranges as claims.

A day is every day that a text can mean, counted from the one on which it was written; a time with a zone is compared in UTC.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from email_assistant.facts.fact import Claim, Key
from email_assistant.language.days import NamedDay, day_in, monday_of, named_days
from email_assistant.language.hours import find_hours
from email_assistant.language.time_words import IN_WORDS

_NEAREST = timedelta(days=300)

# After a space "12:00-15:00" is a range and no offset.
_STAMP = re.compile(
    r"(?<!\w)(?P<d>\d{4}-\d\d-\d\d)(?:T| (?=\d\d:\d\d(?:\D|$)))(?P<t>\d\d:\d\d)(?P<s>:\d\d(?:\.\d{1,6})?)?"
    r"(?P<z>\s?Z\b|\s?\+\d\d:?\d\d|(?<=:\d\d:\d\d)-\d\d:?\d\d)?(?!\d)"
)
_MAYBE = re.compile(r"\d|noon|midday|mittag|midi\b|mediodía", re.IGNORECASE)
_PIECE = re.compile(r"[^\n]{1,400}")


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
            keys, fault = frozenset({("week", monday_of(named, base).isoformat())}), ""
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
        days = {monday_of(named, base) + timedelta(days=number)}
        loose = {next_one, *days}
    else:
        days, loose = {next_one}, {next_one, last_one}
    near = frozenset(("near", day.isoformat()) for day in days | loose)
    return near | {("weekday", day.isoformat()) for day in days}


def stamps(text: str, zone: tzinfo) -> Iterator[tuple[Claim, Claim]]:
    """ISO 8601 date-times, as a date and a time in the user's zone."""
    for match in _STAMP.finditer(text):
        try:
            at = datetime.fromisoformat(f"{match['d']}T{match['t']}{(match['z'] or '').strip()}")
        except ValueError:
            continue
        local = at.astimezone(zone) if at.tzinfo else at
        day = frozenset({("date", local.date().isoformat()), ("near", local.date().isoformat())})
        cut = match.start() + 10
        yield (
            Claim("date", match.start(), cut, day),
            Claim("time", cut + 1, match.end(), _keys(at.time(), at.tzinfo, at.date(), zone)),
        )


def in_words(text: str) -> Iterator[Claim]:
    """Days and hours in words that no reader reads ("halb zehn", "Christmas Eve"): their source has the same words."""
    for match in IN_WORDS.finditer(text):
        yield Claim(
            "time",
            match.start(),
            match.end(),
            frozenset({("words", " ".join(match.group().lower().split()))}),
        )


def times(text: str, on: date, zone: tzinfo) -> Iterator[Claim]:
    """Times in a text whose dates were blanked out; `on` decides about summer time."""
    for piece in _PIECE.finditer(text):
        if not _MAYBE.search(piece.group()):
            continue
        for hour in find_hours(piece.group(), zone):
            start, end = _trimmed(piece.group(), hour.start, hour.end)
            first = _keys(hour.at, hour.zone, on, zone)
            parts = (
                (first, _keys(hour.until, hour.zone, on, zone))
                if hour.until
                else _ends(piece.group()[start:end], hour.at, first)
            )
            length = _length(hour.at, hour.until)
            yield Claim("time", piece.start() + start, piece.start() + end, first | length, parts=parts)


def _keys(at: time, named: tzinfo | None, on: date, zone: tzinfo) -> frozenset[Key]:
    written = at.strftime("%H:%M")
    if named is None:
        return frozenset({("time", written), ("unzoned", written)})
    moment = datetime.combine(on, at, named)
    local = moment.astimezone(zone).strftime("%H:%M")
    return frozenset({("time", local), ("zoned", moment.astimezone(UTC).strftime("%H:%M"))})


def _ends(written: str, at: time, first: frozenset[Key]) -> tuple[frozenset[Key], ...]:
    """The ends of "between 2 and 4 pm", of which the rules for meetings keep the first only."""
    inner = re.search(r"\D(\d{1,2})(?:[:.](\d\d))?\D*$", written[2:])
    if inner is None or not re.search(r"\b(?:and|und|et|y)\b|[-–—]|\bto\b", written, re.IGNORECASE):
        return ()
    hour, minute = int(inner[1]), int(inner[2] or 0)
    if hour < at.hour and hour < 12:
        hour += 12
    if hour > 23 or minute > 59 or time(hour, minute) == at:
        return ()
    last = f"{hour:02}:{minute:02}"
    return first, frozenset({("time", last), ("unzoned", last)})


def _length(start: time, end: time | None) -> frozenset[Key]:
    """How long a range is, which a draft may state."""
    if end is None:
        return frozenset()
    minutes = (end.hour - start.hour) * 60 + end.minute - start.minute
    return frozenset({("length", str(minutes))}) if minutes > 0 else frozenset()


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the preposition and the spaces that the recogniser takes in."""
    while (
        start < end
        and not text[start].isdecimal()
        and text[start : start + 2].lower() not in {"no", "mi", "zw", "me"}
    ):
        start += 1
    return start, end
