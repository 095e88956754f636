"""Names of months, days and holidays, and the words around days, clock times and offers, in seven languages and Japanese.

Which days and hours are meant is for `days` and `hours` to say. The words around them tell what may not be taken for an offer, and what of
a sentence nobody has understood.
"""

import re
from collections.abc import Iterable

from email_assistant.language.words import WORDS


def _numbers(names: Iterable[Iterable[str]], first: int) -> dict[str, int]:
    """The number of each name, of lists that hold the names of the first, of the second and so on, a list a language."""
    together = enumerate(zip(*names, strict=True), first)
    return {name: number for number, each in together for name in " ".join(each).split()}


with WORDS.section("days") as section:
    MONTHS = _numbers(section.by_file("months").values(), 1)
    WEEKDAYS = _numbers(section.by_file("weekdays").values(), 0)
    """Weekdays by their name in lower case, Monday is 0."""
    SHORT_WEEKDAYS = _numbers(section.by_file("short_weekdays").values(), 0)
    """Short names that are also other words; what stands beside them shows that they are days (`named_days`)."""
    HOLIDAYS = tuple(
        (section.pattern(rf"\b(?:{holiday})\b"), int(date[:2]), int(date[3:]))
        for date, holiday in section.table("holidays").items()
    )
    """Holidays that are the same day every year: pattern, month, day."""
    DAYS_AHEAD = tuple((section.pattern(day), int(ahead)) for ahead, day in section.table("ahead").items())
    SIGNS_AHEAD = tuple(sign for signs in section.by_file("signs_ahead").values() for sign in signs)
    """One of these, in lower case, stands in every text that names a day or a week so; most texts have none and need no closer look."""
    THIS_WEEK = section.pattern("{this_week}")
    WEEKS_AHEAD = (
        *((section.pattern(week), int(ahead)) for ahead, week in section.table("weeks_ahead").items()),
        (THIS_WEEK, 0),
    )
    WEEK_NUMBER = section.pattern(
        r"\b(?:{week_number})\s?(?P<number>\d{1,2})(?!\d|[:.]\d|\s?(?:h|uhr|uur)\b|[ap]m\b)"
    )
    NEXT_BEFORE = section.pattern(r"(?:{next_before})\s?$")
    COMING_BEFORE = section.pattern(r"\b(?:{coming_before})\s$")
    LAST_BEFORE = section.pattern(r"(?:{last_before})\s$")
    DEADLINE_BEFORE = section.pattern(r"\b(?:{deadline_before})(?:\s(?:the|end of|next))?\s?$")
    NEXT_AFTER = section.pattern(r"\s(?:{next_after})\b")
    LAST_AFTER = section.pattern(r"\s(?:{last_after})(?!\w)")
    WEEK_ON = (
        (section.pattern(r"\s(?:{week_on})\b(?!\s(?:of|after)\b)"), 1),
        (section.pattern(r"\s(?:{two_weeks_on})\b"), 2),
    )
    """Behind a day: so many weeks on ("Thursday week", "jeudi en quinze")."""
    _COUNT = section.text(r"(?P<count>\d{1,2}|[^\W\d_]+)\s(?:(?P<week>{weeks})|(?P<day>{some_days}))\b")
    LATER = section.pattern(rf"\b(?:{{later}})\s{_COUNT}")
    """In so many weeks or days."""
    WEEK_OF_BEFORE = section.pattern(r"\b(?:{week_of_before})(?:\s(?:the|dem))?\s?$")
FULL_WEEKDAYS = tuple(name for name in WEEKDAYS if len(name) > 4 and name not in {"thurs"})
"""Names that are no abbreviations, which would also be other words."""
COMING_AFTER = re.compile(r"\s(?:que viene|que vem|coming)\b|,?\sa\.s\.", re.IGNORECASE)
OF_WEEK = re.compile(
    r"[\s,]{0,2}(?:(?:of|in|on|in der|der|am|de|di|della?|da|em|na|no|van|le|el|op|of the|della|de la|a|の)\s){0,2}"
    r"(?:la\s|the\s|a\s)?の?",
    re.IGNORECASE,
)
"""What may stand between a weekday and its week: "next week, on Tuesday", "am Dienstag nächster Woche"."""
LATER_THAN = re.compile(rf"\b{_COUNT}\s(?:from|on|after)?\s?$", re.IGNORECASE)
"""Before a day: so many weeks or days after it ("two weeks from Thursday", "a week today")."""
WEEK_LONG = frozenset({8, 15})
"""Numbers of days by which some count a week or two, and some just that many days."""
OTHER_OF_MONTH = re.compile(
    r"(?<![:.h\d/])(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?\s?(?:(?P<to>-|–|to|bis|à|au|al|tot|t/m|até|through)|and|or|und|oder|et|ou|y"
    r"|o|e|en|of|&|/)\s?$",
    re.IGNORECASE,
)
"""Right before a date: another day of its month, or the first of several."""


_H = r"(?P<h>\d{1,2}|[^\W\d_]+)"
_M = r"(?P<m>\d{1,2}|[^\W\d_]+(?:-[^\W\d_]+)?)"

