"""Names of months in seven languages; of days, and the words around them, in English, German, French, Spanish and Japanese."""

import re

_MONTH_NAMES = (
    "january jan januar jänner janvier janv enero ene gennaio januari janeiro",
    "february feb februar février févr febrero febbraio februari fevereiro", "march mar märz mars marzo maart março",
    "april apr avril avr abril abr aprile", "may mai mayo maggio mei maio", "june jun juni juin junio giugno junho",
    "july jul juli juillet juil julio luglio julho", "august aug août agosto ago augustus",
    "september sept sep septembre septiembre setiembre settembre setembro",
    "october oct oktober okt octobre octubre ottobre outubro", "november nov novembre noviembre novembro",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro",
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

DAYS_AHEAD = tuple(
    (re.compile(pattern, re.IGNORECASE), ahead)
    for pattern, ahead in (
        (r"\bday after tomorrow\b|\bübermorgen\b|\baprès-demain\b|\bpasado mañana\b|明後日", 2),
        (r"(?<!after )\btomorrow\b|(?<!guten )(?<!am )\bmorgen\b|(?<!après-)\bdemain\b"
         r"|(?<!pasado )(?<!la )(?<!buena )\bmañana\b|明日", 1),
        (r"\btoday\b|\bthis (?:morning|afternoon|evening)\b|\bheute\b|\baujourd'hui\b|\bhoy\b|今日|本日", 0),
        (r"(?<!before )\byesterday\b|(?<!vor)\bgestern\b|(?<!avant-)\bhier soir\b|\bayer\b", -1),
        (r"\bday before yesterday\b|\bvorgestern\b|\bavant-hier\b|\banteayer\b", -2),
    )
)  # fmt: skip
THIS_WEEK = re.compile(
    r"\bthis week\b|\bdiese[rn]? woche\b|\bcette semaine\b|\besta semana\b|今週", re.IGNORECASE
)
WEEKS_AHEAD = tuple(
    (re.compile(pattern, re.IGNORECASE), ahead)
    for pattern, ahead in (
        (r"\bweek after next\b|\bübernächste[nr]? woche\b|再来週", 2),
        (r"(?<!after )\bnext week\b|\b(?:nächste[nr]?|kommende[nr]?) woche\b|\bsemaine prochaine\b"
         r"|\bla próxima semana\b|\bla semana que viene\b|(?<!再)来週", 1),
        (THIS_WEEK.pattern, 0),
        (r"\blast week\b|\bletzte[nr]? woche\b|\bla semaine dernière\b|\bla semana pasada\b", -1),
    )
)  # fmt: skip
NEXT_BEFORE = re.compile(r"(?:\bnext|\bnächste[nrsm]?|来週の?)\s?$", re.IGNORECASE)
NEXT_AFTER = re.compile(
    r"[\s,]{0,2}(?:of\s|in\sder\s)?(?:next week|nächster? woche|de la semaine prochaine)", re.IGNORECASE
)
LAST_BEFORE = re.compile(
    r"(?:\bblack|\bgood|\blast|\bpast|\bletzte[nrsm]?|\bvorige[nrsm]?|\bvergangene[nrsm]?|\bel pasado|先週の?)\s$",
    re.IGNORECASE,
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
