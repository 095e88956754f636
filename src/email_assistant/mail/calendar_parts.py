"""The calendars that come with a mail (RFC 6047), as text: which parts they are, and how much of them is kept."""

import re
from collections.abc import Iterable

MAX_CALENDARS = 3
"""Most calendar parts of one message that are kept."""

MAX_CALENDAR = 256 * 1024
"""Largest calendar part that is kept, in bytes of UTF-8; half of a calendar would tell half of the truth."""

TOO_MANY = f"The message has more than {MAX_CALENDARS} calendar parts; the others were left out."
TOO_LARGE = "A calendar part of the message is too large and was left out."

_TYPES = frozenset({"text/calendar", "application/ics", "text/x-vcalendar", "application/x-vcalendar"})
_FILE = re.compile(r"(?:text/.*|application/(?:octet-stream|x-.*))")
# Some readers end a line at these; in iCalendar a line ends at CRLF alone (RFC 5545 §3.1).
_OTHER_LINE_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def is_calendar(content_type: str, name: str) -> bool:
    """Whether a part is a calendar, by its media type or by a file name that ends in ".ics"."""
    return content_type in _TYPES or (
        name.lower().endswith(".ics") and _FILE.fullmatch(content_type) is not None
    )


def kept_calendars(texts: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The calendar texts that a message carries, each once and in plain characters, and notes on what was left out.

    Giving the result in again changes nothing.
    """
    cleaned = [text for text in dict.fromkeys(map(_plain, texts)) if text.strip()]
    fitting = [text for text in cleaned if len(text.encode("utf-8")) <= MAX_CALENDAR]
    notes = [TOO_LARGE] if len(fitting) < len(cleaned) else []
    if len(fitting) > MAX_CALENDARS:
        notes.append(TOO_MANY)
    return tuple(fitting[:MAX_CALENDARS]), tuple(notes)


def _plain(text: str) -> str:
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROLS.sub("", _OTHER_LINE_ENDS.sub(" ", text))
    return _SURROGATES.sub("\ufffd", text).lstrip("\ufeff")
