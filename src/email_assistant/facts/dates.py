"""Days, weeks and months as claims, resolved from the day on which the text was written."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from email_assistant.facts.fact import Claim, Key
from email_assistant.language.day_words import (
    LAST_BEFORE,
    MONTHS,
    NEXT_AFTER,
    NEXT_BEFORE,
    RELATIVE,
    THIS_WEEK,
    WEEKDAYS,
    WEEKS_AHEAD,
)
from email_assistant.language.days import DATES, DAY_OF_MONTH, NEAR, SHORT_WEEKDAY, WEEKDAY_FOUND

_NEAREST = timedelta(days=300)
_ENGLISH = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_YESTERDAY = (
    (re.compile(r"\bday before yesterday\b|\bvorgestern\b|\bavant-hier\b|\banteayer\b", re.IGNORECASE), -2),
    (
        re.compile(
            r"(?<!before )\byesterday\b|(?<!vor)\bgestern\b|(?<!avant-)\bhier soir\b|\bayer\b", re.IGNORECASE
        ),
        -1,
    ),
)
_LAST_WEEK = re.compile(
    r"\blast week\b|\bletzte[nr]? woche\b|\bla semaine dernière\b|\bla semana pasada\b", re.IGNORECASE
)
_MONTH = "|".join(
    sorted((re.escape(m) for m in MONTHS if len(m) > 3 or m in {"mai", "may"}), key=len, reverse=True)
)
_MONTH_ALONE = re.compile(
    rf"\b(?:in|im|en|by|until|since|seit|bis|of|early|mid|late|anfang|mitte|ende|fin|début|this|next|last|from|during|through)[ -]"
    rf"(?P<m>{_MONTH})\b(?:\s(?:de\s)?(?P<y>(?:19|20)\d\d)\b)?|\b(?P<m2>{_MONTH})\s(?P<y2>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)


def dates(text: str, base: date, *, day_first: bool | None) -> Iterator[Claim]:
    """The dates in a text; a weekday that adjoins one belongs to it and must agree.

    A date without a year may be the one before `base` or the one after, unless that is more than 300 days away.
    """
    dated = list(_dated(text, base, day_first))
    named = [match for pattern in (WEEKDAY_FOUND, SHORT_WEEKDAY) for match in pattern.finditer(text)]
    by_end, by_start = {c.end: c for c in dated}, {c.start: c for c in dated}
    used: set[int] = set()
    for match in sorted(named, key=re.Match.start):
        partner = _after(text, match.end(), by_start) or _before(text, match.start(), by_end)
        if partner is None:
            yield _weekday(match, text, base)
        elif partner.start not in used:
            used.add(partner.start)
            yield _together(match, partner)
    yield from (claim for claim in dated if claim.start not in used)
    yield from _relative(text, base)
    yield from _months(text, base)


def weekday_of(claim: Claim) -> bool:
    """Whether the claim is a weekday alone."""
    return any(key[0] == "near" for key in claim.keys) and not any(key[0] == "date" for key in claim.keys)


def _after(text: str, end: int, starts: dict[int, Claim]) -> Claim | None:
    near = NEAR.match(text, end)
    return starts.get(near.end()) if near else None


def _before(text: str, start: int, ends: dict[int, Claim]) -> Claim | None:
    return next(
        (ends[start - n] for n in (1, 2) if start - n in ends and not text[start - n : start].strip(" (,")),
        None,
    )


def _dated(text: str, base: date, day_first: bool | None) -> Iterator[Claim]:
    taken: list[tuple[int, int]] = []
    for pattern in (*DATES, DAY_OF_MONTH):
        found = []
        for match in pattern.finditer(text):
            claim = (
                _slashed(match, base, day_first)
                if "a" in pattern.groupindex
                else _date(match, base, pattern is DAY_OF_MONTH)
            )
            if claim:
                found.append(claim)
        free = _free(found, taken)
        yield from free
        taken = sorted([*taken, *((claim.start, claim.end) for claim in free)])


def _free(found: list[Claim], taken: list[tuple[int, int]]) -> list[Claim]:
    """The claims that overlap none of the places taken; both in order."""
    out, at = [], 0
    for claim in found:
        while at < len(taken) and taken[at][1] <= claim.start:
            at += 1
        if at == len(taken) or taken[at][0] >= claim.end:
            out.append(claim)
    return out


def _date(match: re.Match[str], base: date, day_only: bool) -> Claim | None:
    if day_only:
        number = int(match["e"] or match["g"] or match["f"])
        near = {base + timedelta(days=n) for n in range(-31, 62)}
        return _of(match, {day for day in near if day.day == number})
    written = match["m"].lower().rstrip(".")
    month = int(written) if written.isdecimal() else MONTHS[written]
    days = resolve(month, int(match["d"]), match["y"], base)
    if not days and written.isdecimal() and not match["y"]:
        return None  # "2.15." is no date
    return _of(match, days)


def _of(match: re.Match[str], days: set[date]) -> Claim:
    return Claim("date", match.start(), match.end(), day_keys(days), "" if days else "there is no such day")


def _slashed(match: re.Match[str], base: date, day_first: bool | None) -> Claim | None:
    a, b = int(match["a"]), int(match["b"])
    either = {True: resolve(b, a, match["y"], base), False: resolve(a, b, match["y"], base)}
    if not either[True] and not either[False]:
        return None
    as_written = frozenset(
        {("slashed", match["a"].lstrip("0"), match["b"].lstrip("0"), (match["y"] or "")[-2:])}
    )
    settled = day_first if day_first is not None and either[day_first] else None
    if settled is None and either[True] and either[False] and a != b:
        return Claim("date", match.start(), match.end(), as_written)
    days = either[settled] if settled is not None else either[True] or either[False]
    return Claim("date", match.start(), match.end(), day_keys(days) | as_written)


def resolve(month: int, day: int, year: str | None, base: date) -> set[date]:
    """The days that a written date may be."""
    years = (
        [int(year) + (2000 if len(year) == 2 else 0)] if year else [base.year - 1, base.year, base.year + 1]
    )
    found = set()
    for number in years:
        try:
            found.add(date(number, month, day))
        except ValueError:
            continue
    near = {one for one in found if abs(one - base) <= _NEAREST}
    return found if year else near or found


def day_keys(days: set[date]) -> frozenset[Key]:
    """Keys of days; `near` ones are what a weekday alone is compared by."""
    return frozenset(key for day in days for key in (("date", day.isoformat()), ("near", day.isoformat())))


def _weekday(match: re.Match[str], text: str, base: date) -> Claim:
    number = _number(match)
    before, after = text[max(0, match.start() - 20) : match.start()], text[match.end() : match.end() + 25]
    next_one = base + timedelta(days=(number - base.weekday() - 1) % 7 + 1)
    last_one = base - timedelta(days=(base.weekday() - number) % 7)
    if re.search(
        r"\b(?:last|letzte[nrsm]?|vorige[nrsm]?|vergangene[nrsm]?)\s$", before, re.IGNORECASE
    ) or LAST_BEFORE.search(before):
        days, loose = {last_one - timedelta(days=0 if last_one < base else 7)}, {last_one}
    elif NEXT_BEFORE.search(before) or NEXT_AFTER.match(after):
        days = {base - timedelta(days=base.weekday()) + timedelta(days=7 + number)}
        loose = {next_one, *days}
    else:
        days, loose = {next_one}, {next_one, last_one}
    near = frozenset(("near", day.isoformat()) for day in days | loose)
    return Claim("date", match.start(), match.end(), near | {("weekday", day.isoformat()) for day in days})


def _number(match: re.Match[str]) -> int:
    groups = match.groupdict()
    return WEEKDAYS[(groups["w"] or groups.get("j") or groups.get("k") or "").lower()]


def _together(match: re.Match[str], dated: Claim) -> Claim:
    start, end = min(match.start(), dated.start), max(match.end(), dated.end)
    number = _number(match)
    days = {date.fromisoformat(key[1]) for key in dated.keys if key[0] == "date"}
    if not days:
        return Claim("date", start, end, dated.keys, dated.fault)
    fitting = {day for day in days if day.weekday() == number}
    if fitting:
        rest = frozenset(key for key in dated.keys if key[0] not in {"date", "near"})
        return Claim("date", start, end, day_keys(fitting) | rest)
    day = max(days)
    return Claim("date", start, end, frozenset(), f"{day.day} {day:%B %Y} is a {_ENGLISH[day.weekday()]}")


def _relative(text: str, base: date) -> Iterator[Claim]:
    for pattern, ahead in (*RELATIVE, *_YESTERDAY):
        for match in pattern.finditer(text):
            day = (base + timedelta(days=ahead)).isoformat()
            yield Claim("date", match.start(), match.end(), frozenset({("near", day), ("date", day)}))
    for pattern, weeks in (*WEEKS_AHEAD, (THIS_WEEK, 0), (_LAST_WEEK, -1)):
        for match in pattern.finditer(text):
            monday = base - timedelta(days=base.weekday()) + timedelta(days=7 * weeks)
            yield Claim("date", match.start(), match.end(), frozenset({("week", monday.isoformat())}))


def _months(text: str, base: date) -> Iterator[Claim]:
    for match in _MONTH_ALONE.finditer(text):
        group = "m" if match["m"] else "m2"
        year, month = match["y"] or match["y2"], MONTHS[match[group].lower()]
        if not match[group][0].isupper() and match[group].lower() in {"may", "march", "mars", "august"}:
            continue
        years = {year} if year else {f"{day.year}" for day in resolve(month, 15, None, base)}
        keys = frozenset(("month", one, str(month)) for one in years)
        yield Claim("date", match.start(group), match.end(), keys)
