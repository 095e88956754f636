"""Days as people name them: "2026-11-26", "26.11.", "Nov 26", "the 26th", "Thursday", "next week", "yesterday", "in May".

`named_days` says what stands in a text; which day is meant depends on who asks. The fact check wants all that it can be, `find_days` those
that lie ahead, for planning: of "Thursday" the next one, of "26.11." the one of this year or the next.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from email_assistant.language import time_words as words
from email_assistant.language.time_words import (
    DEADLINE_BEFORE,
    FULL_WEEKDAYS,
    MONTHS,
    SHORT_WEEKDAYS,
    WEEKDAYS,
)

_MONTH = "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True))
_LONG_MONTHS = tuple(name for name in MONTHS if len(name) > 3 or name in {"mai", "may"})
_LONG_MONTH = "|".join(sorted(map(re.escape, _LONG_MONTHS), key=len, reverse=True))
_WEEKDAY = "|".join(FULL_WEEKDAYS)
_DATES = (
    re.compile(r"(?<![\d-])(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?![\d-])"),
    re.compile(
        r"(?<![\d.])(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.(?:(?:\s?(?=\d{4}))?(?P<y>\d{4}|\d{2})(?![\d:]|\.\d))?(?!\d)"
    ),
    re.compile(
        rf"(?<![\d.])(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?\s(?:of\s|de\s)?(?P<m>{_MONTH})\b\.?"
        r"(?:,?\s(?:de\s|del\s)?(?P<y>\d{4})\b)?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?P<m>{_MONTH})\b\.?\s(?:the\s)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d|\s?[ap]m)(?:,?\s(?P<y>\d{{4}})\b)?",
        re.IGNORECASE,
    ),
    re.compile(r"(?<![\d/])(?P<a>\d{1,2})/(?P<b>\d{1,2})(?:/(?P<y>\d{4}|\d{2}))?(?![\d/])"),
    re.compile(
        r"(?<![\w-])(?P<a>\d{1,2})-(?P<b>\d{1,2})-(?P<y>\d{4})(?![\w-])"
        r"|\b(?:el|día|le)\s(?P<a2>\d{1,2})-(?P<b2>\d{1,2})(?![\w-])",
        re.IGNORECASE,
    ),
    # A day of the month alone, where what follows shows that it is not a 1st floor or a 2nd draft.
    re.compile(
        r"(?:\bthe\s(?P<e>\d{1,2})(?:st|nd|rd|th)\b|\bam\s(?P<g>\d{1,2})\.(?!\d)"
        r"|\b(?:le|el|día)\s(?P<f>\d{1,2})e?(?=\s(?:à|a las)\b))"
        r"(?=\s*(?:$|[,;.?!)]|(?:at|um|à|a|or|oder|and|und|between|around|from|works?|would|in the|if|for)\b))",
        re.IGNORECASE,
    ),
)
_WEEKDAYS = (
    re.compile(
        rf"\b(?P<w>{_WEEKDAY})(?:\b|(?=vormittag|nachmittag|mittag|abend|morgen|früh))", re.IGNORECASE
    ),
    re.compile(r"\b(?P<w>Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\b\.?,?(?=\s(?:at\s)?\d)"),
    re.compile(
        r"\b(?P<w>Mo|D[io]|Mi|Fr|Sa|So)\b\.?,?(?=\s(?:den\s)?\d{1,2}(?:\.\s?\d{1,2}\.|(?:[:.]\d\d)?\s?Uhr))"
    ),
)
_DIGIT = re.compile(r"\d")
_NEAR = re.compile(r"[\s,.(]{0,3}(?:the\s|den\s|dem\s|der\s|le\s|el\s|on\s)?")
_ITS_NUMBER = re.compile(
    r",?\s(?:(?:the|den|dem|le|el|día)\s)?(?:(?P<day>\d{1,2})(?:st|nd|rd|th|\.(?=[\s,]*(?!\d)))"
    r"|(?P<day2>\d{1,2})(?=,?\s(?:a las?|à|at|um)\s))(?!\s?(?:uhr|h)\b)",
    re.IGNORECASE,
)
"""Behind a weekday."""
_CLOSE = 12
"""Characters between a weekday and its date, at most."""
_MONTH_ALONE = re.compile(
    rf"\b(?:in|im|en|by|until|since|seit|bis|of|early|mid|late|anfang|mitte|ende|fin|début|this|next|last|from|during|through)[ -]"
    rf"(?P<m>{_LONG_MONTH})\b(?:\s(?:de\s)?(?P<y>(?:19|20)\d\d)\b)?|\b(?P<m2>{_LONG_MONTH})\s(?P<y2>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_ALSO_WORDS = frozenset({"may", "march", "mars", "august"})
"""Months that are also other words, where they are not written with a capital."""


@dataclass(frozen=True, slots=True)
class NamedDay:
    """A day, or days, named at a place of a text."""

    start: int
    end: int
    kind: Literal["date", "day of month", "weekday", "day", "week", "month"]
    day: int = 0
    month: int = 0
    """Of a date or month; 0 for a pair such as 4/12, of which either may be the month."""
    pair: tuple[int, int] | None = None
    year: int | None = None
    weekday: int | None = None
    """Monday is 0; that of a date is the one that stands beside it, and should agree."""
    which: Literal["", "last", "next", "coming", "week"] = ""
    """Of a weekday: `week` is the one of the week `ahead`."""
    ahead: int = 0
    """How many days or weeks after that of the text."""


def named_days(text: str) -> list[NamedDay]:
    """The days named in a text; where two overlap, the earlier one counts."""
    weekdays = list(_weekdays(text))
    # "Donnerstag morgen" is Thursday's morning, not tomorrow.
    mornings = {day.end + 1 for day in weekdays} | {day.end for day in weekdays}
    relative = [day for day in _relative(text) if not (day.kind == "day" and day.start in mornings)]
    weeks = [day for day in relative if day.kind == "week"]
    days = [_in_week(day, weeks, text) for day in _together(_dates(text), weekdays, text)]
    days += [day for day in relative if day.kind == "day"]
    left = [week for week in weeks if not any(day.start < week.end and week.start < day.end for day in days)]
    return [*days, *left, *_months(text)]


def day_in(year: int, month: int, day: int) -> date | None:
    """The date; None when the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _dates(text: str) -> list[NamedDay]:
    taken: list[NamedDay] = []
    if not _DIGIT.search(text):
        return taken
    for pattern in _DATES:
        found = [day for match in pattern.finditer(text) if (day := _date(match))]
        taken = sorted([*taken, *_free(found, taken)], key=lambda day: day.start)
    return taken


