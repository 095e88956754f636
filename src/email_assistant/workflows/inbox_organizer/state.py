"""The organizer's state of one run: category, importance, event, what was done; JSON and ids only."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from email_assistant.review.pending import ReviewState

DecidedBy = Literal["hint", "headers", "model", "human"]


class OrganizerInput(TypedDict):
    """The input of a run: one email in the Gmail or the Studio form."""

    email_input: dict[str, Any]


class OrganizerState(TypedDict, total=False):
    """The outcome of a run."""

    email_input: dict[str, Any]
    category: str
    confidence: float
    """0 to 1; a hint's and a human's word is 1."""
    reasoning: str
    key_phrases: list[str]
    decided_by: DecidedBy
    importance: dict[str, Any]
    """{"score", "level", "factors": [{"name", "weight", "value", "reason"}]}; see `importance.py`."""
    note: str
    """Path of the note in the vault, if one was written."""
    labels: list[str]
    """The labels that were given."""
    reason: str
    """The label and the reason for it, for the record of what was done."""
    outcome: str
    """The outcome in a word: "" while the work goes on."""


class OrganizerWork(OrganizerState, ReviewState):
    """The nodes' own fields besides."""

    sender_warnings: NotRequired[list[str]]
    offline: NotRequired[bool]
    """Whether the offline rules spoke."""
    proposals: NotRequired[list[dict[str, Any]]]
    """Actions that wait to be shown, in order."""
    feedback: NotRequired[str]
    """The human's words instead of accepting a category."""
    planned_unsubscribe: NotRequired[dict[str, Any] | None]
    planned_event: NotRequired[dict[str, Any] | None]
    planned_reply: NotRequired[dict[str, Any] | None]
    """Actions that were prepared side by side, and are not among the proposals yet."""
    reply_waits: NotRequired[bool]
    """Whether a reply is to be written only when its mail's event was decided, which may answer all of it."""
    is_met: NotRequired[bool]
    """Whether the event was approved, so that a reply is about what else the mail asks."""
    said: NotRequired[dict[str, list[str]]]
    """The human's words about proposals of each kind, the oldest first."""
    correction: NotRequired[str]
    """The category that the human has put in place of the proposed one, still to be learned."""
    performed: NotRequired[list[dict[str, Any]]]
    """The deeds of the last node, for the journal."""
    settled: NotRequired[bool]
