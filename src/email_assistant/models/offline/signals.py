"""What a mail shows, by its structure and a few words: to whom it is put, who vouches for it, whether somebody sells something."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from email_assistant.language.measures import amounts
from email_assistant.mail.message import Message
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
    """Who the mail is read for; addresses in lower case."""

    own: frozenset[str]
    """The user's addresses."""
    desks: frozenset[str] = frozenset()
    """Further addresses whose mail comes to the user."""
    called: frozenset[str] = frozenset()
    """By what names others call them, see `has_name`."""
    host: str = ""
    """The authserv-id of the host that receives their mail; "" when unknown."""


def has_name(text: str, called: Collection[str]) -> bool:
    """Whether one of these names stands in the text: one in lower case in any spelling, another as it is ("Price" is no price)."""
    return any(
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE if name.islower() else 0)
        for name in called
    )


def calls(message: Message, called: Collection[str]) -> bool:
    """Whether it calls its reader by one of these names where letters do; see `has_name`."""
    return has_name(body_words(message)[:_OPENING], called)


def sells(message: Message) -> bool:
    """Whether it bears a mark of sales: words of advertising or of a lure, a link, a large sum, how to get no more of it."""
    text, whole = own_words(message), f"{message.text}\n{message.signature}"
    if _LINK.search(whole) or words.LURE.search(text) or words.ULTIMATUM.search(text):
        return True
    if any(pattern.search(text) for pattern in words.MARKETING) or tells_how_to_leave(message):
        return True
    return any(each.value >= LARGE for each in amounts(text))


def tells_how_to_leave(message: Message) -> bool:
    """Whether it ends with how to get no more of it, as mailings do that bear no header of one."""
    return words.SMALL_PRINT.search(f"{message.text}\n{message.signature}"[-_ENDING:]) is not None
