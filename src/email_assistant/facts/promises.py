"""Commitments: what the user's side grants, does, assures or claims to have done.

A commitment is a clause in which "I", "we", the company or "you will receive" stands with a verb of a family, or one that
commits by its form alone (`_assured`). It needs a sentence of a source of ours that grants the same. Questions, negated
clauses and restatements of what the other party wants are none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from email_assistant.language.words import WORDS

# ruff: noqa: E501 - a form is easier to read in one line

_OUR = r"(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mi|mis|nuestr\w+)"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tag\w*|mittwoch|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
with WORDS.section("assurances", our=_OUR, day=_DAY) as section:
    _ASSURANCES = {name: section.pattern(form) for name, form in section.table("forms").items()}
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

# Word beginnings of each family, in English, German, French, Spanish.
with WORDS.section("promises") as section:
    _FAMILIES = section.table("families")
    _SUBJECT = section.pattern("{subject}")
    _PERFORMATIVE = section.pattern(r"\b(?:{performative})\b")
    _NEGATED = section.pattern("{negated}")
    # What the other party said, wants or did: no commitment of ours.
    _RESTATED = section.pattern("{restated}")
    # "I will look into a refund", "I will ask whether": an intention about the matter, not its granting.
    _LOOKING = section.pattern(r"\b(?:{looking})\b")
    # What commits to nothing but the conversation itself.
    _HARMLESS = frozenset(section.words("harmless"))
_VERBS = {
    name: re.compile(rf"(?<!\w)(?:{pattern})" if not pattern.startswith(r"\b") else pattern, re.IGNORECASE)
    for name, pattern in _FAMILIES.items()
}
_ANY = re.compile("|".join(f"(?:{pattern})" for pattern in _FAMILIES.values()), re.IGNORECASE)
_FUTURE = re.compile(
    r"\b(?:(?:I|we)(?:'ll| will| shall| am going to| are going to|'m going to|'re going to)"
    r"|(?:our|the|a|my) [\w-]{2,20} (?:will|shall))\s(?:\w+ly |also |then |now |of course |gladly )?(?P<v>[a-z]{2,20})\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:I|we)(?:'ve| have)\s(?:already |just |now |also |since )?(?P<v>[a-z]{2,18}ed|sent|made|paid|done|put|set)\b",
    re.IGNORECASE,
)
_GERMAN_FUTURE = re.compile(r"\b(?:ich|wir) werden?\s[^.]{0,120}?(?P<v>\w{2,20}en)\s*[.!]?$", re.IGNORECASE)
_SENTENCE = re.compile(r"(?:[^.!?\n]|(?<=\d)[.](?=\d|\s?[a-zäöüA-Z])|[.](?=\w))+[.!?]?")
_CLAUSE = re.compile(
    r"\s(?:and|und|et|y)\s(?=(?:I|we|you|our|your|will|have|ich|wir|nous|je)\b)|,\s(?=(?:and|but|which|so|then|because|while|und|aber|denn|sondern|mais|et|pero|y)\b)|;|\s[–—]\s|\sbut\s|\saber\s"
)
_SHORT_ENOUGH = 2_000


@dataclass(frozen=True, slots=True)
class Promise:
    """A clause that commits the user's side, and to what."""

    start: int
    end: int
    families: frozenset[str]


def promises(text: str) -> Iterator[Promise]:
    """The clauses of a draft that commit the user's side, from the subject on."""
    for start, clause, is_question in _clauses(text):
        if is_question or len(clause) > _SHORT_ENOUGH:
            continue
        found = _of_a_family(clause) or _plain_future(clause) or _assured(clause)
        if found:
            yield Promise(start + found[0], start + len(clause.rstrip(" .!,;")), found[1])


def _of_a_family(clause: str) -> tuple[int, frozenset[str]] | None:
    if not (_ANY.search(clause) or _PERFORMATIVE.search(clause)):
        return None
    subject = _SUBJECT.search(clause) or _PERFORMATIVE.search(clause)
    if subject is None or _negated(clause) or _RESTATED.search(clause) or _LOOKING.search(clause):
        return None
    families = frozenset(name for name, verb in _VERBS.items() if verb.search(clause, subject.start()))
    return (subject.start(), families) if families else None


def _plain_future(clause: str) -> tuple[int, frozenset[str]] | None:
    """ "I will …", "we have …": a deed in a verb of no family; sources must have that verb."""
    for pattern in (_FUTURE, _DONE, _GERMAN_FUTURE):
        match = pattern.search(clause)
        if (
            match
            and not _negated(clause)
            and not _LOOKING.search(clause)
            and match["v"].lower() not in _HARMLESS
        ):
            return match.start(), frozenset({f"verb:{_stem(match['v'])}"})
    return None


def _assured(clause: str) -> tuple[int, frozenset[str]] | None:
    """Where a clause commits without a verb of granting, and to what; None when it does not.

    Each form does so whatever its subject, and a negation is part of what it promises ("nobody will see it"). What the other
    party said, wishes, thanks, requests and what is only possible are none.
    """
    if _NO_COMMITMENT.search(clause):
        return None
    found = {
        name: match.start() for name, pattern in _ASSURANCES.items() if (match := pattern.search(clause))
    }
    if deed := _DEED.search(clause):
        found["done"] = deed.start()
    if _SPOKEN_OF.match(clause) and (when := _WHEN.search(clause)):
        found["schedule"] = min(when.start(), len(clause) - len(clause.lstrip()))
    return (min(found.values()), frozenset(found)) if found else None


def _stem(verb: str) -> str:
    return re.sub(r"(?:ed|en|es|s|e|ing)$", "", verb.lower())[:6]


def _negated(clause: str) -> bool:
    """Whether a clause denies; what "I guarantee that it will not …" denies is what it promises."""
    found, pledged = _NEGATED.search(clause), _VERBS["guarantee"].search(clause)
    return found is not None and (pledged is None or found.start() < pledged.start())


def granted(text: str) -> frozenset[str]:
    """The families that a source of ours speaks of without a negation."""
    found: set[str] = set()
    for match in _SENTENCE.finditer(text):
        sentence = match.group()
        if len(sentence) > _SHORT_ENOUGH:
            continue
        found |= set(_assurances_in(sentence))
        if _ANY.search(sentence) and not _NEGATED.search(sentence):
            found |= {name for name, verb in _VERBS.items() if name not in found and verb.search(sentence)}
    return frozenset(found)


def _assurances_in(sentence: str) -> Iterator[str]:
    """What a sentence of a source of ours grants of these."""
    for name, pattern in _ASSURANCES.items():
        if pattern.search(sentence):
            yield name
    if _DEED.search(sentence):
        yield "done"
    if _TIMED.search(sentence):
        yield "schedule"


def _clauses(text: str) -> Iterator[tuple[int, str, bool]]:
    for match in _SENTENCE.finditer(text):
        sentence, at = match.group(), 0
        is_question = sentence.endswith("?")
        for cut in _CLAUSE.finditer(sentence):
            yield match.start() + at, sentence[at : cut.start()], is_question
            at = cut.end()
        yield match.start() + at, sentence[at:], is_question
