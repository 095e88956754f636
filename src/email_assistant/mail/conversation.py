"""Conversations: which messages belong together, who gets a reply, and the headers that keep it in (RFC 5322 §3.6.4).

Reports that a mail was not delivered: RFC 3464's, and those of programs that tell it in words (qmail, older Exim).
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from email_assistant.errors import InputError
from email_assistant.mail.address import Address, is_email, parse_addresses, unique
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Message, OutgoingMessage
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


def first_id(value: str) -> str:
    """The first Message-ID in a header's value; "" without any."""
    return next(iter(message_ids(value)), "")


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


def reply(
    message: Message,
    *,
    sender: Address,
    own: frozenset[str],
    body: str,
    message_id: str,
    reply_all: bool = True,
    additional: Iterable[Address] = (),
) -> OutgoingMessage:
    """The answer to a message, in its conversation.

    It goes to Reply-To when there is one, else to the sender; an answer to the user's own message goes to
    that message's recipients. With `reply_all` the other recipients stay where they were, unless the message names
    the user neither in To nor in Cc (a blind copy, a mailing list, forwarded mail): then the sender alone is answered.
    The user's own addresses (`own`, as `Address.key`s) are left out unless nobody else remains; `additional` ones are
    added to To as given.
    Raises `InputError` when there is nobody to answer.
    """
    own = own | {sender.key}
    to, cc = _recipients(message, own, reply_all=reply_all)
    to = unique([*to, *additional])
    if not to and not cc:
        raise InputError("the message names nobody to reply to")
    in_reply_to, references = reply_headers(message)
    return OutgoingMessage(
        sender=sender,
        to=to,
        cc=_without(cc, {address.key for address in to}),
        subject=reply_subject(message.subject),
        body=body,
        message_id=message_id,
        in_reply_to=in_reply_to,
        references=references,
        mail_thread_id=message.mail_thread_id,
    )


def new_mail(
    *,
    sender: Address,
    to: Iterable[Address],
    subject: str,
    body: str,
    message_id: str,
) -> OutgoingMessage:
    """A message that starts a conversation; raises `InputError` when it has no recipient."""
    to = unique(to)
    if not to:
        raise InputError("the message has no recipient")
    return OutgoingMessage(sender=sender, to=to, subject=subject, body=body, message_id=message_id)


def names(message: Message, own: frozenset[str]) -> bool:
    """Whether one of these addresses (`Address.key`s) has sent the message or stands in its To or Cc."""
    return any(address.key in own for address in (message.sender, *message.to, *message.cc))


def _recipients(
    message: Message, own: frozenset[str], *, reply_all: bool
) -> tuple[tuple[Address, ...], tuple[Address, ...]]:
    """To and Cc of the answer."""
    is_own = message.sender.key in own
    asked = message.reply_to or _sender(message)
    if not names(message, own):
        # Others who got it do not know that the user did; a list that has put itself into Reply-To is among them.
        seen = {address.key for address in (*message.to, *message.cc)}
        asked, reply_all = _without(asked, seen) or _sender(message), False
    first = message.to if is_own else asked
    to = unique([*first, *message.to] if reply_all else first)
    cc = unique(message.cc) if reply_all else ()
    others_to, others_cc = _without(to, own), _without(cc, own)
    if others_to or others_cc:
        # Only people in Cc are left: they are the ones who are written to.
        return (others_to, others_cc) if others_to else (others_cc, ())
    return unique(first or asked), ()


def _sender(message: Message) -> tuple[Address, ...]:
    return (message.sender,) if message.sender.email else ()


def _without(addresses: Iterable[Address], keys: Iterable[str]) -> tuple[Address, ...]:
    excluded = frozenset(keys)
    return tuple(address for address in addresses if address.key not in excluded)


