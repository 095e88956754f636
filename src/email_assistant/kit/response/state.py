"""The state of one run: JSON and ids only; nodes parse it into domain types at their edge."""

from typing import Any, Literal, NotRequired

from langgraph.graph import MessagesState

from email_assistant.review.pending import ReviewState

Classification = Literal["ignore", "respond", "notify"]


class State(MessagesState):
    """What a run is about and what it has said: the fields others may read."""

    email_input: dict[str, Any]
    classification_decision: Classification


class AssistantWork(State, ReviewState):
    """What the nodes hand to one another besides."""

    triage_reason: NotRequired[str]
    importance: NotRequired[dict[str, Any]]
    """What its cards tell of it, where a graph weighs mail."""
    sender_warnings: NotRequired[list[str]]
    """Signs that the message is not from whom it seems to be, found when it was triaged."""
    offline: NotRequired[str]
    """Why rules spoke last, as cards tell it; "" when a model did."""
    previous: NotRequired[dict[str, Any] | None]
    """The action that was sent back with feedback: a new draft takes the place of its draft."""
    facts: NotRequired[list[str]]
    """What read tools found, for the card."""
    corrections: NotRequired[int]
    """How often the model was corrected in a row."""
    model_calls: NotRequired[int]
    outcome: NotRequired[str]
    """How the message was dealt with, in a word: "" while the work goes on."""
    seen: NotRequired[list[str]]
    """Ids of the messages of this mail thread that `messages` holds already."""
    settled: NotRequired[bool]
    """Whether the work at the end (answering `Done`, marking read) is done."""
