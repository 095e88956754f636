"""What a mail shows, by its structure and a few words: to whom it is put, who vouches for it, whether somebody sells something."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from email_assistant.language.measures import amounts
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline import words
from email_assistant.models.offline.reading import body_words, own_words

LARGE = 1_000
"""A sum, in whatever currency, of which strangers do not write without an offer."""
_LINK = re.compile(r"https?://|\bwww\.", re.IGNORECASE)
_OPENING = 80
"""Characters in which a letter calls its reader by name."""
_ENDING = 400
"""Characters in which a mailing says how to get no more of it."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who the mail is read for; addresses and names in lower case."""

    own: frozenset[str]
    """The user's addresses."""
    desks: frozenset[str] = frozenset()
    """Further addresses whose mail comes to the user."""
    called: frozenset[str] = frozenset()
    """By what names others call them."""
    host: str = ""
    """The authserv-id of the host that receives their mail; "" when unknown."""


def calls(message: Message, called: Collection[str]) -> bool:
    """Whether it calls its reader by one of these names (lower case) where letters do."""
    opening = body_words(message)[:_OPENING].lower()
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", opening) for name in called)


def offers(message: Message) -> bool:
    """Whether it bears a mark of sales: words of advertising or of a lure, a link, a large sum, how to get no more of it."""
    text, whole = own_words(message), f"{message.text}\n{message.signature}"
    if _LINK.search(whole) or words.LURE.search(text) or words.ULTIMATUM.search(text):
        return True
    if any(pattern.search(text) for pattern in words.MARKETING) or words.SMALL_PRINT.search(whole[-_ENDING:]):
        return True
    return any(each.value >= LARGE for each in amounts(text))


def took_part(conversation: Conversation, reader: Reader) -> bool:
    """Whether the user has written in it before."""
    return any(each.sender.key in reader.own for each in conversation.earlier)
