"""The answers that let a card go as it would at a person's desk, who fills its gaps: a text that has one never leaves."""

from collections.abc import Mapping
from typing import Any

from email_assistant.facts.fact import inside


def filled(card: Mapping[str, Any]) -> dict[str, Any]:
    """The card's request (`action`, `args`) with something said in each of its gaps."""
    request: dict[str, Any] = dict(card["action_request"])
    args = dict(request["args"])
    for gap in reversed(card["view"]["gaps"]):  # From the end, so that places before stay where they are.
        name, (start, end) = gap["field"], gap["span"]
        args[name] = f"{args[name][:start]}{inside(gap['text']) or 'settled'}{args[name][end:]}"
    return request | {"args": args}


def accepting(card: Mapping[str, Any]) -> dict[str, Any]:
    """Accept, as Agent Inbox sends it, or the edit that fills the gaps."""
    request = filled(card)
    return {"type": "accept" if request == card["action_request"] else "edit", "args": request}
