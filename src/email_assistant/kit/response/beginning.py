"""The work on a mail begins: what the agent's messages are told of it, and a clean state."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage

from email_assistant.kit.conversations import conversation_text
from email_assistant.kit.response.state import AssistantWork
from email_assistant.kit.response.transitions import not_performed, unanswered
from email_assistant.mail.message import Conversation
from email_assistant.review.pending import new_round
from email_assistant.tools.tool import User

FRESH: dict[str, Any] = {
    "previous": None,
    "outcome": "",
    "settled": False,
    "facts": [],
    "corrections": 0,
    "model_calls": 0,
}


def begun(
    state: AssistantWork, conversation: Conversation, doubts: Sequence[str], user: User
) -> dict[str, Any]:
    """The update with which work on new mail begins."""
    return FRESH | {
        **new_round(state, may_wait=bool(state.get("round")) and not state.get("outcome")),
        "classification_decision": "notify",
        "triage_reason": "",
        "sender_warnings": list(doubts),
        "messages": [*_closed(state.get("messages", [])), _task(conversation, state, user), *_said(state)],
        "wanted": "",
        "seen": _seen(state, conversation),
    }


def instruction(text: str) -> HumanMessage:
    """The human's own words for the model; unlike mail they are not fenced, because they are an instruction."""
    return HumanMessage(
        f"The user wants you to reply to this email and says: {text}", additional_kwargs={"feedback": text}
    )


def _task(conversation: Conversation, state: AssistantWork, user: User) -> HumanMessage:
    seen = frozenset(state.get("seen") or [])
    text = conversation_text(conversation, user.timezone, seen=seen)
    return HumanMessage(
        f"Respond to the email:\n\n{text}", additional_kwargs={"email_id": conversation.current.id}
    )


def _said(state: AssistantWork) -> list[HumanMessage]:
    said = state.get("wanted")
    return [instruction(said)] if said else []


def _closed(messages: list[AnyMessage]) -> list[ToolMessage]:
    """Answers for calls that an earlier message of the conversation left open."""
    text = "Not performed: a newer message of the conversation came first."
    return [not_performed(c["id"], c["name"], text) for c in unanswered(messages)]


def _seen(state: AssistantWork, conversation: Conversation) -> list[str]:
    ids = [m.id for m in (*conversation.earlier, conversation.current) if m.id]
    return list(dict.fromkeys([*(state.get("seen") or []), *ids]))
