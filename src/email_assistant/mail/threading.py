"""Conversations: which messages belong together, and the headers that keep replies in (RFC 5322 §3.6.4)."""

import re

from email_assistant.mail.message import Message
from email_assistant.mail.text import one_line

_MAX_REFERENCES = 30
_MESSAGE_ID = re.compile(r"<[^<>\s]+>")
_WRITABLE_ID = re.compile(r"<[!-;=?-~]{1,900}>")
_FOLDED_ID = re.compile(r"<[^<>]{1,2000}>")
_REPLY_PREFIX = re.compile(
    r"(?:re|aw|antw|antwort|sv|vs|vl|ref|rif|res|odp|ynt|yan|回复|回覆|答复|答覆|返信|รีพลาย|ответ|отв)"
    r"\s?(?:\[\d{1,4}\]|\(\d{1,4}\)|\*\d{1,4})?\s?[:：]\s*",
    re.IGNORECASE,
)


def message_ids(value: str) -> tuple[str, ...]:
    """Every Message-ID in a header's value with its angle brackets, in order, each once.

    A value without any bracket counts as one bare id when it is a single word.
    """
    # Some senders fold a long id in the middle; white space inside brackets is never part of it.
    joined = _FOLDED_ID.sub(lambda match: re.sub(r"\s+", "", match.group()), value)
    found = _MESSAGE_ID.findall(joined)
    if not found and "<" not in value and ">" not in value and len(value.split()) == 1:
        found = [f"<{value.strip()}>"]
    return tuple(dict.fromkeys(found))


def thread_root(message_id: str, in_reply_to: str, references: tuple[str, ...]) -> str:
    """The Message-ID a conversation began with, as far as this message knows; "" without any id."""
    return references[0] if references else in_reply_to or message_id


def is_writable_id(value: str) -> bool:
    """Whether a header may hold this Message-ID: printable ASCII in brackets, within a line (RFC 5322 §2.1.1, §3.6.4)."""
    return _WRITABLE_ID.fullmatch(value) is not None


def reply_headers(message: Message) -> tuple[str, tuple[str, ...]]:
    """In-Reply-To and References of a reply (RFC 5322 §3.6.4); ("", ()) when the message has no Message-ID.

    Ids that no header may hold are left out: such a message is answered all the same. Of a long list the first
    reference and the latest ones stay, which is what mail programs thread by.
    """
    if not is_writable_id(message.message_id):
        return "", ()
    earlier = message.references or ((message.in_reply_to,) if message.in_reply_to else ())
    chain = [
        *dict.fromkeys(
            reference
            for reference in earlier
            if reference != message.message_id and is_writable_id(reference)
        ),
        message.message_id,
    ]
    if len(chain) > _MAX_REFERENCES:
        chain = [chain[0], *chain[-(_MAX_REFERENCES - 1) :]]
    return message.message_id, tuple(chain)


def reply_subject(subject: str) -> str:
    """The subject of a reply: exactly one "Re: " in front, whatever prefixes were there."""
    return f"Re: {base_subject(subject)}".rstrip()


def base_subject(subject: str) -> str:
    """The subject without its reply prefixes, on one line."""
    rest = one_line(subject)
    position = 0
    while match := _REPLY_PREFIX.match(rest, position):
        position = match.end()
    return rest[position:]
