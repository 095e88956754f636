"""Names of months and days, and the words around them, in English, German, French, Spanish and Japanese."""

import re

_MONTH_NAMES = (
    "january jan januar jänner janvier janv enero ene", "february feb februar février févr febrero",
    "march mar märz mars marzo", "april apr avril avr abril abr", "may mai mayo",
    "june jun juni juin junio", "july jul juli juillet juil julio",
    "august aug août agosto ago", "september sept sep septembre septiembre setiembre",
    "october oct oktober okt octobre octubre", "november nov novembre noviembre",
    "december dec dezember dez décembre déc diciembre dic",
)  # fmt: skip
MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}

_WEEKDAY_NAMES = (
    "monday mon montag lundi lunes 月", "tuesday tues tue dienstag mardi martes 火",
    "wednesday wed mittwoch mercredi miércoles miercoles 水", "thursday thurs thur thu donnerstag jeudi jueves 木",
    "friday fri freitag vendredi viernes 金", "saturday sat samstag sonnabend samedi sábado sabado 土",
    "sunday sun sonntag dimanche domingo 日",
)  # fmt: skip
WEEKDAYS = {name: number for number, names in enumerate(_WEEKDAY_NAMES) for name in names.split()}
"""Weekdays by their name in lower case, Monday is 0."""
FULL_WEEKDAYS = tuple(name for name in WEEKDAYS if len(name) > 4 and name not in {"thurs"})
"""Names that are no abbreviations, which would also be other words."""

RELATIVE = tuple(
    (re.compile(pattern, re.IGNORECASE), ahead)
    for pattern, ahead in (
        (r"\bday after tomorrow\b|\bübermorgen\b|\baprès-demain\b|\bpasado mañana\b|明後日", 2),
        (r"(?<!after )\btomorrow\b|(?<!guten )(?<!am )\bmorgen\b|(?<!après-)\bdemain\b"
         r"|(?<!pasado )(?<!la )(?<!buena )\bmañana\b|明日", 1),
        (r"\btoday\b|\bthis (?:morning|afternoon|evening)\b|\bheute\b|\baujourd'hui\b|\bhoy\b|今日|本日", 0),
    )
)  # fmt: skip
WEEKS_AHEAD = tuple(
    (re.compile(pattern, re.IGNORECASE), ahead)
    for pattern, ahead in (
        (r"\bweek after next\b|\bübernächste[nr]? woche\b|再来週", 2),
        (r"(?<!after )\bnext week\b|\b(?:nächste[nr]?|kommende[nr]?) woche\b|\bsemaine prochaine\b"
         r"|\bla próxima semana\b|\bla semana que viene\b|(?<!再)来週", 1),
    )
)  # fmt: skip
THIS_WEEK = re.compile(
    r"\bthis week\b|\bdiese[rn]? woche\b|\bcette semaine\b|\besta semana\b|今週", re.IGNORECASE
)

NEXT_BEFORE = re.compile(r"(?:\bnext|\bnächste[nrsm]?|来週の?)\s?$", re.IGNORECASE)
NEXT_AFTER = re.compile(
    r"[\s,]{0,2}(?:of\s|in\sder\s)?(?:next week|nächster? woche|de la semaine prochaine)", re.IGNORECASE
)
LAST_BEFORE = re.compile(
    r"(?:\bblack|\bgood|\blast|\bpast|\bletzte[nrsm]?|\bvorigen|\bel pasado|先週の?)\s$", re.IGNORECASE
)
DEADLINE_BEFORE = re.compile(
    r"\b(?:by|before|until|till|bis(?: zum| spätestens)?|vor dem|avant(?: le)?|antes del?|hasta(?: el)?|than|since|seit)"
    r"(?:\s(?:the|end of|next))?\s?$",
    re.IGNORECASE,
)
WEEK_OF_BEFORE = re.compile(
    r"\b(?:week (?:of|commencing|beginning|starting)|woche (?:vom|ab)|semaine du|semana del)(?:\s(?:the|dem))?\s?$",
    re.IGNORECASE,
)
