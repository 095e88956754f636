"""Deadlines that a text names: "by Friday", "due 25 November", "bis morgen", "within 24 hours"."""

import math
import re
from datetime import date

from email_assistant.models.offline.days import find_days
from email_assistant.models.offline.reading import sentences

MAX_SENTENCES = 200
MAX_SENTENCE = 400
_MARK = re.compile(
    r"\b(?:no later than|not later than|at the latest by|due(?: (?:on|by|date is|date:))?|deadline(?: (?:is|on|of))?|by(?: the end of)?|"
    r"until|before|expires?(?: on)?|bis(?: zum| spätestens(?: zum)?)?|spätestens(?: am)?|fällig(?: am)?|frist(?: bis)?(?: zum)?|"
    r"avant(?: le)?|d'ici(?: le)?|au plus tard(?: le)?|échéance(?: le)?|antes del?|hasta(?: el)?|a más tardar(?: el)?|vence(?: el)?)"
    r"(?=[\s:,])",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"\b(?:within|in the next|innerhalb (?:von|der nächsten)|binnen|dans les|sous|en un plazo de|dentro de)\s(?:the next\s)?"
    r"(?P<n>\d{1,3})\s?(?P<unit>hours?|days?|weeks?|stunden?|tagen?|wochen?|heures?|h|jours?|semaines?|horas?|días?|semanas?)\b",
    re.IGNORECASE,
)
_TODAY = re.compile(
    r"\b(?:due|by|before|until|bis|avant|d'ici|hasta|antes de|fällig|vence)\s(?:the\s)?"
    r"(?:today|tonight|end of (?:the )?(?:day|business)|eod|cob|heute(?: abend)?|ce soir|aujourd'hui|hoy|esta noche)\b",
    re.IGNORECASE,
)


def days_left(text: str, received: date, today: date) -> int | None:
    """Days from `today` to the nearest deadline that is not over by more than a day; None without one."""
    found = [
        day for sentence in sentences(text)[:MAX_SENTENCES] for day in _in(sentence[:MAX_SENTENCE], received)
    ]
    left = [(day - today).days for day in found]
    return min((number for number in left if number >= -1), default=None)


def _in(sentence: str, received: date) -> list[date]:
    days = [received] if _TODAY.search(sentence) else []
    for match in _WITHIN.finditer(sentence):
        ordinal = received.toordinal() + math.ceil(int(match["n"]) * _length(match["unit"]))
        days.append(date.fromordinal(ordinal))
    if _MARK.search(sentence):
        # A day after such a word is none to meet on, and would be passed over.
        found, _ = find_days(_MARK.sub(" on ", sentence), received, day_first=True)
        days += [each.days[-1] for each in found if each.days]
    return days


def _length(unit: str) -> float:
    """Of a unit of time, in days."""
    name = unit.lower()
    if name.startswith(("semana", "semaine", "week", "woche")):
        return 7
    if name.startswith(("hour", "stunde", "heure", "hora")) or name == "h":
        return 1 / 24
    return 1