def _free(found: Iterable[NamedDay], taken: list[NamedDay]) -> Iterator[NamedDay]:
    """Those that overlap none of what is taken; both in order."""
    at = 0
    for day in found:
        while at < len(taken) and taken[at].end <= day.start:
            at += 1
        if at == len(taken) or taken[at].start >= day.end:
            yield day


def _date(match: re.Match[str]) -> NamedDay | None:
    groups = match.groupdict()
    start, end = match.span()
    if "e" in groups:
        return NamedDay(start, end, "day of month", int(groups["e"] or groups["g"] or groups["f"]))
    year = int(groups["y"]) + (2000 if len(groups["y"]) == 2 else 0) if groups["y"] else None
    if "a" in groups:
        pair = int(groups["a"] or groups["a2"]), int(groups["b"] or groups["b2"])
        is_day = any(day_in(year or 2000, *each) for each in (pair, pair[::-1]))
        return NamedDay(start, end, "date", pair=pair, year=year) if is_day else None
    written, day = groups["m"].lower().rstrip("."), int(groups["d"])
    if not written.isdecimal():
        return NamedDay(start, end, "date", day, MONTHS[written], year=year)
    # "2.15." is no date, while "31.11.2026" is meant to be one.
    is_day = year is not None or day_in(2000, int(written), day) is not None
    return NamedDay(start, end, "date", day, int(written), year=year) if is_day else None


