"""Both ways to name the message: as an `email_input`, or as an `email` of three fields."""

from collections.abc import Mapping
from typing import Any

from email_assistant.errors import InputError
from email_assistant.mail.message import Message
from email_assistant.tools.tool import User

FIELDS = ("email_id", "subject", "message")
OPTIONAL = ("sender",)
NOBODY = "unknown@sender.invalid"
"""Stands for a writer whose address is not given: RFC 6761 keeps `.invalid` from ever being a domain."""


def email_input_of(email: object, email_input: Any, user: User) -> Any:
    """The run's message in Gmail form: `email` when it is given, else `email_input`.

    Raises `InputError` when a field of `email` is missing, unknown or of a wrong kind.
    """
    if email is None:
        return email_input
    if not isinstance(email, Mapping):
        raise InputError(f"email must be an object with {', '.join(FIELDS)}")
    for name in FIELDS:
        if name not in email:
            raise InputError(f"email.{name} is missing")
    for name, value in email.items():
        if name not in (*FIELDS, *OPTIONAL):
            raise InputError(
                f"email.{str(name)[:80]} is unknown; there are {', '.join((*FIELDS, *OPTIONAL))}"
            )
        if not isinstance(value, str):
            raise InputError(f"email.{name} must be text")
    return {
        "id": email["email_id"],
        "from": email.get("sender") or NOBODY,
        "to": user.address.email or "desk@recipient.invalid",
        "subject": email["subject"],
        "body": email["message"],
    }


def mail_of(inputs: Mapping[str, Any], user: User) -> Any:
    """The new mail of a run's input in Gmail form, None when it brings none; `email` goes before `email_input`."""
    try:
        return email_input_of(inputs.get("email"), inputs.get("email_input"), user)
    except InputError:
        return {}  # The run itself says what is wrong with its input.


def is_answerable(message: Message) -> bool:
    """Whether the writer's address is known."""
    return message.sender.email != NOBODY
