"""The conversation a state is about, parsed once: a checkpoint holds JSON, and nodes need the message."""

import asyncio
import json
from functools import lru_cache
from typing import Any

from langchain_core.runnables import RunnableConfig

from email_assistant.errors import InputError
from email_assistant.mail.email_input import parse_email_input
from email_assistant.mail.message import Conversation

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


@lru_cache(CACHED)
def _parsed(written: str) -> Conversation:
    return parse_email_input(json.loads(written))


def run_thread_id(config: RunnableConfig) -> str:
    """The LangGraph thread the run belongs to; "local" outside any thread."""
    return str(config.get("configurable", {}).get("thread_id") or "local")
