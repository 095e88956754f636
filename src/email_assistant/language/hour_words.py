"""The words of clock times and parts of the day, in English, German, French, Spanish, Italian, Dutch and Portuguese."""

import re

from email_assistant.language.words import WORDS

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