_DAEMON = re.compile(r"(?:mailer-daemon|postmaster)(?:[+._-].*)?", re.IGNORECASE)
_FIELD = re.compile(r"^([A-Za-z-]{2,30})[ \t]*:[ \t]*(.+)$", re.MULTILINE)
_REFUSED = re.compile(r"(?<![\d.])[45]\d\d[- ](?:#?[45]\.\d{1,3}\.|[A-Za-z<])[^\n]*")
_ALONE = re.compile(r"^[ \t]*<?([^\s<>:]{1,100}@[^\s<>:]{1,200})>?:?[ \t]*$", re.MULTILINE)
_MAX_READ = 30_000
_MAX_REASON = 160


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """A mail that did not reach somebody."""

    recipients: tuple[str, ...]
    """Who was not reached, in lower case; () when it does not say."""
    reason: str
    """What the host that refused it said, on one line; "" when that is not told."""
    message_ids: frozenset[str]
    """Message-IDs that it names: that of the mail is among them, unless a host on its way gave it another one."""
    subject: str
    """Of the mail; "" when it does not say."""
    is_final: bool
    """False as long as it is still being tried."""


def may_report(email_input: Mapping[str, Any]) -> bool:
    """Whether an input of a run, not read yet, may be a report."""
    marks = f"{email_input.get('from')} {email_input.get('headers')}".lower()
    return any(each in marks for each in ("mailer-daemon", "postmaster", "auto-submitted", "x-failed", "<>"))


def is_delivery_report(message: Message) -> bool:
    """Whether a mail system writes it about a mail, going by its headers."""
    headers = message.headers
    is_null = headers.get("return-path", "").strip() == "<>" or bulk_of(message).is_automatic
    return is_null or is_of_daemon(message) or "x-failed-recipients" in headers


def is_of_daemon(message: Message) -> bool:
    """Whether the mail system itself is its sender (RFC 2142 §5)."""
    return _DAEMON.fullmatch(message.sender.email.rpartition("@")[0]) is not None


def delivery_report(message: Message) -> DeliveryReport | None:
    """What it says was not delivered; None for all other mail, and where everything was."""
    if not is_delivery_report(message):
        return None
    text = "\n\n".join((message.text, message.quoted, message.signature))[:_MAX_READ]
    # Every recipient has a block of fields of its own.
    blocks = [dict(_named(block)) for block in re.split(r"\n\s*\n", text)]
    reported = [each for each in blocks if "action" in each and "final-recipient" in each]
    missed = [each for each in reported if _word(each["action"]) == "failed"]
    late = [each for each in reported if _word(each["action"]) == "delayed"]
    sentence = missed or late
    failed = message.headers.get("x-failed-recipients", "")
    reason = _reason(text, sentence)
    if not sentence and (reported or not (failed or (is_of_daemon(message) and reason))):
        return None
    people = [_address(each.get("original-recipient") or each["final-recipient"]) for each in sentence]
    people = people or [each.key for each in parse_addresses(failed)] or _ALONE.findall(text)
    fields = dict(_named(text))
    return DeliveryReport(
        tuple(dict.fromkeys(each.lower() for each in people if is_email(each))),
        reason,
        frozenset((message.in_reply_to, *message.references, *message_ids(text))),
        fields.get("subject", ""),
        is_final=bool(missed) or (not sentence and not reason.startswith("4")),
    )


def _named(block: str) -> list[tuple[str, str]]:
    """Its fields by their names in lower case, the first of a name last, so that it counts."""
    return [(name.lower(), value.strip()) for name, value in reversed(_FIELD.findall(block))]


def _word(value: str) -> str:
    return value.split(maxsplit=1)[0].lower()


def _address(value: str) -> str:
    """Of "rfc822; ana@example.com"."""
    return value.rpartition(";")[2].strip().strip("<>")


def _reason(text: str, lines: list[dict[str, str]]) -> str:
    said = next((each["diagnostic-code"] for each in lines if "diagnostic-code" in each), "")
    if said:
        return one_line(said.partition(";")[2] or said, limit=_MAX_REASON).strip()
    flat = "\n".join(" ".join(each.split()) for each in text.split("\n\n"))  # A sentence goes on over lines.
    found = _REFUSED.search(flat)
    if found:
        return one_line(found[0], limit=_MAX_REASON).strip()
    return next((f"status {each['status']}" for each in lines if "status" in each), "")