with WORDS.section("hours", h=_H, m=_M) as section:
    SPOKEN = tuple(
        (section.pattern(rf"(?<![\w:.,])(?:{pattern})(?![\w'’])"), language, minutes)
        for language, pattern, minutes in section.rows("spoken")
    )
    """Ways to say a time: pattern with its hour `h` and minutes `m`, its language, and the minutes that are added to the hour. 1 and -1
    stand for as many as `m` says, before or after the hour; -31 and -29 for as many before or after half an hour less. The first that
    fits at a place counts."""
    SPOKEN_SIGNS = section.pattern("{spoken_signs}")
    """One of these stands in every time in words."""
    GOES_ON = section.pattern(r"\s(?:{goes_on})\b")
    """Right behind a time: more of it, which nobody has read."""
    NOON = section.pattern("{noon}")
    """Twelve o'clock, or half past where a group says so."""

    MORNING = section.text(r"(?:{morning})")
    AFTERNOON = section.text(r"(?:{afternoon})")
AFTER_HOUR = (
    (re.compile(rf"[\s,]{{0,2}}{MORNING}(?!\w)", re.IGNORECASE), "am"),
    (re.compile(rf"[\s,]{{0,2}}{AFTERNOON}(?!\w)", re.IGNORECASE), "pm"),
)
BESIDE = r"(?:(?<!\w)|(?<=dag)|(?<=tag)|(?<=mittwoch)|(?<=morgen))"
"""Where a part of the day may begin: as a word, or as the end of a weekday's."""
BEFORE_HOUR = (
    (re.compile(rf"{BESIDE}(?<!guten ){MORNING}[\s,]{{0,2}}$", re.IGNORECASE), "am"),
    (re.compile(rf"{BESIDE}(?<!heiliger ){AFTERNOON}[\s,]{{0,2}}$", re.IGNORECASE), "pm"),
)
"""The part of the day beside an hour, right before it ("Thursday evening at 8") or right behind."""


_DAY_NAMES = "|".join(
    re.escape(name)
    for name in (
        *FULL_WEEKDAYS,
        *(name for name in MONTHS if len(name) > 3 and name not in {"mars", "march"}),
    )
)

with WORDS.section("times", day_names=_DAY_NAMES) as section:
    CANNOT = section.pattern("{cannot}")
    """That the writer cannot come then."""
    NOT_CANNOT = section.pattern("{not_cannot}")
    """What only looks like it."""

    MOVES = section.pattern("{moves}")
    INSTEAD_OF = section.pattern("{instead_of}")
    SAME_TIME = section.pattern("{same_time}")

    PREFERS = section.pattern("{prefers}")
    """Prefers one of two times; which one the words do not say for certain."""

    OPENING = section.pattern("{opening}")
    """Speaks of when a place is open."""
    RECURRING = section.pattern("{recurring}")
    TRAVEL = section.pattern("{travel}")
    """Speaks of when somebody is under way."""

    NOT_BEFORE = section.pattern(r"(?<!\w)(?:{not_before})\s(?:um |at |the |las? |le |les |all'|alle )?$")
    NOT_AFTER = section.pattern(r"(?<!\w)(?:{not_after})\s(?:um |at |the |las? |le |les |às |as )?$")
    """Right before an hour that is an edge of a time."""
    OR_LATER = section.pattern(r"\s?(?:{or_later})")
    OR_EARLIER = section.pattern(r"\s?(?:{or_earlier})")

    ODD_BEFORE = section.pattern(r"\b(?:{odd_before})\s$")
    ODD_AFTER = section.pattern("{odd_after}")
    """Beside a day: it is counted from something else."""

    GREETING = section.pattern("{greeting}")
    SIGNS = section.pattern("{signs}")
    """Names a day or a time, wherever it stands."""
    WEAK_SIGNS = section.pattern("{weak_signs}")
    """Names a time in a sentence that asks for one, or beside a day or an hour."""

    APART = section.pattern(r"\s(?:{apart})\b")
    """Right behind a length that is counted from something else."""
    LASTING = section.pattern(r"\b(?:{lasting})[\s:]{1,2}(?:\w{1,5}\s)?$")
    """Right before a length."""
    CLOCK_BEFORE = section.pattern(r"(?<!\w)(?:{clock_before})\s$")
    """Right before a time of day that is written like a length."""
    ANY_DAY = section.pattern(r"\b(?:{any_day})\b")
    ANEW = section.pattern("{anew}")
    """Asks whether some time is possible."""
    MOVED_TO = section.pattern(r"(?<!\w)(?:{moved_to})\s(?:the |le |la |el |il |den |een |a )?$")
    """Right before the new time of a move."""
    TO_DAY = section.pattern(r"\s?(?:-|–|{to_day})\s?(?:den |le |el |il |de )?")
    """Between the first and the last of several days."""
    SUITS = section.pattern(r"{suits}|\b(?:{proposes})\b")
    """Offers a time without asking."""
CLAUSE_END = re.compile(
    r"[,;](?!\d)|:(?=\s)|\s[–—-]\s|[.!?](?=\s)|\s(?:but|aber|sondern|mais|pero|sino|ma|maar|mas)(?=\s)|\sand (?=(?:would|could|can"
    r"|how|I)\b)",
    re.IGNORECASE,
)
