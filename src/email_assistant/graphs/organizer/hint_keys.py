"""What a category hint can be about: mail that nobody answers, told by its list or its sender."""

import re

from email_assistant.mail.message import Message

_ROBOT = re.compile(
    r"(?:no-?_?reply|do-?not-?reply|notifications?|newsletters?|news|info|marketing|offers?|updates?)(?:[+._-].*)?",
    re.IGNORECASE,
)
_BULK = frozenset({"bulk", "list", "junk"})
_MAX_KEY = 300


def hint_keys(message: Message, *, is_correspondent: bool) -> tuple[str, ...]:
    """The keys under which corrections of this message count, the most telling first; () for two-way mail."""
    if is_correspondent or not is_one_way(message):
        return ()
    identity = message.headers.get("list-id", "").rpartition("<")[2].strip("<> \t\r\n").lower()
    keys = [f"list:{identity}"] if identity else []
    keys += [f"sender:{message.sender.key}"] if message.sender.email else []
    return tuple(key[:_MAX_KEY] for key in keys)


def is_one_way(message: Message) -> bool:
    """Whether the message was sent to many, or by a machine, and awaits no answer (RFC 2369, RFC 3834)."""
    headers = message.headers
    if headers.get("list-post", "").strip() or message.in_reply_to:
        return False  # A discussion.
    bulk = headers.get("list-id") or headers.get("list-unsubscribe")
    precedence = headers.get("precedence", "").strip().lower() in _BULK
    automatic = headers.get("auto-submitted", "no").strip().lower() not in {"", "no"}
    local = message.sender.email.rpartition("@")[0]
    return bool(bulk or precedence or automatic or _ROBOT.fullmatch(local))
