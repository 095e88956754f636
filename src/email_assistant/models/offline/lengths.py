"""How long a meeting is to be."""

import re
from collections.abc import Iterable

from email_assistant.language.measures import Length, lengths

DEFAULT_MINUTES = 30
_SHORTEST, _LONGEST = 10, 480
_NO_LENGTH = re.compile(r" (?:ago|later|before)\b", re.IGNORECASE)


def minutes_in(text: str) -> int | None:
    """The first length named in minutes or hours, in minutes from 10 to 480; None when there is none."""
    text = " ".join(text.split())
    return minutes_of(lengths(text), text) or None


def minutes_of(found: Iterable[Length], text: str) -> int:
    """The same of lengths that were found in the text; 0 when there is none."""
    for length in found:
        if length.unit in {"minute", "hour"} and not _NO_LENGTH.match(text, length.end):
            minutes = round(length.minutes)
            if _SHORTEST <= minutes <= _LONGEST:
                return minutes
    return 0
