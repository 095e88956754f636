"""State of one run, what each agent found and did, JSON and ids only; and its mail: an `email_input`, or an `email` of three fields."""

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from email_assistant.errors import InputError
from email_assistant.kit.conversations import email_fields
from email_assistant.kit.reply_state import ReplyOutcome, ReplyWork
from email_assistant.mail.email_input import EmailInput
from email_assistant.mail.message import Message
from email_assistant.tools.tool import User

CLASSIFIER, STOCKKEEPER, FULFILLER, ADVISOR, COMPOSER = (
    "classifier", "stockkeeper", "fulfiller", "advisor", "composer",
)  # fmt: skip
NO_ERRORS: dict[str, str | None] = dict.fromkeys((CLASSIFIER, STOCKKEEPER, FULFILLER, ADVISOR, COMPOSER))
"""Takes back the errors of an earlier message."""
FIELDS = ("email_id", "subject", "message")
OPTIONAL = ("sender",)
NOBODY = "unknown@sender.invalid"
"""Stands for a writer whose address is not given: RFC 6761 keeps `.invalid` from ever being a domain."""


def merge_errors(old: Mapping[str, str | None], new: Mapping[str, str | None]) -> dict[str, str | None]:
    """The agents' errors after one more; None takes an agent's error back. Agents that work side by side each write their own."""
    return {agent: text for agent, text in {**(old or {}), **(new or {})}.items() if text}


class OrderInput(TypedDict, total=False):
    """Input of a run: one email, in either form."""

    email_input: EmailInput
    email: dict[str, Any]
    """{"email_id", "subject", "message"} and, when the reply is to be sent, "sender"."""


class OverallState(ReplyOutcome, total=False):
    """The email, what each agent made of it, and what went wrong."""

    email_id: str
    subject: str
    message: str
    classifier: dict[str, Any] | None
    """`calls.EmailAnalysis`."""
    stockkeeper: dict[str, Any] | None
    """{"mentions": [{"mention", "segment_type", "quantity", "everything", "status", "candidates"}]}."""
    fulfiller: dict[str, Any] | None
    """{"order_id", "status", "lines", "total", "held"}; money as text."""
    advisor: dict[str, Any] | None
    """{"answers": [{"question", "answer", "product_ids"}], "unanswered": [question]}."""
    composer: dict[str, Any] | None
    """{"language", "tone", "body", "gaps", "missing", "untold"}; `untold`: ids of orders that are held and that the reply cannot tell."""
    errors: Annotated[dict[str, str | None], merge_errors]
    """Agent → why it failed; agents that did what they should are not in it."""


class OrderWork(OverallState, ReplyWork):
    """Further fields, which the nodes hand to one another."""

    email: NotRequired[dict[str, Any] | None]
    open_orders: NotRequired[list[str]]
    """Orders of this conversation whose stock is held for a reply that nobody has decided on."""
    facts: NotRequired[list[str]]
    """Facts of the reply, each with its source."""
    answerable: NotRequired[bool]
    """The writer's address is known."""


def mentions_of(state: OrderWork) -> list[dict[str, Any]]:
    """The products that the mail mentions, as the stockkeeper has resolved them."""
    return list((state.get("stockkeeper") or {}).get("mentions", []))


def email_input_of(email: object, email_input: Any, user: User) -> Any:
    """The run's message in Gmail form: `email` when it is given, else `email_input`.

    Raises `InputError` when a field of `email` is missing, unknown or of a wrong kind.
    """
    if email is None:
        return email_input
    given = email_fields(email, FIELDS, OPTIONAL)
    return {
        "id": given["email_id"],
        "from": given.get("sender") or NOBODY,
        "to": user.address.email or "desk@recipient.invalid",
        "subject": given["subject"],
        "body": given["message"],
    }


def mail_of(inputs: Mapping[str, Any], user: User) -> Any:
    """The new mail of a run's input in Gmail form, None when it brings none; `email` goes before `email_input`."""
    try:
        return email_input_of(inputs.get("email"), inputs.get("email_input"), user)
    except InputError:
        return {}  # The run itself says what is wrong with its input.


def is_answerable(message: Message) -> bool:
    """The writer's address is known."""
    return message.sender.email != NOBODY