def _weekdays(text: str) -> Iterator[NamedDay]:
    found = [match for pattern in _WEEKDAYS for match in pattern.finditer(text)]
    for match in sorted(found, key=re.Match.start):
        name = match["w"].lower()
        number = WEEKDAYS.get(name, SHORT_WEEKDAYS.get(name, 0))
        yield _with_which(NamedDay(match.start(), match.end(), "weekday", weekday=number), text)


def _with_which(day: NamedDay, text: str) -> NamedDay:
    """The weekday with the words around it that say which one is meant."""
    before, after = text[max(0, day.start - 30) : day.start], text[day.end : day.end + 25]
    for pattern, which in (
        (words.LAST_AFTER, "last"),
        (words.NEXT_AFTER, "next"),
    ):
        if behind := pattern.match(after):
            return replace(day, end=day.end + behind.end(), which=which)  # type: ignore[arg-type]
    for pattern, which in (
        (words.LAST_BEFORE, "last"),
        (words.NEXT_BEFORE, "next"),
        (words.COMING_BEFORE, "coming"),
    ):
        if pattern.search(before):
            return replace(day, which=which)  # type: ignore[arg-type]
    return day


def _in_week(day: NamedDay, weeks: list[NamedDay], text: str) -> NamedDay:
    """A weekday in the week that is named right beside it."""
    for week in weeks if day.kind == "weekday" and day.which in {"", "coming"} else ():
        start, end = min(day.start, week.start), max(day.end, week.end)
        between = text[week.end : day.start] if week.end <= day.start else text[day.end : week.start]
        if words.OF_WEEK.fullmatch(between):
            return replace(day, start=start, end=end, which="week", ahead=week.ahead)
    return day


def _together(dated: list[NamedDay], weekdays: list[NamedDay], text: str) -> Iterator[NamedDay]:
    """Dates and weekdays, where "Thursday, 26 November" is one day."""
    by_start, by_end = {day.start: day for day in dated}, {day.end: day for day in dated}
    used: set[int] = set()
    for weekday in weekdays:
        behind = (
            by_start.get(at)
            for at in range(weekday.end, weekday.end + _CLOSE)
            if _NEAR.fullmatch(text, weekday.end, at)
        )
        before = (
            by_end.get(at)
            for at in range(weekday.start, weekday.start - 4, -1)
            if not text[at : weekday.start].strip(" (,")
        )
        beside = next((day for day in (*behind, *before) if day), None)
        if beside is None:
            yield _with_its_number(weekday, text)
        elif beside.start not in used:
            used.add(beside.start)
            start, end = min(beside.start, weekday.start), max(beside.end, weekday.end)
            yield replace(beside, start=start, end=end, weekday=weekday.weekday, which=weekday.which)
    yield from (day for day in dated if day.start not in used)


def _with_its_number(weekday: NamedDay, text: str) -> NamedDay:
    """ "Friday 27th", "Freitag, den 27.", "lunes 23 a las": the day of the month that is that weekday."""
    found = None if weekday.which else _ITS_NUMBER.match(text, weekday.end)
    if found is None:
        return weekday
    return replace(weekday, kind="day of month", end=found.end(), day=int(found["day"] or found["day2"]))


def _relative(text: str) -> Iterator[NamedDay]:
    for match in words.AHEAD.finditer(text):
        kind, ahead = words.AHEAD_OF[match.lastgroup or ""]
        yield NamedDay(match.start(), match.end(), kind, ahead=ahead)


def _months(text: str) -> Iterator[NamedDay]:
    for match in _MONTH_ALONE.finditer(text):
        group = "m" if match["m"] else "m2"
        written, year = match[group], match["y"] or match["y2"]
        if written[0].isupper() or written.lower() not in _ALSO_WORDS:
            month = MONTHS[written.lower()]
            yield NamedDay(
                match.start(group), match.end(), "month", month=month, year=int(year) if year else None
            )


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
        days = _date_of(named, base, day_first)
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


def _date_of(named: NamedDay, base: date, day_first: bool) -> tuple[date, ...]:
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
