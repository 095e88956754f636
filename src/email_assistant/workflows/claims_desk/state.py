"""The claims desk's state of one run: JSON, ids, and the messages of the conversation."""

from typing import Annotated, Any, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from email_assistant.errors import InputError
from email_assistant.kit.reply_state import ReplyOutcome, ReplyWork
from email_assistant.mail.email_input import EmailInput


def add_said(old: list[Any], new: Any) -> list[Any]:
    """The messages after further ones; raises `InputError` for what is no message."""
    try:
        return list(add_messages(old, new))
    except (TypeError, ValueError, KeyError, AttributeError, NotImplementedError):
        raise InputError('messages must be a list of {"role": "user", "content": "…"}') from None


class ClaimInput(TypedDict, total=False):
    """What a run is started with: a mail, or messages of a chat and who writes them."""

    email_input: EmailInput
    """Its sender's address tells who asks."""
    messages: Annotated[list[AnyMessage], add_said]
    """Of a chat; the latest one of the user is dealt with."""
    tenant_id: str
    """Whose customers, documents and rules; for mail the setting's when it is left out."""
    user_id: str
    """Of a chat's user, as the caller has made sure; "" for somebody who is no customer."""
    email: str
    user_role: str
    """Which documents may be shown: "customer", or a role of the tenant's."""


class ClaimState(ReplyOutcome, total=False):
    """What a run comes to."""

    messages: Annotated[list[AnyMessage], add_said]
    tenant_id: str
    user_id: str
    email: str
    user_role: str
    intent_result: dict[str, Any]
    """{"intent", "urgency", "sentiment", "aspects", "out_of_scope", "language"}."""
    kb_docs: list[dict[str, Any]]
    """{"label", "section", "text", "score"} of what was found for this user, the verifier's searches included."""
    report: dict[str, Any] | None
    """{"issue", "user_demand", "company_docs_about_issue", "support_info_from_user", "policy_refs"}."""
    verification: dict[str, Any] | None
    """{"is_valid", "resolution", "confidence", "policy_citations", "action_plan"}, as code has ruled it."""
    ticket: dict[str, Any] | None
    """{"key", "type", "url"}."""
    incident_id: str
    refund: dict[str, Any] | None
    """{"amount", "currency", "policy_id", "receipt", "is_due"} of what was paid, or is due to be paid by hand."""


class ClaimWork(ClaimState, ReplyWork):
    """What the nodes hand to one another besides."""

    channel: NotRequired[str]
    """"mail" or "chat"."""
    bound: NotRequired[dict[str, str]]
    """Whose the thread is: {"channel", "tenant_id", "user_id"}."""
    asker: NotRequired[dict[str, str]]
    """Who asks, as the run's input says: {"tenant_id", "user_id", "user_role"}."""
    message_key: NotRequired[str]
    """Of the message that is dealt with; effects derive their keys from it."""
    round_start: NotRequired[int]
    """How many messages there were when this message was taken up."""
    passes: NotRequired[int]
    """How often the verifier has asked for tools."""
    is_known: NotRequired[bool]
    """Whether it is certain that a customer asks."""
    verdict: NotRequired[dict[str, Any] | None]
    """What the verifier has said, before code ruled."""
    ruling: NotRequired[dict[str, Any] | None]
    answer: NotRequired[dict[str, Any] | None]
    """{"text", "citations"} for a question that the documents answer."""
    human_words: NotRequired[str]
    """What a person said instead of approving the refund."""
    facts: NotRequired[list[str]]


FRESH: dict[str, Any] = {
    "intent_result": {}, "kb_docs": [], "report": None, "verification": None, "ticket": None, "incident_id": "", "refund": None,
    "passes": 0, "verdict": None, "ruling": None, "answer": None, "human_words": "", "facts": [],
}  # fmt: skip
"""What a new message starts with."""
