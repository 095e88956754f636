"""Messages to be sent: who gets a reply, which headers keep it in the conversation, and their wire form."""

from collections.abc import Iterable

from email_assistant.errors import InputError
from email_assistant.mail.address import Address, unique
from email_assistant.mail.message import Message, OutgoingMessage
from email_assistant.mail.threading import reply_headers, reply_subject
from email_assistant.mail.wire import from_bytes, to_bytes

__all__ = ["from_bytes", "names", "new_mail", "reply", "to_bytes"]


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
    cc: Iterable[Address] = (),
) -> OutgoingMessage:
    """A message that starts a conversation; raises `InputError` when it has no recipient."""
    to = unique(to)
    cc = _without(unique(cc), {address.key for address in to})
    if not to and not cc:
        raise InputError("the message has no recipient")
    return OutgoingMessage(sender=sender, to=to, cc=cc, subject=subject, body=body, message_id=message_id)


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
