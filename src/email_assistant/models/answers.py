"""A model's answers: typed ones read as their schema, or told to be wrong; tool calls in a form in which each can be answered."""

import json
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from pydantic import ValidationError

from email_assistant.models.call import T

MAX_PROBLEMS = 10
MAX_SHOWN = 2000
MAX_CALLS = 8
"""Tool calls of one turn that are worked on."""


@dataclass(frozen=True)
class Unusable:
    """An answer that does not fit: `problem` is told to the model, and to the user when it stays so."""

    problem: str


def read_answer(message: AIMessage, output: type[T]) -> T | Unusable:
    """The answer as the schema, or what is wrong with it. It is data: nothing of it is run or looked up."""
    name = output.__name__
    candidates = [call["args"] for call in message.tool_calls if call["name"] == name]
    if not candidates:
        broken = any(call["name"] == name for call in message.invalid_tool_calls)
        return Unusable(
            f"the arguments of {name} are not a JSON object" if broken else f"{name} was not called"
        )
    if any(other != candidates[0] for other in candidates[1:]):
        return Unusable(f"{name} was called {len(candidates)} times with different arguments")
    return _validated(candidates[0], output)


def read_calls(message: AIMessage, names: Collection[str], *, is_optional: bool) -> AIMessage | Unusable:
    """The message when it calls one of the tools with these names, if it has to; arguments may be wrong or unreadable."""
    called = [call["name"] for call in (*message.tool_calls, *message.invalid_tool_calls)]
    if any(name in names for name in called) or (is_optional and not called):
        return message
    return Unusable(f"of the tools {', '.join(names)} none was called")


def correction(message: AIMessage | None, unusable: Unusable) -> HumanMessage:
    """What to say after an unusable answer, which is quoted: servers refuse to be sent broken calls back.

    Without a message, none could be made of the answer.
    """
    calls = (*message.tool_calls, *message.invalid_tool_calls) if message else ()
    shown = json.dumps(calls[0]["args"]) if calls else message.text if message else ""
    return HumanMessage(
        f"Your answer could not be used: {unusable.problem}.\n"
        f"The answer was: {shown[:MAX_SHOWN] if shown else '(nothing that could be read)'}\n"
        "Answer once more in the form asked for, with every field as its schema says."
    )


def _validated(args: Any, output: type[T]) -> T | Unusable:
    if not args and output.model_fields:
        # Libraries turn arguments they cannot read into {}, which a schema of defaults would accept.
        return Unusable(f"{output.__name__} was called without arguments")
    try:
        return output.model_validate(args)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        return Unusable("; ".join(_problem(p["loc"], p["msg"]) for p in problems[:MAX_PROBLEMS]))


def _problem(location: tuple[int | str, ...], message: str) -> str:
    place = ".".join(map(str, location))
    return f"{place}: {message}" if place else message


def normalised(reply: AIMessage, known: Collection[str] = ()) -> AIMessage:
    """The reply with every call answerable: unreadable calls kept as calls with unreadable arguments, ids unique, and none of `known`."""
    calls: list[Any] = []
    for call in [*reply.tool_calls, *reply.invalid_tool_calls]:
        args = call["args"] if isinstance(call["args"], dict) else {"unreadable": str(call["args"])[:500]}
        taken = {*known, *(c["id"] for c in calls)}
        call_id = call["id"] if call["id"] and call["id"] not in taken else f"call_{uuid.uuid4().hex}"
        calls.append({"name": call["name"] or "unnamed", "args": args, "id": call_id})
    return AIMessage(
        content=reply.text or "", tool_calls=calls, id=reply.id, usage_metadata=reply.usage_metadata
    )


def surplus(reply: AIMessage) -> list[ToolMessage]:
    """The answers to the calls beyond `MAX_CALLS`: none of them is worked on, and none stays without an answer."""
    message = f"Not done: {MAX_CALLS} calls at once are enough; ask again for what is still wanted."
    return [
        ToolMessage(message, tool_call_id=str(call["id"]), name=call["name"][:60], status="error")
        for call in reply.tool_calls[MAX_CALLS:]
    ]
