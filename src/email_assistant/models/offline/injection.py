"""Recognises text that gives orders to an assistant instead of writing to a person."""

import re

from email_assistant.language.words import WORDS
from email_assistant.mail.message import Message
from email_assistant.models.offline.reading import own_words

with WORDS.section("orders_to_assistants") as section:
    _PATTERNS = tuple(map(section.pattern, section.lines("orders")))
    _DEEDS = {deed: section.pattern(text) for deed, text in section.table("deeds").items()}
_SHORT = 3_000


def orders_an_assistant(message: Message) -> bool:
    """Whether something in the message is addressed to an assistant: subject, text, signature, names, quoted text."""
    text = _read_by_assistants(message)
    flat = re.sub(r"\s+", " ", text)
    return any(pattern.search(text) or pattern.search(flat) for pattern in _PATTERNS)


def ordered_of(message: Message) -> tuple[str, ...]:
    """What an assistant is told to do there, in words of ours and not the mail's: "forward your mail"."""
    flat = re.sub(r"\s+", " ", _read_by_assistants(message))
    return tuple(deed for deed, pattern in _DEEDS.items() if pattern.search(flat))


def _read_by_assistants(message: Message) -> str:
    parts = [
        own_words(message),
        message.signature[:_SHORT],
        message.sender.name[:200],
        message.quoted[:_SHORT],
    ]
    parts += [attachment.name[:200] for attachment in message.attachments[:50]]
    # The end of one is not read on with the beginning of the next: "Mail Delivery System", "message".
    return re.sub(r"[ \t]+", " ", "\n|\n".join(parts))


def is_order_to_an_assistant(sentence: str) -> bool:
    """Whether a sentence is addressed to an assistant."""
    flat = re.sub(r"\s+", " ", sentence)
    return any(pattern.search(flat) for pattern in _PATTERNS)
