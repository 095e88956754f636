"""The state of one run: JSON and ids only."""

from typing import Any, NotRequired

from typing_extensions import TypedDict


class PipelineInput(TypedDict, total=False):
    """What a run is started with: one email, in either way."""

    email_input: dict[str, Any]
    """In the Gmail or the Studio form."""
    email: dict[str, Any]
    """{"id", "subject", "body", "sender", "received_at"}."""


class PipelineState(TypedDict, total=False):
    """What a run comes to."""

    email: dict[str, Any]
    """{"id", "subject", "body", "sender", "received_at"} of the message that is answered."""
    classification: str
    """One of `calls.CLASSES`."""
    confidence: float
    """0 to 1, of the classification."""
    context: list[str]
    """What was found and used, one text an item, with its source."""
    selected_tools: list[str]
    """In the order of `tool_rules.ORDER`."""
    tool_results: dict[str, Any]
    """Tool → {"success", "result", "error", "latency_ms"}."""
    draft_response: str
    requires_approval: bool
    final_response: str
    """What is dispatched: the draft, or what a person made of it."""
    error: str | None
    """Why the last step did not do what it should; None when nothing went wrong."""
    steps: list[dict[str, Any]]
    """{"step_name", "step_order", "told"} of each step, in order."""
    outcome: str
    """"ignored", "sent", "drafted" or "rejected"; "" while the work goes on."""


class WorkState(PipelineState):
    """What the nodes hand to one another besides."""

    email_input: NotRequired[dict[str, Any]]
    reasoning: NotRequired[str]
    """Of the classification."""
    generation_confidence: NotRequired[float]
    gaps: NotRequired[list[str]]
    """What nothing supports in the draft, as it stands there."""
    facts: NotRequired[list[str]]
    """Facts of the draft with their sources."""
    retrieved: NotRequired[list[dict[str, Any]]]
    """{"source", "score", "text", "kind"} of what stands in `context`."""
    dropped_tools: NotRequired[list[str]]
    """What the model selected and the rules do not allow."""
    approval_reasons: NotRequired[list[str]]
    """Why a person is to decide."""
    offline: NotRequired[bool]
    sender_warnings: NotRequired[list[str]]
    pending: NotRequired[dict[str, Any] | None]
    """The reply under review, or to be dispatched."""
    decision: NotRequired[dict[str, Any] | None]
    problem: NotRequired[str]
    feedback: NotRequired[list[str]]
    """What a person said about drafts of this message, the oldest first."""
    acknowledged: NotRequired[list[str]]
    actions: NotRequired[list[str]]
    """Ids of the effects this thread remembers."""
    performed: NotRequired[list[dict[str, Any]]]
    """What the last node did, for the journal."""
    answered_by: NotRequired[str]
    """The run whose answer was taken last; see `review.gate`."""
    titles: NotRequired[list[str]]
    round: NotRequired[int]
    settled: NotRequired[bool]
