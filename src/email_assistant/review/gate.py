"""The gate: the only place that stops a run to ask a human."""

from langgraph.types import interrupt

from email_assistant.review.action import Action, Decision, Problem
from email_assistant.review.agent_inbox import decode, encode


def ask(action: Action, description: str) -> Decision | Problem:
    """Show one card and return what the human decided, or why the answer could not be taken.

    Everything before the interrupt runs again when the answer comes, so a node that calls this does nothing else.
    """
    return decode(interrupt(encode(action, description)), action)
