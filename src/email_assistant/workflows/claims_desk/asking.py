"""The asker: who a run's input says it is, and whether its thread is theirs.

A thread's state outlives its runs, so nothing of who asks may be left to it: an input is made whole before it is taken in, and
each message is marked with who brought it. What one has said is then told to no model that works for another, whatever became of
the run that brought it.
"""

from collections.abc import Mapping
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, convert_to_messages

from email_assistant.errors import InputError
from email_assistant.workflows.claims_desk.state import ClaimWork

CUSTOMER = "customer"
MARK = "asker"
WHO = ("tenant_id", "user_id", "user_role")
BAD_MESSAGES = 'messages must be a list of {"role": "user", "content": "…"}'
Asker = Mapping[str, str]
"""The `WHO` of a message or a run, as the caller gives them."""


def whole_input(given: Any) -> Any:
    """The input with every field: what it leaves out is nobody and nothing, not what the thread's last run was started with.

    Raises `InputError` for messages that are none of a chat's: what tools say, and what the desk has said, stands on the thread.
    """
    if not isinstance(given, Mapping):
        return given
    left_out: dict[str, Any] = {
        "email_input": None,
        "messages": [],
        "tenant_id": "",
        "user_id": "",
        "email": "",
        "user_role": "",
    }
    taken = left_out | {name: value for name, value in given.items() if value is not None}
    if taken["email_input"] and taken["messages"]:
        raise InputError("email_input and messages: a run takes a mail or a chat, not both")
    return taken | {"messages": [_marked(each, asker_of(taken)) for each in _messages(taken["messages"])]}


def asker_of(given: Mapping[str, Any]) -> dict[str, str]:
    """The asker, by an input or a state whose fields come from this run's input."""
    who = {name: str(given.get(name) or "").strip() for name in WHO}
    return who | {"user_role": who["user_role"] or CUSTOMER}


def said_by(asker: Asker, text: str) -> AIMessage:
    """The desk's words to whoever asks."""
    return AIMessage(text, additional_kwargs={MARK: dict(asker)})


def may_read(asker: Asker, message: BaseMessage) -> bool:
    """Whether the message is of the asker's own chat, and of the asker's role or a customer's."""
    mark = message.additional_kwargs.get(MARK) or {}
    mine = all(mark.get(name) == asker[name] for name in ("tenant_id", "user_id"))
    return mine and mark.get("user_role") in (CUSTOMER, asker["user_role"])


def bound_to(
    state: ClaimWork, channel: Literal["mail", "chat"], tenant_id: str, user_id: str
) -> dict[str, str]:
    """Whose the thread is from now on; raises `InputError` when it is another tenant's or user's.

    The first run that names a user binds it. A mail's thread belongs to no single user: each mail says anew whom it is from.
    """
    before: Mapping[str, str] = state.get("bound") or {}
    mine = {"channel": channel, "tenant_id": tenant_id, "user_id": user_id}
    for name in ("channel", "tenant_id", "user_id"):
        if before.get(name) and mine[name] and before[name] != mine[name]:
            field = "email_input" if name == "channel" else name
            raise InputError(
                f"{field}: this thread was begun for another {name.removesuffix('_id')}; start a thread of its own"
            )
    return mine | {"user_id": before.get("user_id") or user_id}


def _messages(given: Any) -> list[BaseMessage]:
    try:
        read = convert_to_messages(given if isinstance(given, list) else [given])
    except (TypeError, ValueError, KeyError, AttributeError, NotImplementedError):
        raise InputError(BAD_MESSAGES) from None
    if any(not isinstance(one, HumanMessage | AIMessage) or getattr(one, "tool_calls", None) for one in read):
        raise InputError(f"{BAD_MESSAGES}, with the role user or assistant")
    return read


def _marked(message: BaseMessage, asker: Asker) -> BaseMessage:
    return message.model_copy(update={"additional_kwargs": {MARK: dict(asker)}})
