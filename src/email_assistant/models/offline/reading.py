"""A message's own words in a form that rules can search: one spelling of each character, bounded, unwrapped.

Recognises text that gives orders to an assistant instead of writing to a person; what marks a mail: to whom it is put, who vouches for it,
whether it sells.
"""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from email_assistant.language.measures import amounts
from email_assistant.language.words import WORDS
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Message
from email_assistant.models.offline import words

HEAD, TAIL = 60_000, 20_000
_GREETING = 4
"""So many words of a first line are no line that was wrapped."""
_URL = re.compile(r"(?i)\b(?:https?://|www\.)\S+|(?<![\w.@-])[a-z][\w-]*(?:\.[\w-]+)*\.[a-z]{2,}/\S*")
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\|)")
_LONGEST_HEADLINE = 10
_LIST_ITEM = re.compile(r"\s*(?:[-*•·–]|\d{1,2}[.)]|\d{1,3} ?[x×])\s")
_SENTENCE_END = re.compile(
    # A full stop ends a sentence only after a word or a clock time: not after "26.", "a.m." or "Nr.".
    r"(?<=[!?。।؟])\s*|(?:(?<=[^\W\d_]{4}\.)|(?<=\d\s[Uu]hr\.)|(?<=\d\suur\.)|(?<=\d\sh\.)|(?<=\dh\.)|(?<=:\d\d\.)|(?<=\d[ap]m\.))\s+(?=[^\W\d_a-zß-ÿ]|[¿¡])|\n"
)
_EDGES = " \t\n>*_"


def cancels(text: str) -> bool:
    """Whether a text calls something off, and does not merely say how that could be done."""
    return words.CANCELLATION.search(words.HOW_TO_CANCEL.sub(" ", text)) is not None


def own_words(message: Message) -> str:
    """Subject and text of the message, without links; of very long text the beginning and the end."""
    return f"{subject_words(message)}\n\n{body_words(message)}"


def subject_words(message: Message) -> str:
    """The subject, with compatibility characters in their plain form (Unicode NFKC)."""
    return _plain(message.subject)[:500]


def body_words(message: Message) -> str:
    """The text, like `own_words` but without the subject. A heading, a row of a table and a mailing's headline ask nothing."""
    text, to_many = _plain(message.text), bulk_of(message).to_many
    return "\n".join(
        line.replace("?", "") if _HEADING.match(line) or (to_many and _is_headline(line)) else line
        for line in text.split("\n")
    )


def _is_headline(line: str) -> bool:
    """True of "What's New This Week?": in capitals but for short words."""
    long = [word for word in re.findall(r"[\w'’-]+", line[:200]) if len(word) > 3]
    return (
        bool(long) and len(line.split()) <= _LONGEST_HEADLINE and not any(word[0].islower() for word in long)
    )


def sentences(text: str) -> tuple[str, ...]:
    """The sentences, list items and headings of a text; lines that were merely wrapped are joined again."""
    return tuple(s for part in _SENTENCE_END.split(_unwrapped(text)) if part and (s := part.strip(_EDGES)))


def _plain(text: str) -> str:
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n\n{text[-TAIL:]}"
    return _URL.sub(" ", unicodedata.normalize("NFKC", text)[: 2 * (HEAD + TAIL)])


def _unwrapped(text: str) -> str:
    """The text with one line a paragraph or list item."""
    paragraphs: list[list[str]] = []
    is_open = False
    for line in text.splitlines():
        if not line.strip():
            is_open = False
        elif is_open and not _LIST_ITEM.match(line):
            paragraphs[-1].append(line.strip())
        else:
            paragraphs.append([line.strip()])
            is_open = len(paragraphs) > 1 or len(line.split()) > _GREETING
    return "\n".join(" ".join(paragraph) for paragraph in paragraphs)


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
    parts += [f"{each.name[:200]}\n|\n{each.text[:_SHORT]}" for each in message.attachments[:50]]
    # The end of one is not read on with the beginning of the next: "Mail Delivery System", "message".
    return re.sub(r"[ \t]+", " ", "\n|\n".join(parts))


def is_order_to_an_assistant(sentence: str) -> bool:
    """Whether a sentence is addressed to an assistant."""
    flat = re.sub(r"\s+", " ", sentence)
    return any(pattern.search(flat) for pattern in _PATTERNS)


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
