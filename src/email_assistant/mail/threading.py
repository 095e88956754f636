"""Conversations: which messages belong together, and the headers that keep replies in (RFC 5322 §3.6.4)."""

import re
from collections.abc import Collection, Sequence

from email_assistant.mail.bulk import bulk_of
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


def in_order(messages: Sequence[Message]) -> list[Message]:
    """A conversation's messages, given in the order in which the mailbox received them, with every answer after what it answers.

    Clocks differ: what the user has sent, and what bears no later Date than the message it answers, comes after that one, whatever
    the clocks say. Mail that was long on its way stays where it arrived.
    """
    first = {message.message_id: at for at, message in reversed([*enumerate(messages)])}
    answered = [next((first[i] for i in _names(m) if i in first), at) for at, m in enumerate(messages)]
    places, is_settled = list(range(len(messages))), False
    while not is_settled:
        is_settled = True
        for at, message in enumerate(messages):
            is_early = places[answered[at]] > places[at]
            if is_early and (message.sent or not _is_later(message, messages[answered[at]])):
                places[at], is_settled = places[answered[at]], False
    following: dict[int, list[int]] = {}
    for at, place in enumerate(places):
        following.setdefault(answered[at] if place > at else -1, []).append(at)
    found, left = [], following.get(-1, [])[::-1]
    while left:
        at = left.pop()
        found.append(messages[at])
        left += following.get(at, [])[::-1]
    return found


def since(message: Message, conversation: Sequence[Message]) -> list[Message]:
    """What has come after a message, in a conversation that is in order; also when the message was deleted meanwhile.

    What it says it answers was there before, however late a program put that into Sent.
    """
    ids, read = [each.id for each in conversation], _names(message)
    if message.id in ids:
        return [each for each in conversation[ids.index(message.id) + 1 :] if each.message_id not in read]
    return [each for each in conversation if message.message_id in _names(each) or _is_later(each, message)]


def answers(reply: Message, message: Message, conversation: Sequence[Message], own: Collection[str]) -> bool:
    """Whether a later message of the user's (whose addresses `own` are) answers this one of the conversation, which may be deleted.

    It says so, or names nothing of the conversation. What goes to others (a forwarded mail), or was written by a program, is none.
    """
    known = {each.message_id for each in (message, *conversation)}
    named = known.intersection(_names(reply))
    readers = {each.key for each in (*reply.to, *reply.cc)}.difference(own, {reply.sender.key})
    asked = {each.key for each in (message.sender, *message.reply_to)}
    is_for_them = not readers or not readers.isdisjoint(asked)
    return is_for_them and not bulk_of(reply).is_automatic and (message.message_id in named or not named)


def _names(message: Message) -> tuple[str, ...]:
    """The Message-IDs that a message says it answers, the one it is written to first."""
    return tuple(filter(None, (message.in_reply_to, *reversed(message.references))))


def _is_later(message: Message, other: Message) -> bool:
    return bool(message.date and other.date and message.date > other.date)


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
