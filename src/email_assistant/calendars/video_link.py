"""Addresses of video calls in what came from outside."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

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
    return next((link for link in _links(text) if _CALL_HOST.search(urlsplit(link).netloc.lower())), "")


def _links(text: str) -> Iterator[str]:
    yield from links_in(text[:_READ])


def _trimmed(url: str) -> str:
    url = url.rstrip(_TRAILING)
    while url and url[-1] in ")]" and url.count(url[-1]) > url.count("(["[")]".index(url[-1])]):
        url = url[:-1].rstrip(_TRAILING)
    return https_link(url)
