"""The identity of a message, by which it is recognised through whichever graph or run it comes."""

import hashlib
import json

from email_assistant.mail.message import Message


def message_key(mailbox: str, message: Message) -> str:
    """32 hexadecimal digits, the same for one message of the mailbox of that name for ever.

    By the mailbox's own id; mail that was given without one goes by its Message-ID, else by what it says.
    """
    if message.id:
        return key_of_id(mailbox, message.id)
    if message.message_id:
        return _digest(mailbox, "message-id", message.message_id)
    date = message.date.isoformat() if message.date else ""
    return _digest(
        mailbox, "content", message.sender.key, message.subject, message.text, message.quoted, date
    )


def key_of_id(mailbox: str, message_id: str) -> str:
    """`message_key` of the message that the mailbox knows by this id."""
    return _digest(mailbox, "id", message_id)


def _digest(*told: str) -> str:
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:32]
