"""What a category hint can be about: mail that nobody answers, told by its list or its sender."""

from email_assistant.mail.bulk import bulk_of
from email_assistant.mail.message import Message

_MAX_KEY = 300


def hint_keys(message: Message, *, is_correspondent: bool) -> tuple[str, ...]:
    """The key under which corrections of this message count; () for two-way mail.

    Many lists may be sent from one address, so a list is known by its id alone, and only other mail by its sender.
    """
    if is_correspondent or message.in_reply_to or not bulk_of(message).one_way:
        return ()
    identity = message.headers.get("list-id", "").rpartition("<")[2].strip("<> \t\r\n").lower()
    sender = message.sender.key if message.sender.email else ""
    key = f"list:{identity}" if identity else f"sender:{sender}" if sender else ""
    return (key[:_MAX_KEY],) if key else ()
