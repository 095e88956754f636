"""The state of one run: JSON and ids only."""

from typing import Any, NotRequired

from typing_extensions import TypedDict

from email_assistant.kit.reply.state import ReplyOutcome, ReplyWork


class PipelineInput(TypedDict, total=False):
    """What a run is started with: one email, in either way."""

    email_input: dict[str, Any]
    """In the Gmail or the Studio form."""
    email: dict[str, Any]
    """{"id", "subject", "body", "sender", "received_at"}."""


class PipelineState(ReplyOutcome, total=False):
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


class WorkState(PipelineState, ReplyWork):
    """What the nodes hand to one another besides."""

    reasoning: NotRequired[str]
    """Of the classification."""
    generation_confidence: NotRequired[float]
    gaps: NotRequired[list[str]]
    """What nothing supports in the draft, as it stands there."""
    tool_ours: NotRequired[dict[str, str]]
    """Tool → what of its result nobody else has worded."""
    facts: NotRequired[list[str]]
    """Facts of the draft with their sources."""
    retrieved: NotRequired[list[dict[str, Any]]]
    """{"source", "score", "text", "kind"} of what stands in `context`."""
    dropped_tools: NotRequired[list[str]]
    """What the model selected and the rules do not allow."""
