"""Days as people name them: "2026-11-26", "26.11.", "Nov 26", "11月26日", "Thursday", "next week", "tomorrow"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from email_assistant.language.day_words import (
    DEADLINE_BEFORE,
    FULL_WEEKDAYS,
    LAST_BEFORE,
    MONTHS,
    NEXT_AFTER,
    NEXT_BEFORE,
    RELATIVE,
    THIS_WEEK,
    WEEK_OF_BEFORE,
    WEEKDAYS,
    WEEKS_AHEAD,
)

_PAST_KEPT = timedelta(days=60)
_FAR = timedelta(days=550)
_MONTH = "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True))
_WEEKDAY = "|".join(FULL_WEEKDAYS)
DATES = (
    re.compile(r"(?<![\d-])(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?![\d-])"),
    re.compile(r"(?:(?P<y>\d{4})年)?(?P<m>\d{1,2})月(?P<d>\d{1,2})日"),
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
)
# A day of the month alone, where what follows shows that it is not a 1st floor or a 2nd draft.
DAY_OF_MONTH = re.compile(
    r"(?:\bthe\s(?P<e>\d{1,2})(?:st|nd|rd|th)\b|\bam\s(?P<g>\d{1,2})\.(?!\d)|\b(?:le|el)\s(?P<f>\d{1,2})(?=\s(?:à|a las)\b))"
    r"(?=\s*(?:$|[,;.?!)]|(?:at|um|à|a|or|oder|and|und|between|around|from|works?|would|in the|if|for)\b))",
    re.IGNORECASE,
)
WEEKDAY_FOUND = re.compile(
    rf"\b(?P<w>{_WEEKDAY})\b|(?P<j>[月火水木金土日])曜日?|\((?P<k>[月火水木金土日])\)", re.IGNORECASE
)
SHORT_WEEKDAY = re.compile(r"\b(?P<w>Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\b\.?,?(?=\s(?:at\s)?\d)")
NEAR = re.compile(r"[\s,.(]{0,3}(?:the\s|den\s|dem\s|der\s|le\s|el\s|on\s)?")


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
    dated = list(_dates(text, base, day_first))
    dated += _days_of_month(_blank(text, dated), base)
    blanked = _blank(text, dated)
    named = list(_weekdays(blanked, base, anchor))
    blanked = _blank(blanked, named)
    relative = [*_relative(blanked, base, named), *_weeks(blanked, base)]
    blanked = _blank(blanked, relative)
    found = _merged(dated, named, text) + relative
    kept = [_kept(day, text, base) for day in sorted(found, key=lambda day: day.start)]
    return tuple(day for day in kept if day.days), blanked


def _dates(text: str, base: date, day_first: bool) -> Iterator[FoundDay]:
    for pattern in DATES:
        for match in pattern.finditer(text):
            day = _slashed(match, base, day_first) if "a" in match.re.groupindex else _date(match, base)
            if day:
                yield FoundDay(match.start(), match.end(), (day,), True)
                text = text[: match.start()] + " " * (match.end() - match.start()) + text[match.end() :]


def _date(match: re.Match[str], base: date) -> date | None:
    month = match["m"].lower().rstrip(".")
    return _resolve(int(month) if month.isdecimal() else MONTHS[month], int(match["d"]), match["y"], base)


def _days_of_month(text: str, base: date) -> Iterator[FoundDay]:
    """Days such as "the 26th": the next one ahead."""
    for match in DAY_OF_MONTH.finditer(text):
        number = int(match["e"] or match["g"] or match["f"])
        ahead = (base + timedelta(days=n) for n in range(62))
        day = next((day for day in ahead if day.day == number), None)
        if day:
            yield FoundDay(match.start(), match.end(), (day,), True)


def _slashed(match: re.Match[str], base: date, day_first: bool) -> date | None:
    a, b = int(match["a"]), int(match["b"])
    if a > 12 or (day_first and b <= 12):
        return _resolve(b, a, match["y"], base)
    return _resolve(a, b, match["y"], base) if b > 12 or a == b else None


def _resolve(month: int, day: int, year: str | None, base: date) -> date | None:
    """The date; without a year the one nearest ahead. None when there is no such day or it is years away."""
    try:
        if year:
            found = date(int(year) + (2000 if len(year) == 2 else 0), month, day)
        else:
            found = date(base.year, month, day)
            if found < base - _PAST_KEPT:
                found = date(base.year + 1, month, day)
    except ValueError:
        return None
    return found if abs(found - base) <= _FAR else None


def _weekdays(text: str, base: date, anchor: date | None) -> Iterator[FoundDay]:
    for match in sorted([*WEEKDAY_FOUND.finditer(text), *SHORT_WEEKDAY.finditer(text)], key=re.Match.start):
        groups = match.groupdict()
        number = WEEKDAYS[(groups["w"] or groups.get("j") or groups.get("k") or "").lower()]
        before, after = text[max(0, match.start() - 20) : match.start()], text[match.end() : match.end() + 25]
        if LAST_BEFORE.search(before):
            continue
        if NEXT_BEFORE.search(before) or NEXT_AFTER.match(after):
            day = _monday(base) + timedelta(days=7 + number)
        else:
            day = _monday(anchor or base) + timedelta(days=number)
            day += timedelta(days=7 if day <= base else 0)
        yield FoundDay(match.start(), match.end(), (day,), True)


def _merged(dated: list[FoundDay], named: list[FoundDay], text: str) -> list[FoundDay]:
    """Dates and weekdays, where "Thursday, 26 November" is one day, or two possible ones when they disagree."""
    out, used = [], set()
    for exact in dated:
        partner = next((n for n in named if _belong(n, exact, text)), None)
        if partner is None:
            out.append(exact)
            continue
        used.add(partner)
        start, end = min(exact.start, partner.start), max(exact.end, partner.end)
        agree = exact.days[0].weekday() == partner.days[0].weekday()
        days = exact.days if agree else tuple(sorted({*exact.days, *partner.days}))
        out.append(FoundDay(start, end, days, agree))
    return out + [n for n in named if n not in used]


def _belong(weekday: FoundDay, exact: FoundDay, text: str) -> bool:
    if weekday.end <= exact.start <= weekday.end + 12:
        return NEAR.fullmatch(text, weekday.end, exact.start) is not None
    return exact.end <= weekday.start <= exact.end + 3 and not text[exact.end : weekday.start].strip(" (,")


def _relative(text: str, base: date, named: list[FoundDay]) -> Iterator[FoundDay]:
    # "Donnerstag morgen" is Thursday's morning, not tomorrow.
    mornings = {day.end + 1 for day in named}
    for pattern, ahead in RELATIVE:
        for match in pattern.finditer(text):
            if match.start() not in mornings:
                yield FoundDay(match.start(), match.end(), (base + timedelta(days=ahead),), True)


def _weeks(text: str, base: date) -> Iterator[FoundDay]:
    for pattern, ahead in (*WEEKS_AHEAD, (THIS_WEEK, 0)):
        for match in pattern.finditer(text):
            yield FoundDay(
                match.start(), match.end(), _workdays(_monday(base) + timedelta(days=7 * ahead)), False
            )


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
