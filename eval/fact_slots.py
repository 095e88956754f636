"""What fills the slots of the drafts for the fact check, and how each value is written in each form."""

import json
from collections.abc import Callable, Mapping
from datetime import date, time, timedelta
from pathlib import Path
from random import Random
from typing import Any

TODAY = date(2026, 11, 20)
_WRITTEN: Mapping[str, Any] = json.loads(
    (Path(__file__).parent / "facts" / "slots.json").read_text(encoding="utf-8")
)
"""Names to choose from; and months, days, numbers from two on and units, by language."""
_OWN = "Alex Doe"


def _date(rng: Random, name: str) -> date:
    return TODAY + timedelta(days=-rng.randint(3, 60) if name == "d0" else rng.randint(2, 80))


def _money(rng: Random, _: str) -> int:
    return rng.choice((rng.randint(500, 9_999), rng.randint(10_000, 99_999), rng.randint(100_000, 899_999)))


MAKERS: Mapping[str, Callable[[Random, str], Any]] = {
    "d": _date,
    "m": _money,
    "t": lambda rng, name: time(rng.randint(14, 18) if name == "t2" else rng.randint(8, 13), rng.choice((0, 0, 30, 15))),
    "n": lambda rng, _: rng.randint(2, 16),
    "p": lambda rng, _: rng.choice((5, 7, 8, 10, 12, 15, 19, 20, 25, 30)),
    "q": lambda rng, _: (rng.randint(2, 16), rng.randrange(3)),
    "order": lambda rng, _: rng.choice((f"#A-{rng.randint(1000, 9999)}", f"BK{rng.randint(10000, 99999)}", f"{rng.randint(100, 999)}-{rng.randint(10000, 99999)}")),  # noqa: E501
    "invoice": lambda rng, _: f"{rng.choice(('INV', 'RE', 'F'))}-2026-{rng.randint(100, 9999):04}",
    "track": lambda rng, _: f"{rng.choice(('JD', '00', '1Z'))}{rng.randint(10**11, 10**12 - 1)}",
    "first": lambda rng, _: rng.choice(_WRITTEN["first"]),
    "last": lambda rng, _: rng.choice(_WRITTEN["last"]),
    "colleague": lambda rng, _: rng.choice(_WRITTEN["colleagues"]),
    "brand": lambda rng, _: rng.choice(_WRITTEN["brands"]),
    "phone": lambda rng, _: f"+49 {rng.choice((30, 40, 89, 221))} {rng.randint(1_000_000, 9_999_999)}",
    "link": lambda rng, _: f"https://shop.example/{rng.choice(('desk', 'plan', 'info'))}/{rng.randint(10, 999)}",
    "email": lambda rng, _: f"{rng.choice(('office', 'course', 'hello', 'events'))}{rng.randint(1, 99)}@studio.example",
    "own": lambda _, __: _OWN,
}  # fmt: skip
KINDS = {
    "d": "date", "m": "price", "t": "time", "n": "number", "p": "percentage", "q": "duration", "order": "id", "invoice": "id",
    "track": "id", "first": "name", "last": "name", "colleague": "name", "brand": "name", "phone": "phone", "link": "link",
    "email": "email",
}  # fmt: skip


def maker(name: str) -> str:
    """The kind of slot that a name such as `d1` or `order` is of."""
    return name if name in MAKERS else name.rstrip("0123456789")


def written(name: str, value: Any, form: str, language: str) -> str:
    """A value in one of the forms of its kind."""
    slot = maker(name)
    match slot:
        case "d":
            return _day(value, form)
        case "m":
            return _amount(value, form)
        case "t":
            return _clock(value, form)
        case "n":
            return _count(value, {"words": "en", "german": "de"}.get(form, ""))
        case "p":
            return f"{value}{ {'word': ' percent', 'german': ' Prozent'}.get(form, ' %' if language in {'de', 'fr', 'es'} else '%') }"
        case "q":
            count, unit = value
            units = _WRITTEN["units"]["de" if form == "german" else "en"]
            return f"{_count(count, 'en' if form == 'words' else '')} {units[unit]}"
        case _:
            return str(value)


def _count(value: int, words: str) -> str:
    return str(_WRITTEN["words"][words][value - 2] if words else value)


def _day(value: date, form: str) -> str:
    months = {language: names[value.month - 1] for language, names in _WRITTEN["months"].items()}
    days = {language: names[value.weekday()] for language, names in _WRITTEN["days"].items()}
    english = f"{value.day} {months['en']}"
    return {
        "iso": value.isoformat(),
        "long": f"{english} {value.year}" if value.day % 2 else english,
        "short": f"{months['en'][:3]} {value.day}",
        "weekday": f"{days['en']}, {english}",
        "german": f"{value.day}.{value.month}.{value.year}"
        if value.day % 2
        else f"{value.day:02}.{value.month:02}.",
        "germanlong": f"{days['de']}, {value.day}. {months['de']}",
        "french": f"{value.day} {months['fr']}",
        "spanish": f"{value.day} de {months['es']}",
    }[form]


def _amount(cents: int, form: str) -> str:
    english = f"{cents / 100:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    return {"code": f"{english} EUR", "sign": f"€{english}", "german": f"{german} €"}[form]


def _clock(value: time, form: str) -> str:
    minutes = f":{value.minute:02}" if value.minute else ""
    return {
        "h24": f"{value:%H:%M}",
        "h12": f"{(value.hour - 1) % 12 + 1}{minutes} {'am' if value.hour < 12 else 'pm'}",
        "uhr": f"{value.hour}{minutes} Uhr",
    }[form]
