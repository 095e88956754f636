"""A time as the rules for meetings write it, in the way each language writes it."""

import re
from collections.abc import Mapping

from email_assistant.language.day_words import MONTHS

_WRITTEN = re.compile(
    r"(?:[A-Z][a-z]+day,? )?(?P<d>\d{1,2}) (?P<month>[A-Z][a-z]+) (?P<y>\d{4}), (?P<time>\d{2}:\d{2})(?P<zone> \S{1,20})?"
)
_FORMS: Mapping[str, str] = {
    "de": "den {d}.{m}.{y} um {time} Uhr{zone}",
    "fr": "le {d}/{m}/{y} à {time}{zone}",
    "es": "el {d}/{m}/{y} a las {time}{zone}",
    "ja": "{y}年{m}月{d}日 {time}{zone}",
}


def local_when(when: str, language: str) -> str:
    """`Thursday 26 November 2026, 09:30 CET` in the form of the language; English and other forms stay."""
    found = _WRITTEN.fullmatch(when)
    month = MONTHS.get(found["month"].lower()) if found else None
    if not found or not month or language not in _FORMS:
        return when
    zone = found["zone"] or ""
    return _FORMS[language].format(d=int(found["d"]), m=month, y=found["y"], time=found["time"], zone=zone)
