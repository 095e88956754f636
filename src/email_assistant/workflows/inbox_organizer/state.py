"""The organizer's state of one run: category, importance, event, what was done; JSON and ids only."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from email_assistant.review.pending import ReviewState

DecidedBy = Literal["hint", "headers", "model", "human"]


class OrganizerInput(TypedDict):
    """What a run is started with: one email in the Gmail or the Studio form."""

    email_input: dict[str, Any]


class OrganizerState(TypedDict, total=False):
    """What a run comes to."""

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
    """Which label it was, and why, for the record of what was done."""
    outcome: str
    """How the message was dealt with, in a word: "" while the work goes on."""


class OrganizerWork(OrganizerState, ReviewState):
    """What the nodes hand to one another besides."""

    sender_warnings: NotRequired[list[str]]
    offline: NotRequired[bool]
    """Whether the offline rules spoke."""
    proposals: NotRequired[list[dict[str, Any]]]
    """Actions that wait to be shown, in order."""
    feedback: NotRequired[str]
    """What the human said instead of accepting a category."""
    planned_unsubscribe: NotRequired[dict[str, Any] | None]
    planned_event: NotRequired[dict[str, Any] | None]
    planned_reply: NotRequired[dict[str, Any] | None]
    """Actions that were prepared side by side, and are not among the proposals yet."""
    said: NotRequired[dict[str, list[str]]]
    """What the human said about proposals of each kind, the oldest first."""
    correction: NotRequired[str]
    """The category that the human has put in place of the proposed one, still to be learned."""
    performed: NotRequired[list[dict[str, Any]]]
    """What the last node did, for the journal."""
    settled: NotRequired[bool]
