"""A model's tool calls in a form in which each can be answered."""

import uuid
from collections.abc import Collection
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage

MAX_CALLS = 8
"""Tool calls of one turn that are worked on."""


def normalised(reply: AIMessage, known: Collection[str] = ()) -> AIMessage:
    """The reply with every call answerable: unreadable calls kept as calls with unreadable arguments, ids unique, and none of `known`."""
    calls: list[Any] = []
    for call in [*reply.tool_calls, *reply.invalid_tool_calls]:
        args = call["args"] if isinstance(call["args"], dict) else {"unreadable": str(call["args"])[:500]}
        taken = {*known, *(c["id"] for c in calls)}
        call_id = call["id"] if call["id"] and call["id"] not in taken else f"call_{uuid.uuid4().hex}"
        calls.append({"name": call["name"] or "unnamed", "args": args, "id": call_id})
    return AIMessage(
        content=reply.text or "", tool_calls=calls, id=reply.id, usage_metadata=reply.usage_metadata
    )


def surplus(reply: AIMessage) -> list[ToolMessage]:
    """The answers to the calls beyond `MAX_CALLS`: none of them is worked on, and none stays without an answer."""
    told = f"Not done: {MAX_CALLS} calls at once are enough; ask again for what is still wanted."
    return [
        ToolMessage(told, tool_call_id=str(call["id"]), name=call["name"][:60], status="error")
        for call in reply.tool_calls[MAX_CALLS:]
    ]
