"""The gate: the only place that stops a run to ask a human.

One run brings one answer, and that answer is for the card that waited when the run began. A server that was stopped
while it worked on an answer repeats the whole run, command included, from the checkpoint it had come to: the next
card would then be settled by an answer that was given before anybody had seen it. The state therefore names the run
whose answer was taken last.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from langgraph.config import get_config
from langgraph.types import Command, interrupt

from email_assistant.review.action import Action, Decision, Problem
from email_assistant.review.agent_inbox import ANOTHER_CARD, decode, encode

Goal = TypeVar("Goal", bound=str)


def ask(action: Action, description: str, state: Mapping[str, Any]) -> Decision | Problem:
    """Show one card and return what the human decided, or why the answer could not be taken.

    Everything before the interrupt runs again when the answer comes, so a node that calls this does nothing else,
    and returns its command through `taken`.
    """
    value = interrupt(encode(action, description))
    run_id = _run_id()
    if run_id and state.get("answered_by") == run_id:
        return Problem(ANOTHER_CARD)
    return decode(value, action)


def taken(command: Command[Goal]) -> Command[Goal]:
    """The same command, with the run on record whose answer it goes back to."""
    update = command.update if isinstance(command.update, dict) else {}
    return Command(goto=command.goto, update=update | {"answered_by": _run_id()})


def _run_id() -> str:
    """The server's id of this run, the same however often it is repeated; "" outside a server."""
    return str(get_config().get("configurable", {}).get("run_id") or "")
