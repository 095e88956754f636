"""What the observer reads off inputs, outputs and errors."""

import hashlib
from collections.abc import Mapping
from typing import Any

from langchain_core.load import dumps
from langgraph.types import Command

from email_assistant.errors import EmailAssistantError
from email_assistant.journal.plain import fields_of


def new_mail(inputs: Mapping[str, Any]) -> Any:
    """What the run is to deal with; `email` is also the name of an account in some inputs, as a text."""
    if inputs.get("email_input") is not None:
        return inputs["email_input"]
    return inputs["email"] if isinstance(inputs.get("email"), Mapping) else None


def mapping_of(value: Any) -> Mapping[str, Any]:
    """The fields of a state in any of its forms; none for anything else."""
    return value if isinstance(value, Mapping) else fields_of(value) or {}


def update_of(outputs: Any) -> Mapping[str, Any]:
    """What a node's output changes in the state."""
    return mapping_of(outputs.update if isinstance(outputs, Command) else outputs)


def params_of(inputs: Mapping[str, Any], tool_call_id: str) -> dict[str, Any]:
    """What a tool was called with."""
    for message in reversed(inputs.get("messages") or []):
        for call in getattr(message, "tool_calls", []):
            if call["id"] == tool_call_id:
                return dict(call["args"])
    return {}


def digest_of(value: Mapping[str, Any]) -> str:
    """A state told apart from others, without its contents."""
    return hashlib.sha256(dumps(dict(value)).encode()).hexdigest()[:32]


def review_id_of(thread_id: str, title: str) -> str:
    """The id of a card: its title is unique within its run thread."""
    return hashlib.sha256(f"{thread_id}\0{title}".encode()).hexdigest()[:32]


def one_line(error: BaseException) -> str:
    """What a person is told; our own errors say it in a sentence, others need their name."""
    told = str(error) if isinstance(error, EmailAssistantError) else f"{type(error).__name__}: {error}"
    return " ".join(told.split())[:500]
