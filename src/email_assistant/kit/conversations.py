"""The conversation a state is about, parsed once, and as a model reads it: facts in lines, all that came from mail inside fences.

Beside it what prompts say of the user, and of drafts that were sent back.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.runnables import RunnableConfig

from email_assistant.errors import InputError
from email_assistant.mail.address import format_addresses
from email_assistant.mail.email_input import parse_email_input
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import fence
from email_assistant.tools.tool import User

CACHED = 64


def conversation_of(email_input: Any) -> Conversation:
    """The conversation; raises `InputError` naming the field that is wrong."""
    try:
        written = json.dumps(email_input, sort_keys=True)
    except (TypeError, ValueError):
        raise InputError("email_input must be JSON") from None
    return _parsed(written)


async def aconversation_of(email_input: Any) -> Conversation:
    """The same off the event loop: a long HTML body takes a while the first time."""
    return await asyncio.to_thread(conversation_of, email_input)


def email_fields(email: object, needed: Sequence[str], optional: Sequence[str] = ()) -> Mapping[str, str]:
    """The `email` of a run's input: an object of these fields, all of them text; raises `InputError` naming what is wrong."""
    if not isinstance(email, Mapping):
        raise InputError(f"email must be an object with {', '.join(needed)}")
    known = (*needed, *optional)
    for name in needed:
        if name not in email:
            raise InputError(f"email.{name} is missing")
    for name, value in email.items():
        if name not in known:
            raise InputError(f"email.{str(name)[:80]} is unknown; there are {', '.join(known)}")
        if not isinstance(value, str):
            raise InputError(f"email.{name} must be text")
    return email


@lru_cache(CACHED)
def _parsed(written: str) -> Conversation:
    return parse_email_input(json.loads(written))


def run_thread_id(config: RunnableConfig) -> str:
    """The LangGraph thread the run belongs to; "local" outside any thread."""
    return str(config.get("configurable", {}).get("thread_id") or "local")


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
    newer = {m.id for m in conversation.since}
    labels = [("Message written since" if m.id in newer else "Earlier message", m) for m in earlier]
    blocks = [_block(label, m, timezone, MAX_EARLIER_EACH) for label, m in labels]
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


def user_values(user: User, unnamed: str = "the user") -> dict[str, str]:
    """Values of the prompts' `name`, `email` and `background`."""
    return {
        "name": user.address.name or user.address.email or unnamed,
        "email": user.address.email or "unknown",
        "background": user.background or "Nothing is known.",
    }


def corrections(said: Sequence[str], previous: str = "", left_out: Sequence[str] = ()) -> str:
    """A draft that was sent back, what the person said about drafts, the oldest first, and what the last attempt left out."""
    lines = [f"Your earlier draft was:\n{previous}\n\n"] if previous else []
    lines += [f"The person says: {each}\n" for each in said]
    lines += [f"Your last attempt left out: {each}\n" for each in left_out]
    return "".join([*lines, "\n"]) if lines else ""
