"""Readers of the inputs, outputs and errors that the observer is handed."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from langgraph.types import Command

from email_assistant.errors import EmailAssistantError
from email_assistant.journal.json_values import fields_of

PERFORMED = "performed"
"""False among the extras of a call's answer where it was neither done nor tried, because a person or newer mail came first."""
REASONS = ("reason", "triage_reason", "reasoning")
"""The fields of a node's update that say why the work on a mail has ended, whichever graph it is."""
MailOf = Callable[[Mapping[str, Any]], Any]
"""Reads off a run's input which mail it is to deal with, as an `email_input`; None when it brings none. Never raises:
a mail that cannot be read is given as something that is no `email_input`, and the run itself says what is wrong."""


def new_mail(inputs: Mapping[str, Any]) -> Any:
    """The mail of a run that is started with an `email_input`."""
    return inputs.get("email_input")


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


def review_id_of(thread_id: str, title: str) -> str:
    """The id of a card: its title is unique within its run thread."""
    return hashlib.sha256(f"{thread_id}\0{title}".encode()).hexdigest()[:32]


def one_line(error: BaseException) -> str:
    """What a person is told; our own errors say it in a sentence, others need their name."""
    told = str(error) if isinstance(error, EmailAssistantError) else f"{type(error).__name__}: {error}"
    return " ".join(told.split())[:500]
