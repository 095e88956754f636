"""The order desk's state of one run: what each agent found and did; JSON and ids only."""

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from email_assistant.kit.reply.state import ReplyOutcome, ReplyWork

CLASSIFIER, STOCKKEEPER, FULFILLER, ADVISOR, COMPOSER = (
    "classifier", "stockkeeper", "fulfiller", "advisor", "composer",
)  # fmt: skip
AGENTS = (CLASSIFIER, STOCKKEEPER, FULFILLER, ADVISOR, COMPOSER)


def merge_errors(old: Mapping[str, str | None], new: Mapping[str, str | None]) -> dict[str, str | None]:
    """The agents' errors after one more; None takes an agent's error back. Agents that work side by side each write their own."""
    return {agent: told for agent, told in {**(old or {}), **(new or {})}.items() if told}


class OrderInput(TypedDict, total=False):
    """What a run is started with: one email, in either way."""

    email_input: dict[str, Any]
    """In the Gmail or the Studio form."""
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
    """What the nodes hand to one another besides."""

    email: NotRequired[dict[str, Any] | None]
    open_orders: NotRequired[list[str]]
    """Orders of this conversation whose stock is held for a reply that nobody has decided on."""
    facts: NotRequired[list[str]]
    """What the reply says, each with its source."""
    answerable: NotRequired[bool]
    """Whether the writer's address is known."""
