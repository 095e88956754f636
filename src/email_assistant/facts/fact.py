"""Sources, claims, facts and gaps: the data of a fact check.

Days, weeks, months, times of day and their ranges as claims: a day is every day that a text can mean, counted from the one on which it
was written; a time with a zone is compared in UTC.

Gaps: the places of a text that its writer left for a person to fill, `[confirm: …]` or anything else that looks like a hole.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal

from email_assistant.language.days import NamedDay, day_in, monday_of, named_days
from email_assistant.language.hours import find_hours
from email_assistant.language.measures import SIGN
from email_assistant.language.time_words import IN_WORDS

Kind = Literal[
    "date", "time", "money", "percentage", "quantity", "number", "id", "phone", "link", "email", "name", "promise", "gap"
]  # fmt: skip
Role = Literal["theirs", "ours"]
Key = tuple[str, ...]
"""A normalised value: what kind of thing it is, then the value. Two texts that mean the same share a key."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text that claims may rest on. Give only what a reader can see of it."""

    name: str
    """What to call it in a report: "the mail", "price list"."""
    text: str
    role: Role
    """`theirs`: written by the other party, so it may be restated but grants nothing. `ours`: sent mail, knowledge,
    contact, calendar, result of a tool."""
    at: datetime | None = None
    """When it was written, aware: "tomorrow" counts from here. None counts from the day of the check."""


@dataclass(frozen=True, slots=True)
class Own:
    """What is known about the user without any source."""

    name: str = ""
    email: str = ""
    also: tuple[str, ...] = ()
    """Other texts that stand for the user anywhere: organisation, phone number, web address."""
    day_first: bool | None = None
    """How the user and the other party write 03/04; None when that is not known, which leaves such dates open."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Something a text states, at a place of it."""

    kind: Kind
    start: int
    end: int
    keys: frozenset[Key] = frozenset()
    """Readings of it; any one that a source has supports it. Empty: nothing can."""
    fault: str = ""
    """Why it cannot hold whatever a source says, such as a Friday that is a Thursday."""
    nouns: tuple[str, ...] = ()
    """Of a number: the beginnings of the words after it, that is, what is counted."""
    parts: tuple[frozenset[Key], ...] = ()
    """Of a range: the readings of its two ends, of which a source must have each."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A claim of the draft; `source` names what supports it, None when nothing does."""

    kind: Kind
    quoted: str
    span: tuple[int, int]
    """Where it stands in the draft as it was read (`clean`ed of invisible characters)."""
    source: str | None


@dataclass(frozen=True, slots=True)
class Gap:
    """What a person has to confirm or fill in: an unsupported claim, or a gap that the draft had."""

    kind: Kind
    quoted: str
    reason: str


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """A draft with its gaps in place; a draft with gaps needs a person."""

    text: str
    facts: tuple[Fact, ...]
    gaps: tuple[Gap, ...]


