"""Names of months and days, and the words around days, clock times and offers, in English, German, French and Spanish.

Which days and hours are meant is for `days` and `hours` to say. The words around them tell what may not be taken for an offer, and what of
a sentence nobody has understood.
"""

import re
from collections.abc import Iterable
from typing import Literal

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
    AHEAD_OF: dict[str, tuple[Literal["day", "week"], int]] = {}
    """What a group of `AHEAD` means: so many days or weeks after the text's own."""
    _ahead = []
    for _kind, _table in (("day", "ahead"), ("week", "weeks_ahead")):
        for _number, _words in section.table(_table).items():
            _name = f"{_kind}{_number.replace('-', '_')}"
            AHEAD_OF[_name] = (_kind, int(_number))  # type: ignore[assignment]
            _ahead.append(f"(?P<{_name}>{_words})")
    AHEAD = section.pattern("|".join(_ahead))
    """Days and weeks that are told from the day of the text: "tomorrow", "next week"."""
    NEXT_BEFORE = section.pattern(r"(?:{next_before})\s?$")
    COMING_BEFORE = section.pattern(r"\b(?:{coming_before})\s$")
    LAST_BEFORE = section.pattern(r"(?:{last_before})\s$")
    DEADLINE_BEFORE = section.pattern(r"\b(?:{deadline_before})(?:\s(?:the|end of|next))?\s?$")
    NEXT_AFTER = section.pattern(r"\s(?:{next_after})\b")
    LAST_AFTER = section.pattern(r"\s(?:{last_after})(?!\w)")
FULL_WEEKDAYS = tuple(name for name in WEEKDAYS if len(name) > 4 and name not in {"thurs"})
"""Names that are no abbreviations, which would also be other words."""
OF_WEEK = re.compile(
    r"[\s,]{0,2}(?:(?:of|in|on|in der|der|am|de|le|el|of the|de la|la)\s){0,2}", re.IGNORECASE
)
"""What may stand between a weekday and its week: "next week, on Tuesday", "am Dienstag nächster Woche"."""


with WORDS.section("hours") as section:
    NOON = section.pattern("{noon}")
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
    REFUSES = section.pattern("{cannot}")
    """Says that something does not suit."""
    MOVES = section.pattern("{moves}")
    DENIES = section.pattern("{cannot}|{denies}|{moves}")
    """Beside a time: it is not offered, or on a condition, or of something else."""
    ODD_BEFORE = section.pattern(r"(?<!\w)(?:{odd_before})\s(?:(?:um|at|the|den|dem|der|las?|les?|el)\s)?$")
    ODD_AFTER = section.pattern(r",?\s(?:{odd_after})(?!\w)")
    """Right beside a day or an hour: it is an edge, or counted from something else."""
    TO_DAY = section.pattern(r"\s?(?:-|–|(?:{to_day})\s(?=\D))\s?")
    """Right behind a day: the first of several."""
    CLOCK_BEFORE = re.compile(r"(?<!\w)(?:at|um|gegen|à|a las?|vers)\s$", re.IGNORECASE)
    LINK = section.pattern(r"[\s,.()&/–-]{0,3}(?:(?:{link})(?!\w)[\s,.]{0,3}){0,4}")
    """What may stand between the days and hours of one offer."""
    GREETING = section.pattern("{greeting}")
    IN_WORDS = section.pattern("{in_words}")
    """Names a day or a time in words that no reader reads: "halb zehn", "Christmas Eve"."""
    SIGNS = section.pattern("{signs}|{in_words}")
    """Names a day or a time, wherever it stands."""
    WEAK_SIGNS = section.pattern("{weak_signs}")
    """Names a time in a sentence that asks for one, or beside a day or an hour."""
    ANEW = section.pattern("{anew}")
    """Asks whether some time is possible."""
    SUITS = section.pattern(r"{suits}|\b(?:{proposes})\b")
    """Offers a time without asking."""
CLAUSE_END = re.compile(
    r"[,;](?!\d)|:(?=\s)|\s[–—-]\s|[.!?](?=\s)|\s(?:but|aber|sondern|mais|pero|sino|ma|maar|mas)(?=\s)|\sand (?=(?:would|could|can"
    r"|how|I)\b)",
    re.IGNORECASE,
)
