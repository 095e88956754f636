"""The two shapes that cards and answers have over the API: Agent Inbox's, and that of LangChain's human-in-the-loop middleware."""

from collections.abc import Mapping, Sequence
from typing import Any

from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE

LANGCHAIN = "langchain"
_DECISIONS = {"approve": ACCEPT, "edit": EDIT, "respond": RESPONSE, "reject": IGNORE}
"""What LangChain (`HITLResponse`) calls the answers."""
ALLOWED = {IGNORE: "allow_ignore", RESPONSE: "allow_respond", EDIT: "allow_edit", ACCEPT: "allow_accept"}
"""How a card's config says what it can be answered with."""
_ALLOWED = {word: ALLOWED[kind] for word, kind in _DECISIONS.items()}


def in_shape(cards: Sequence[Any], shape: str) -> object:
    """The interrupt's value as clients of that shape read it: `LANGCHAIN`'s `HITLRequest`, or Agent Inbox's list (`HumanInterrupt`)."""
    if shape != LANGCHAIN:
        return cards
    return {
        "action_requests": [
            {
                "name": each["action_request"]["action"],
                "args": each["action_request"]["args"],
                "description": each["description"],
            }
            for each in cards
        ],
        "review_configs": [
            {
                "action_name": each["action_request"]["action"],
                "allowed_decisions": [word for word, name in _ALLOWED.items() if each["config"].get(name)],
            }
            for each in cards
        ],
        "view": cards[0]["view"],
    }


def card_of(value: object) -> dict[str, Any] | None:
    """The card of an interrupt's value, as Agent Inbox reads it, whichever shape it has; None for what is no card."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return dict(value[0])
    if not isinstance(value, Mapping) or not value.get("action_requests") or not value.get("review_configs"):
        return None
    request, allowed = value["action_requests"][0], value["review_configs"][0]["allowed_decisions"]
    return {
        "action_request": {"action": request["name"], "args": request["args"]},
        "config": {name: word in allowed for word, name in _ALLOWED.items()},
        "description": request["description"],
        "view": value.get("view") or {},
    }


def of_decisions(decisions: object) -> Mapping[str, Any]:
    """One decision as an answer; a rejection with words is their feedback. Nothing for what is none, or for several."""
    if not isinstance(decisions, list) or len(decisions) != 1 or not isinstance(decisions[0], dict):
        return {}
    decision = decisions[0]
    kind, words = _DECISIONS.get(str(decision.get("type"))), decision.get("message")
    if kind == EDIT:
        edited = decision.get("edited_action")
        fields = edited if isinstance(edited, dict) else {}
        return {"type": EDIT, "args": {"action": fields.get("name"), "args": fields.get("args")}}
    if kind == RESPONSE or (kind == IGNORE and words):
        return {"type": RESPONSE, "args": words}
    return {"type": kind or decision.get("type"), "args": None}