def blank(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with these places, in order, replaced by as many full stops."""
    out, at = [], 0
    for start, end in spans:
        out += [text[at:start], "." * (end - start)]
        at = end
    return "".join([*out, text[at:]])


Span = tuple[int, int]

_CONFIRM = re.compile(r"\[\s{0,3}confirm\b[^\[\]\n]{0,500}\]?", re.IGNORECASE)
_MONEY = rf"(?:{SIGN}|%|(?-i:[A-Z]{{3}}\b))"
_HOLES = (
    _CONFIRM.pattern,
    r"\[{1,2}(?!\d{1,3}\]|(?-i:x)\]\s)[^\[\]\n]{0,80}\]{1,2}(?!\()|［[^\n］]{0,80}］|【[^\n】]{0,80}】",  # no footnote, ticked box or link
    r"[$#%]?\{{1,3}[^{}\n]{0,80}\}{1,3}|<{1,2}(?=[^\W\d_]{4})[^<>[\n]{0,80}(?<!\s)>{1,2}",  # a tag of HTML is mostly shorter
    r"\(\s{0,9}(?:(?:insert|enter)\s[^()\n]{1,60}|your\s(?:\w{1,20}\s)?name|name|date|amount|[._\s…]{0,20})\)",
    r"%\([a-z_]{1,30}\)s?|%[a-z][a-z_]{1,30}%|(?-i:\$[A-Z][A-Z_]{3,30}\b)|(?<!\w)_{2}[a-z][a-z ]{1,30}_{2}(?!\w)|_{3,}",
    r"(?<![\w.])(?-i:X{2,})(?!\w)(?:[.:/,-]\s?X{2,}(?!\w))*|(?<=\d[.:/,-])x{2,}(?!\w)",
    rf"(?<!\w)x{{2,}}(?=[.:/,]\s?(?:x{{2}}|\d)|\s{{0,2}}{_MONEY})(?:[.:/,]\s?x{{2,}}(?!\w))*",
    rf"{SIGN}\s?(?:x{{1,9}}|\?{{1,9}}|_{{1,99}}|\.{{3,99}})(?!\w)|(?<=[:\s])(?:\.{{3}}|…)(?=\s{{0,2}}{_MONEY})",
    rf"(?<!\S)(?:\?{{2,}}|\.{{4,}}|…{{2,}}|\#{{2,}}(?:[.:/,]\#{{1,9}}|(?=\s{{0,2}}{_MONEY})))(?:[.:]?\?{{2,}})?",
    r"(?<!\w)(?:TB[ADC]|T\.B\.[ADC]\.?|(?-i:TODO|PLACEHOLDER|N\.N\.))(?!\w)",
    r"(?-i:\b(?:(?:INSERT|ENTER)(?: [A-Z]{2,20}){1,5}|YOUR (?:[A-Z]{2,20} )?NAME)\b)",
)
_HOLE = re.compile("|".join(_HOLES), re.IGNORECASE)
_LINK = re.compile(
    r"\b(?:https?://|www\.|mailto:)[^\s<>\"]{1,2000}|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+",
    re.IGNORECASE,
)
_RULE = re.compile(r"(?m)^[ \t]*_{10,}[ \t]*$")
"""A line that is drawn between parts of a text."""


def confirms_in(text: str) -> list[Span]:
    """Where `[confirm: …]` stands; one that is not closed ends with its line."""
    return [match.span() for match in _CONFIRM.finditer(text)]


def gaps_in(text: str, answered: str = "") -> list[Span]:
    """Where it has gaps. Links, addresses, and what stands in the text that it answers are none, but for `[confirm: …]`."""
    links = [each.span() for pattern in (_LINK, _RULE) for each in pattern.finditer(text)]
    links.sort()
    theirs = {_plain(answered[start:end]) for start, end in gaps_in(answered)} if answered else set()
    found, at = [], 0
    for match in _HOLE.finditer(text):
        while at < len(links) and links[at][1] < match.start():
            at += 1
        is_link = at < len(links) and _is_within(text, match.span(), links[at])
        if _CONFIRM.match(match[0]) or not (is_link or _plain(match[0]) in theirs):
            found.append(match.span())
    return found


def gaps_left(text: str, gaps: Collection[str]) -> list[Span]:
    """Where a text as a person left it has one of these gaps still, or any `[confirm: …]`: another hole is the person's own."""
    left = {_plain(each) for each in gaps}
    return [
        (start, end)
        for start, end in gaps_in(text)
        if _plain(text[start:end]) in left or _CONFIRM.match(text, start)
    ]


def gaps_of(texts: Iterable[str], answered: str = "") -> tuple[str, ...]:
    """The gaps of these texts, each once."""
    found = (text[start:end] for text in texts for start, end in gaps_in(text, answered))
    return tuple(dict.fromkeys(found))


def inside(gap: str) -> str:
    """What stands in a gap, without what marks it; "" when that says nothing."""
    words = gap.strip("[](){}<>［］【】$#%_.…?").strip()
    words = re.sub(r"^confirm\b\s*:?\s*", "", words, flags=re.IGNORECASE)
    return words if re.sub(r"[xX\W]", "", words) else ""


def _is_within(text: str, hole: Span, link: Span) -> bool:
    """Whether the hole is part of the link, or only what stands around it."""
    start, end = hole
    while start < end and text[start] in "[<{( ":
        start += 1
    while end > start and text[end - 1] in "]>}) ":
        end -= 1
    return start < end and link[0] <= start and end <= link[1]


def _plain(gap: str) -> str:
    return "".join(gap.split()).casefold()


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
