"""Both ways to name the message: as an `email_input`, or as an `email` of five fields."""

from collections.abc import Mapping
from typing import Any

from email_assistant.errors import InputError
from email_assistant.kit.observed import new_mail
from email_assistant.mail.message import Message
from email_assistant.tools.tool import User
from email_assistant.workflows.reply_pipeline.state import WorkState

FIELDS = ("id", "subject", "body", "sender", "received_at")
TAKEN_UP = "mail_thread_id"
"""A field that this graph adds: an `email` without it has just come in."""
WAS_TAKEN_UP = "taken_up"
"""The same for an `email_input`."""


def email_input_of(state: WorkState, user: User) -> Any:
    """The run's message in Gmail form, taken up: whichever of `email` and `email_input` has just come in.

    Raises `InputError` when a field of `email` is missing, unknown or of a wrong kind, and when both came in, with
    different messages: in one input, or one after the other because the first could not be taken up.
    """
    email, given = state.get("email"), state.get("email_input")
    if email is None or (isinstance(email, Mapping) and TAKEN_UP in email):
        return _taken_up(given)
    if given is None or (isinstance(given, Mapping) and WAS_TAKEN_UP in given):
        return _taken_up(_in_gmail_form(email, user))
    if not isinstance(email, Mapping) or not isinstance(given, Mapping) or email.get("id") != given.get("id"):
        raise InputError(
            "email and email_input name different messages; start a run on a thread of its own for each"
        )
    return _taken_up(given)


def mail_of(inputs: Mapping[str, Any], user: User) -> Any:
    """Which mail a run is started with, for the journal; see `MailOf`."""
    given, email = new_mail(inputs), inputs.get("email")
    if given is not None or email is None:
        return given
    try:
        return _in_gmail_form(email, user)
    except InputError:
        return {}


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


def _taken_up(email_input: Any) -> Any:
    return {**email_input, WAS_TAKEN_UP: True} if isinstance(email_input, Mapping) else email_input


def _in_gmail_form(email: Any, user: User) -> dict[str, Any]:
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
