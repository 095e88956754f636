"""The messages of a model turn: which calls are open, and the ToolMessages that answer them."""

from collections.abc import Sequence
from typing import Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage

from email_assistant.review.action import Action
from email_assistant.review.kinds import declared, lesson_of


def unanswered(messages: list[AnyMessage]) -> list[dict[str, Any]]:
    """Tool calls of the last model turn that have no ToolMessage yet, in order."""
    turn = next((i for i in range(len(messages) - 1, -1, -1) if isinstance(messages[i], AIMessage)), None)
    if turn is None:
        return []
    last = messages[turn]
    answered = {m.tool_call_id for m in messages[turn + 1 :] if isinstance(m, ToolMessage)}
    calls = last.tool_calls if isinstance(last, AIMessage) else []
    return [dict(call) for call in calls if call["id"] not in answered]


def not_finished(call: dict[str, Any]) -> ToolMessage:
    """The answer to a `Done` that came too early."""
    return ToolMessage(
        "Not finished: see the answers to the other calls.", tool_call_id=call["id"], name=call["name"]
    )


def since_mail(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    """What was said since the newest mail came, it included."""
    starts = [
        i for i, m in enumerate(messages) if isinstance(m, HumanMessage) and "email_id" in m.additional_kwargs
    ]
    return messages[starts[-1] :] if starts else messages


def said_about(kind: str, messages: Sequence[BaseMessage]) -> tuple[str, ...]:
    """The person's words about proposals of this kind, and about the mail itself, the oldest first."""
    about = lesson_of(kind)
    others = {each.name for each in declared() if each.lesson and each.lesson != about}
    return tuple(
        str(m.additional_kwargs["feedback"])
        for m in since_mail(messages)
        if "feedback" in m.additional_kwargs and m.name not in others
    )


def told_in(messages: Sequence[BaseMessage]) -> list[str]:
    """What the model was told besides mail: by tools, of what was done, and by the person."""
    return [
        str(m.text)
        for m in messages
        if (isinstance(m, ToolMessage) and m.status != "error")
        or (isinstance(m, HumanMessage) and "feedback" in m.additional_kwargs)
    ]


def open_calls(messages: list[AnyMessage]) -> list[dict[str, Any]]:
    """Open calls but for `Done`, which is answered last."""
    return [call for call in unanswered(messages) if call["name"] != "Done"]


def next_node(messages: list[AnyMessage]) -> Literal["prepare", "llm_call", "mark_as_read_node"]:
    """Where the hub goes with nothing under review."""
    if open_calls(messages):
        return "prepare"
    return "mark_as_read_node" if unanswered(messages) and not _went_wrong(messages) else "llm_call"


def _went_wrong(messages: list[AnyMessage]) -> bool:
    """Whether a call of the last turn went wrong, so that its `Done` came too early."""
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            return False
        if isinstance(message, ToolMessage) and message.status == "error":
            return True
    return False


def answer_to(action: Action, text: str) -> ToolMessage:
    """The answer to the call that an action came from."""
    return ToolMessage(text, tool_call_id=action.tool_call_id, name=action.kind)


def close_others(messages: list[AnyMessage], action: Action, text: str) -> list[ToolMessage]:
    """Answers for the other open calls of the turn."""
    rest = [c for c in unanswered(messages) if c["id"] != action.tool_call_id]
    return [ToolMessage(text, tool_call_id=c["id"], name=c["name"]) for c in rest]
