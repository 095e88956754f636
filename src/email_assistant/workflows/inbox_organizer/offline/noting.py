"""Notes by rule: the first sentences, and those that name numbers. A stand-in for a language model."""

import re

from email_assistant.mail.message import Message
from email_assistant.models.offline.reading import body_words, sentences

SENTENCES = 2
POINTS = 5
MAX_POINT = 200
_NUMBER = re.compile(r"\d")
_LINK = re.compile(r"https://[^\s<>\"')\]]{4,500}")


def key_points(message: Message) -> tuple[str, ...]:
    """The sentences of the message that name a number, bounded."""
    found = [" ".join(each.split()) for each in sentences(body_words(message)) if _NUMBER.search(each)]
    return tuple(dict.fromkeys(each[:MAX_POINT] for each in found))[:POINTS]


def summary(message: Message) -> str:
    """The beginning of the message, without a greeting."""
    found = [each for each in sentences(body_words(message)) if len(each) > 25]
    return " ".join(each[:MAX_POINT] for each in found[:SENTENCES])


def links(message: Message) -> tuple[str, ...]:
    """The https addresses that stand in the message, the first few."""
    return tuple(dict.fromkeys(match.group() for match in _LINK.finditer(message.text[:60_000])))[:POINTS]
