"""An event that a mail proposes, before anybody has agreed to it, and the address of its video call."""

import re
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

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

MAX_LINK = 2_000
_READ = 50_000
_URL = re.compile(r"https://[^\s<>\"'`\\^{}|]{1,2100}", re.IGNORECASE)
_PLAIN = re.compile(r"https://[!-~]+", re.IGNORECASE)
_HOST = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)+[a-z0-9-]{2,63}(?::\d{1,5})?")
_CALL_HOST = re.compile(
    r"(?:^|[.\d-])(?:meet|meeting|meetings|zoom|teams|webex|whereby|jit|jitsi|video|visio|videocall|bbb|bluejeans|"
    r"gotomeeting|gotomeet|chime|conf|conference)(?=[.\d-])"
)
_TRAILING = ".,;:!?…*_"


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


def https_link(text: str) -> str:
    """The text when it is one https address that a browser would open at the host it shows, else "".

    Addresses with a user name in front of the host, with other than ASCII characters or without a domain name
    are refused: they are how a link looks like another one.
    """
    text = text.strip()
    if len(text) > MAX_LINK or not _PLAIN.fullmatch(text) or any(c in text for c in "<>\"'`\\^{}|"):
        return ""
    try:
        host = urlsplit(text).netloc.lower()
    except ValueError:
        return ""
    return text if _HOST.fullmatch(host) else ""


def links_in(text: str) -> tuple[str, ...]:
    """The https addresses that stand in a text, each once, without the punctuation around them."""
    return tuple(dict.fromkeys(link for match in _URL.finditer(text) if (link := _trimmed(match.group()))))


def call_link(text: str) -> str:
    """The first https address in the text whose host is, by its name, one for video calls; else ""."""
    return next(
        (link for link in links_in(text[:_READ]) if _CALL_HOST.search(urlsplit(link).netloc.lower())), ""
    )


def _trimmed(url: str) -> str:
    url = url.rstrip(_TRAILING)
    while url and url[-1] in ")]" and url.count(url[-1]) > url.count("(["[")]".index(url[-1])]):
        url = url[:-1].rstrip(_TRAILING)
    return https_link(url)
