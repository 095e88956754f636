"""Lures: mail that calls itself somebody well known, presses, and leads elsewhere."""

import re

from email_assistant.mail.domains import IMITATED, registered
from email_assistant.mail.message import Message
from email_assistant.models.offline import words

_HOST = re.compile(r"https?://(?:[^\s/@<>]{1,100}@)?([\w.-]{3,253})", re.IGNORECASE)
_BRANDS = frozenset(domain.partition(".")[0] for domain in IMITATED)
_MAX_READ = 20_000
_MAX_LINKS = 50


def lure(message: Message) -> str:
    """What makes a message a lure, in one sentence; "" for any other.

    It leads to another host than its sender's and presses, and calls itself a house whose domain is another one or wants the
    key to an account. May read a file: call it in a thread.
    """
    home = registered(message.sender.domain)
    text = "\n".join((message.subject, message.text, message.quoted, message.signature))[:_MAX_READ]
    led = [registered(host.rstrip(".")) for host in _HOST.findall(text)[:_MAX_LINKS]]
    led = [host for host in led if host != home]
    text = " ".join(text.split())
    wants_key, presses = words.LURE.search(text), words.ULTIMATUM.search(text)
    if not led or not (wants_key or presses):
        return ""
    named = _BRANDS.intersection(re.findall(r"[^\W\d_]+", message.sender.name[:200].casefold()))
    brand = next((each for each in sorted(named) if home.partition(".")[0] != each), "")
    if brand and not any(host.partition(".")[0] == brand for host in led):
        return f"It calls itself {message.sender.name}, but comes from {home} and leads to {led[0]}."
    if wants_key and presses:
        return f"It comes from {home}, presses, and leads to {led[0]}."
    return ""
