"""An event that a mail proposes, before anybody has agreed to it."""

import re
from dataclasses import dataclass
from datetime import datetime

from email_assistant.mail.address import Address
from email_assistant.mail.html import visible_text
from email_assistant.mail.text import clean

MAX_TITLE = 200
MAX_LOCATION = 300
MAX_DESCRIPTION = 4_000
MAX_ATTENDEES = 200
DEFAULT_MINUTES = 30
"""Length taken for an event that names no end; a note says so wherever it is taken."""

_MAX_RAW = 20_000
_TAG = re.compile(r"<(?:/?[a-z][a-z0-9]{0,15}(?:\s[^<>]{0,2000})?/?>|!--)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EventProposal:
    """What could be put into the owner's calendar; every text came from outside and is data."""

    title: str
    """One line."""
    start: datetime
    """Aware, in `timezone`."""
    end: datetime
    """Aware, in `timezone`, exclusive, after `start`."""
    timezone: str
    """IANA name; the owner's zone when the mail names none of its own, and for whole days."""
    all_day: bool = False
    """Whether it takes whole days: then it runs from midnight to midnight in the owner's zone."""
    location: str = ""
    video_link: str = ""
    """Where the video call is: "" or an https address."""
    attendees: tuple[Address, ...] = ()
    description: str = ""
    """Plain text, at most `MAX_DESCRIPTION` characters."""
    confidence: float = 0.0
    """How certain the reading is, 0 to 1."""
    notes: tuple[str, ...] = ()
    """What a person should know before agreeing, one plain sentence each."""


def plain_description(text: str) -> str:
    """A description as bounded plain text: programs put HTML into it although it is none (RFC 5545 §3.8.1.5)."""
    text = text[:_MAX_RAW]
    if _TAG.search(text):
        text = visible_text(text.replace("\n", "<br>"))[0]
    text = clean(text)[0].strip()
    return text if len(text) <= MAX_DESCRIPTION else text[: MAX_DESCRIPTION - 1].rstrip() + "…"
