"""How long a meeting is to be."""

import re

from email_assistant.language.lengths import lengths

DEFAULT_MINUTES = 30
_SHORTEST, _LONGEST = 10, 480
_NO_LENGTH = re.compile(r" (?:ago|later|before)\b", re.IGNORECASE)


def minutes_in(text: str) -> int | None:
    """The first length named in minutes or hours, in minutes from 10 to 480; None when there is none."""
    text = " ".join(text.split())
    for length in lengths(text):
        if length.unit in {"minute", "hour"} and not _NO_LENGTH.match(text, length.end):
            minutes = round(length.minutes)
            if _SHORTEST <= minutes <= _LONGEST:
                return minutes
    return None
