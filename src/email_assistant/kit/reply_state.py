"""The state of graphs that answer mail."""

from collections.abc import Mapping
from typing import Any, NotRequired

from typing_extensions import TypedDict

from email_assistant.review.pending import ReviewState

State = Any
"""A graph's own state, which has the fields of `ReplyState`."""


class ReplyOutcome(TypedDict, total=False):
    """Outcome of a run."""

    draft_response: str
    requires_approval: bool
    final_response: str
    """The text that is dispatched: the draft, or a person's edit of it."""
    error: str | None
    """Why the last step did not do what it should; None when nothing went wrong."""
    steps: list[dict[str, Any]]
    """{"step_name", "step_order", "told"} of each step, in order."""
    outcome: str
    """"ignored", "dismissed", "sent", "drafted", "rejected", "not_answered" or "resolved"; "" while the work goes on."""
    reason: str
    """Why no answer was drafted; "" for mail that was to be answered."""


class ReplyWork(ReviewState):
    """Further fields, which the nodes hand to one another."""

    email_input: NotRequired[dict[str, Any]]
    approval_reasons: NotRequired[list[str]]
    """Why a person is to decide."""
    offline: NotRequired[str]
    sender_warnings: NotRequired[list[str]]
    feedback: NotRequired[list[str]]
    """A person's words about drafts of this message, the oldest first."""
    ignored_words: NotRequired[list[str]]
    """Those of them that rules, which wrote the draft, cannot follow."""
    performed: NotRequired[list[dict[str, Any]]]
    """Tools that the last node has run, for the journal."""
    settled: NotRequired[bool]


class ReplyState(ReplyOutcome, ReplyWork):
    """Both; a graph's own state has these fields and its own."""


FRESH: dict[str, Any] = {
    "draft_response": "", "requires_approval": False, "final_response": "", "error": None, "steps": [], "outcome": "",
    "approval_reasons": [], "feedback": [], "ignored_words": [], "performed": [], "settled": False, "reason": "",
}  # fmt: skip
"""Fields that new mail starts with, besides `new_round`."""


def step(state: Mapping[str, Any], name: str, text: str) -> dict[str, Any]:
    """The update that adds a step."""
    steps = list(state.get("steps") or [])
    return {"steps": [*steps, {"step_name": name, "step_order": len(steps) + 1, "told": text}]}
