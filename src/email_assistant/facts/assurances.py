"""Commitments without a verb of granting: assurances, admissions, agreements, and what is to happen at a named time.

Each form commits by itself, whatever its subject, and a negation is part of what it promises ("nobody will see it", "it
won't get dearer"). What the other party said, wishes, thanks, requests and what is only possible are none.
"""

# ruff: noqa: E501 - a form is easier to read in one line

import re
from collections.abc import Iterator

from email_assistant.language.words import WORDS

_OUR = r"(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mi|mis|nuestr\w+)"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tag\w*|mittwoch|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
with WORDS.section("assurances", our=_OUR, day=_DAY) as section:
    _PATTERNS = {name: section.pattern(form) for name, form in section.table("forms").items()}
    _DEED = section.pattern("{deed}")
    _WHEN = section.pattern(r"\b(?:{when})\b")
    _NO_COMMITMENT = section.pattern("{no_commitment}")
_SPOKEN_OF = re.compile(
    rf"^\W*(?:(?:{_DAY}|am \w+|tomorrow|today|morgen|heute|demain|aujourd'hui|mañana|hoy)\W+(?:at \w+ )?)?"
    r"(?:(?:the|a|an|your|my|our|this|someone|somebody|everything|it|one of|i(?:'ll|'m)?|we(?:'ll|'re)?|see you|works?|suits?"
    r"|der|die|das|den|dem|ein|eine|einen|ich|wir|mein\w*|unser\w*|ihr|ihre|steht|kommt|geht|le|la|les|un|une|je|nous|mon|ma|notre|votre|vos|el|los|las|mi|nuestr\w+|su|sale|le llam\w+|me pon\w+)\b)",
    re.IGNORECASE,
)
_TIMED = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b\d\d?[:.h]\d\d\b|{_WHEN.pattern}|\b(?:{_DAY})\b", re.IGNORECASE
)


def assured(clause: str) -> tuple[int, frozenset[str]] | None:
    """Where a clause begins to commit, and to what; None when it does not."""
    if _NO_COMMITMENT.search(clause):
        return None
    found = {name: match.start() for name, pattern in _PATTERNS.items() if (match := pattern.search(clause))}
    if deed := _DEED.search(clause):
        found["done"] = deed.start()
    if _SPOKEN_OF.match(clause) and (when := _WHEN.search(clause)):
        found["schedule"] = min(when.start(), len(clause) - len(clause.lstrip()))
    return (min(found.values()), frozenset(found)) if found else None


def assurances_in(sentence: str) -> Iterator[str]:
    """What a sentence of a source of ours grants of these."""
    for name, pattern in _PATTERNS.items():
        if pattern.search(sentence):
            yield name
    if _DEED.search(sentence):
        yield "done"
    if _TIMED.search(sentence):
        yield "schedule"
