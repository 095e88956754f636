"""The organizer's state of one run: category, importance, what was done; JSON and ids only."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from email_assistant.kit.response.state import AssistantWork
from email_assistant.mail.email_input import EmailInput

DecidedBy = Literal["hint", "headers", "model", "human"]


class OrganizerInput(TypedDict):
    """The input of a run: one email in the Gmail or the Studio form."""

    email_input: EmailInput


class OrganizerState(TypedDict, total=False):
    """The outcome of a run."""

    email_input: dict[str, Any]
    category: str
    confidence: float
    """0 to 1; a hint's and a human's word is 1."""
    reasoning: str
    key_phrases: list[str]
    decided_by: DecidedBy
    guessed: bool
    """Whether the label is guessed, and waits among the other guesses for a person."""
    importance: dict[str, Any]
    """{"score", "level", "reason"}; see `importance.py`."""
    note: str
    """Path of the note in the vault, if one was written."""
    labels: list[str]
    """The labels that were given."""
    reason: str
    """The label and the reason for it, for the record of what was done."""
    outcome: str
    """The outcome in a word: "" while the work goes on."""


class OrganizerWork(AssistantWork, OrganizerState):  # type: ignore[misc]
    """The nodes' own fields besides; those of the response agent are among them."""

    proposals: NotRequired[list[dict[str, Any]]]
    """Actions that wait to be shown, in order."""
    feedback: NotRequired[str]
    """The human's words instead of accepting a category."""
    planned_unsubscribe: NotRequired[dict[str, Any] | None]
    planned_invitation: NotRequired[dict[str, Any] | None]
    """Actions that were prepared side by side, and are not among the proposals yet."""
    wants_meeting: NotRequired[bool]
    """Whether the mail wants an appointment that has a day and a time."""
    wants_reply: NotRequired[bool]
    """Whether the mail wants an answer in words."""
    is_answered: NotRequired[bool]
    """Whether the response agent has had the mail, or an invitation's card has answered it."""
    correction: NotRequired[str]
    """The category that the human has put in place of the proposed one, still to be learned."""
    performed: NotRequired[list[dict[str, Any]]]
    """The deeds of the last node, for the journal."""
