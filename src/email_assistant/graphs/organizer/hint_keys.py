"""What a category hint can be about: mail that nobody answers, told by its list or its sender."""

from email_assistant.mail.bulk import bulk_of
from email_assistant.mail.message import Message

_MAX_KEY = 300


def hint_keys(message: Message, *, is_correspondent: bool) -> tuple[str, ...]:
    """The keys under which corrections of this message count, the most telling first; () for two-way mail."""
    if is_correspondent or message.in_reply_to or not bulk_of(message).one_way:
        return ()
    identity = message.headers.get("list-id", "").rpartition("<")[2].strip("<> \t\r\n").lower()
    keys = [f"list:{identity}"] if identity else []
    keys += [f"sender:{message.sender.key}"] if message.sender.email else []
    return tuple(key[:_MAX_KEY] for key in keys)
