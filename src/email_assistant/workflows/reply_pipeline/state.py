"""State of one run, JSON and ids only, and its mail: given as an `email_input`, or as an `email` of five fields."""

from collections.abc import Mapping
from typing import Any, NotRequired

from typing_extensions import TypedDict

from email_assistant.errors import InputError
from email_assistant.kit.conversations import email_fields
from email_assistant.kit.observer import new_mail
from email_assistant.kit.reply_state import ReplyOutcome, ReplyWork
from email_assistant.mail.email_input import EmailInput
from email_assistant.mail.message import Message
from email_assistant.tools.tool import User

FIELDS = ("id", "subject", "body", "sender", "received_at")
TAKEN_UP = "mail_thread_id"
"""A field that this graph adds: an `email` without it has just come in."""
WAS_TAKEN_UP = "taken_up"
"""The same for an `email_input`."""


class PipelineInput(TypedDict, total=False):
    """Input of a run: one email, in either form."""

    email_input: EmailInput
    email: dict[str, Any]
    """{"id", "subject", "body", "sender", "received_at"}."""


class PipelineState(ReplyOutcome, total=False):
    """Outcome of a run."""

    email: dict[str, Any]
    """{"id", "subject", "body", "sender", "received_at"} of the message that is answered."""
    classification: str
    """One of `calls.CLASSES`."""
    confidence: float
    """0 to 1, of the classification."""
    context: list[str]
    """Texts that were found and used, each with its source."""
    selected_tools: list[str]
    """In the order of `tools.ORDER`."""
    tool_results: dict[str, Any]
    """Tool → {"success", "result", "error", "latency_ms"}."""


class WorkState(PipelineState, ReplyWork):
    """Further fields, which the nodes hand to one another."""

    reasoning: NotRequired[str]
    """Of the classification."""
    generation_confidence: NotRequired[float]
    gaps: NotRequired[list[str]]
    """Places of the draft that nothing supports, as they stand there."""
    tool_ours: NotRequired[dict[str, str]]
    """Tool → what of its result nobody else has worded."""
    facts: NotRequired[list[str]]
    """Facts of the draft with their sources."""
    retrieved: NotRequired[list[dict[str, Any]]]
    """{"source", "score", "text", "kind"} of what stands in `context`."""
    dropped_tools: NotRequired[list[str]]
    """Tools that the model selected and the rules do not allow."""


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
    given = email_fields(email, FIELDS)
    return {
        "id": given["id"],
        "from": given["sender"],
        "to": user.address.email,
        "subject": given["subject"],
        "body": given["body"],
        "date": given["received_at"],
    }
