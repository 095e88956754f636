"""Names of months, days and holidays, and the words around them, in seven languages and Japanese."""

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
    THIS_WEEK = section.pattern("{this_week}")
    WEEKS_AHEAD = (
        *((section.pattern(week), int(ahead)) for ahead, week in section.table("weeks_ahead").items()),
        (THIS_WEEK, 0),
    )
    NEXT_BEFORE = section.pattern(r"(?:{next_before})\s?$")
    COMING_BEFORE = section.pattern(r"\b(?:{coming_before})\s$")
    LAST_BEFORE = section.pattern(r"(?:{last_before})\s$")
    DEADLINE_BEFORE = section.pattern(r"\b(?:{deadline_before})(?:\s(?:the|end of|next))?\s?$")
    WEEK_OF_BEFORE = section.pattern(r"\b(?:{week_of_before})(?:\s(?:the|dem))?\s?$")
FULL_WEEKDAYS = tuple(name for name in WEEKDAYS if len(name) > 4 and name not in {"thurs"})
"""Names that are no abbreviations, which would also be other words."""
SIGNS_AHEAD = (
    "tomorrow", "morgen", "demain", "mañana", "domani", "amanhã", "明", "today", "tonight", "this ", "ce ", "cet ", "esta ",
    "questa ", "stamattina", "heute", "aujourd", "hoy", "oggi", "stasera",
    "vandaag", "vano", "vanm", "vana", "hoje", "今", "本日", "yesterday", "gestern", "hier", "ayer", "ieri", "gisteren", "ontem",
    "week", "woche", "semaine", "semana", "settimana", "週",
)  # fmt: skip
"""One of these, in lower case, stands in every text that names a day or a week so; most texts have none and need no closer look."""
NEXT_AFTER = re.compile(r"\s(?:prochaine?|prossim[oa])\b", re.IGNORECASE)
COMING_AFTER = re.compile(r"\s(?:que viene|que vem|coming)\b|,?\sa\.s\.", re.IGNORECASE)
LAST_AFTER = re.compile(r"\s(?:dernier|pasado|scors[oa]|passad[oa]|jl\.|letztens)(?!\w)", re.IGNORECASE)
OF_WEEK = re.compile(
    r"[\s,]{0,2}(?:(?:of|in|on|in der|der|am|de|di|della?|da|em|na|no|van|le|el|op|of the|della|de la|a|の)\s){0,2}"
    r"(?:la\s|the\s|a\s)?の?",
    re.IGNORECASE,
)
"""What may stand between a weekday and its week: "next week, on Tuesday", "am Dienstag nächster Woche"."""
WEEK_ON = tuple(
    (re.compile(pattern, re.IGNORECASE), weeks)
    for pattern, weeks in (
        (
            r"\s(?:week|in acht tagen|en huit|a otto|en ocho(?: días)?|over acht dagen|a oito)\b(?!\s(?:of|after)\b)",
            1,
        ),
        (
            r"\s(?:fortnight|in vierzehn tagen|en quinze|a quindici|en quince(?: días)?|over veertien dagen|a quinze)\b",
            2,
        ),
    )
)
"""Behind a day: so many weeks on ("Thursday week", "jeudi en quinze")."""
_WEEKS, _DAYS = (
    r"(?:weeks?|wochen?|semaines?|semanas?|settiman[ae]|weken)",
    r"(?:days?|tage?n?|jours?|días?|dias?|giorn[io]|dag(?:en)?)",
)
_COUNT = rf"(?P<count>\d{{1,2}}|[^\W\d_]+)\s(?:(?P<week>{_WEEKS})|(?P<day>{_DAYS}))\b"
LATER = re.compile(
    rf"\b(?:in|dans|dentro de|de (?:hoy|aquí) a|fra|tra|daqui a|em|en(?=\s\S+\s(?:semanas?|días?)\b)"
    rf"|over(?=\s(?:een\s|\S+\s(?:weken|dagen)\b)))\s{_COUNT}",
    re.IGNORECASE,
)
"""In so many weeks or days."""
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
