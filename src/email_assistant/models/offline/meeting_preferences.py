"""How long the user's meetings are and when the first may begin, by the lines of a profile that rules can read."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, time

from email_assistant.language.folding import fold
from email_assistant.language.hours import find_hours
from email_assistant.language.lengths import lengths
from email_assistant.language.number_words import whole_numbers
from email_assistant.models.offline.lengths import minutes_in

_CLAUSE_END = re.compile(r"[.;,!](?=\s|$)|\s(?:and|but)\s", re.IGNORECASE)
_MEETINGS = r"(?:meetings?|calls?|appointments?)"
_LENGTH = re.compile(
    rf"(?:my |all |our |all my )?{_MEETINGS} (?:are|is|take|last|should (?:be|take|last)|of) (?P<length>\S.*?)(?: long| each)?"
    r"(?: by default| as a rule| unless .*)?",
    re.IGNORECASE,
)
_EARLIEST = re.compile(
    rf"(?:(?:never|nothing|not)(?: {_MEETINGS})?|no {_MEETINGS}) before (?P<hour>\S.*)", re.IGNORECASE
)
_POLITE = frozenset({"", "please", "thanks", "thank you"})


@dataclass(frozen=True, slots=True)
class MeetingPreferences:
    """What holds for meetings that rules propose; None where no line says so."""

    minutes: int | None = None
    """How long a meeting is for which nobody names a length."""
    earliest: time | None = None
    """In the user's zone."""


def meeting_preferences(lines: Iterable[str]) -> MeetingPreferences:
    """What the lines say, of lines that contradict each other the last; those not understood to the end say nothing."""
    found = MeetingPreferences()
    for line in lines:
        found = _after(line, found) or found
    return found


def is_understood(line: str) -> bool:
    """Whether rules can follow all that this line says."""
    return _after(line, MeetingPreferences()) is not None


def _after(line: str, known: MeetingPreferences) -> MeetingPreferences | None:
    """What is known after a line; None when a part of it is not understood, or nothing is said."""
    clauses = [clause.strip(" -*•\t") for clause in _CLAUSE_END.split(line)]
    told = [clause for clause in clauses if clause.lower() not in _POLITE]
    for clause in told:
        if (minutes := _minutes(clause)) is not None:
            known = replace(known, minutes=minutes)
        elif (earliest := _earliest(clause)) is not None:
            known = replace(known, earliest=earliest)
        else:
            return None
    return known if told else None


def _minutes(clause: str) -> int | None:
    match = _LENGTH.fullmatch(clause)
    if match is None:
        return None
    named = list(lengths(match["length"]))
    whole = len(named) == 1 and (named[0].start, named[0].end) == (0, len(match["length"]))
    return minutes_in(match["length"]) if whole else None


def _earliest(clause: str) -> time | None:
    match = _EARLIEST.fullmatch(clause)
    if match is None:
        return None
    hour = fold(match["hour"])
    in_words = [n for n in whole_numbers(hour, language="en") if (n.start, n.end) == (0, len(hour))]
    text = f"at {in_words[0].value if in_words else hour}"
    found = [each for each in find_hours(text, UTC) if each.end == len(text)]
    return found[0].at if len(found) == 1 and found[0].start == 0 and not found[0].until else None
