"""Both ways to name the message: as an `email_input`, or as an `email` of five fields."""

from collections.abc import Mapping
from typing import Any

from email_assistant.errors import InputError
from email_assistant.graphs.reply_pipeline.state import WorkState
from email_assistant.mail.message import Message
from email_assistant.tools.tool import User

FIELDS = ("id", "subject", "body", "sender", "received_at")
TAKEN_UP = "mail_thread_id"
"""A field that this graph adds: an `email` without it has just come in."""


def email_input_of(state: WorkState, user: User) -> Any:
    """The run's message in Gmail form: `email` when that has just come in, else `email_input`.

    Raises `InputError` when a field of `email` is missing, unknown or of a wrong kind.
    """
    email = state.get("email")
    if email is None or (isinstance(email, Mapping) and TAKEN_UP in email):
        return state.get("email_input")
    if not isinstance(email, Mapping):
        raise InputError("email must be an object with id, subject, body, sender, received_at")
    for name in FIELDS:
        if name not in email:
            raise InputError(f"email.{name} is missing")
        if not isinstance(email[name], str):
            raise InputError(f"email.{name} must be text")
    if unknown := [str(name) for name in email if name not in FIELDS]:
        raise InputError(f"email.{unknown[0][:80]} is unknown; there are {', '.join(FIELDS)}")
    return {
        "id": email["id"],
        "from": email["sender"],
        "to": user.address.email,
        "subject": email["subject"],
        "body": email["body"],
        "date": email["received_at"],
    }


def email_of(message: Message) -> dict[str, Any]:
    """The message in five fields."""
    return {
        "id": message.id,
        "subject": message.subject,
        "body": message.text,
        "sender": message.sender.email or message.sender.name,
        "received_at": message.date.isoformat() if message.date else "",
        TAKEN_UP: message.mail_thread_id,
    }
