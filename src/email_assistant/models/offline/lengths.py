"""How long a meeting is to be: "45 minutes", "half an hour", "eine Stunde", "30分"."""

import re

DEFAULT_MINUTES = 30
_SHORTEST, _LONGEST = 10, 480
_NUMBERS = {
    "one": 1, "an": 1, "a": 1, "two": 2, "three": 3, "eine": 1, "einer": 1, "zwei": 2, "drei": 3, "une": 1, "deux": 2,
    "una": 1, "dos": 2,
}  # fmt: skip
_HOUR_AND_HALF = re.compile(
    r"\b(?:an hour and a half|one and a half hours|anderthalb stunden|eineinhalb stunden|une heure et demie|"
    r"una hora y media)\b|1時間半",
    re.IGNORECASE,
)
_THREE_QUARTERS = re.compile(
    r"\b(?:three[- ]quarters of an hour|dreiviertelstunde|trois quarts d'heure)\b", re.I
)
_HALF_HOUR = re.compile(
    r"\b(?:half an hour|half[- ]hour|halbe(?:n|s)? stunde|(?:une )?demi-heure|media hora)\b", re.IGNORECASE
)
_QUARTER = re.compile(r"\b(?:quarter of an hour|viertelstunde|quart d'heure|cuarto de hora)\b", re.IGNORECASE)
_MINUTES = re.compile(
    r"(?<![\d.,])(?P<n>\d{1,3})[\s-]?(?:min(?:ute)?[ns]?|minuten|minutos)\b|(?P<j>\d{1,3})分", re.I
)
_HOURS = re.compile(
    rf"(?<![\d.,:])(?P<n>\d(?:[.,]\d)?|\b(?:{'|'.join(_NUMBERS)}))(?:[\s-]|d')?"
    r"(?:hours?\b(?! (?:and a half|ago|later|before))|hrs?\b|stunden?\b|heures?\b|horas?\b|時間)",
    re.IGNORECASE,
)
_PHRASES = ((_HOUR_AND_HALF, 90), (_THREE_QUARTERS, 45), (_HALF_HOUR, 30), (_QUARTER, 15))


def minutes_in(text: str) -> int | None:
    """The first length named, in minutes from 10 to 480; None when there is none."""
    text = " ".join(text.split())
    found = [(match.start(), minutes) for pattern, minutes in _PHRASES if (match := pattern.search(text))]
    found += [(m.start(), int(m["n"] or m["j"])) for m in _MINUTES.finditer(text) if not _is_clock(text, m)]
    found += [(m.start(), round(60 * _number(m["n"]))) for m in _HOURS.finditer(text)]
    fitting = [(place, minutes) for place, minutes in found if _SHORTEST <= minutes <= _LONGEST]
    # Of two at one place the phrase counts: "une heure et demie" begins with "une heure".
    return min(fitting, key=lambda pair: pair[0])[1] if fitting else None


def _is_clock(text: str, match: re.Match[str]) -> bool:
    """Whether "30分" belongs to a time of day such as 15時30分."""
    return match["j"] is not None and text[: match.start()].endswith("時")


def _number(word: str) -> float:
    return float(_NUMBERS.get(word.lower()) or word.replace(",", "."))
