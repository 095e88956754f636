"""The conversation as a model reads it: facts in lines, everything that came from mail inside fences."""

from datetime import datetime
from zoneinfo import ZoneInfo

from email_assistant.mail.address import format_addresses
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import fence

MAX_CURRENT = 16_000
MAX_EARLIER_EACH = 2_000
MAX_EARLIER = 8
MAX_FORWARDED = 8_000


def conversation_text(
    conversation: Conversation, timezone: str, *, seen: frozenset[str] = frozenset(), forwarded: bool = True
) -> str:
    """The current message and the earlier ones that are not in `seen`, oldest first, bounded in length.

    Unless `forwarded` is off, the first message of a conversation has what stands forwarded or quoted in it: where there are earlier
    messages, that is their text over again; here nothing else holds it.
    """
    earlier = [m for m in conversation.earlier if not m.id or m.id not in seen][-MAX_EARLIER:]
    blocks = [_block("Earlier message", m, timezone, MAX_EARLIER_EACH) for m in earlier]
    current = conversation.current
    below = current.quoted if forwarded and not conversation.earlier else ""
    return "\n\n".join([*blocks, _block("Current message", current, timezone, MAX_CURRENT, below)])


def _block(label: str, message: Message, timezone: str, limit: int, below: str = "") -> str:
    lines = [
        f"From: {format_addresses((message.sender,))}",
        f"To: {format_addresses(message.to)}",
        *([f"Cc: {format_addresses(message.cc)}"] if message.cc else []),
        f"Date: {_local(message.date, timezone)}",
        f"Subject: {message.subject}",
        *[f"Attachment: {a.name} ({a.content_type}, {a.size} bytes)" for a in message.attachments[:10]],
        "",
        _cut(message.text, limit),
        *(["", "[forwarded or quoted in it]", _cut(below, MAX_FORWARDED)] if below else []),
    ]
    return f"{label}:\n{fence(chr(10).join(lines), 'mail')}"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "\n[cut]"


def _local(instant: datetime | None, timezone: str) -> str:
    return instant.astimezone(ZoneInfo(timezone)).strftime("%A %Y-%m-%d %H:%M %z") if instant else "unknown"
