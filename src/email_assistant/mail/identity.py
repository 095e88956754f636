"""What a message is recognised by, through whichever graph or run it comes."""

import hashlib
import json

from email_assistant.mail.message import Message


def message_key(mailbox: str, message: Message) -> str:
    """32 hexadecimal digits, the same for one message of the mailbox of that name for ever.

    By the mailbox's own id; mail that was given without one goes by its Message-ID, else by what it says.
    """
    if message.id:
        told = ["id", message.id]
    elif message.message_id:
        told = ["message-id", message.message_id]
    else:
        date = message.date.isoformat() if message.date else ""
        told = ["content", message.sender.key, message.subject, message.text, message.quoted, date]
    return hashlib.sha256(json.dumps([mailbox, *told]).encode()).hexdigest()[:32]
