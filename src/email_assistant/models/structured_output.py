"""The forms in which a model is asked to call tools; a typed answer is the call of one tool, whose arguments it is.

Some servers refuse a call that is forced, others answer 200 with text as if nobody had asked for one. Those are asked for JSON: by
`response_format`, and where even that is ignored by words alone. Their answers become messages with tool calls all the same.
"""

import json
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, merge_message_runs
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.utils.function_calling import convert_to_openai_tool

Form = Literal["tool", "json_schema", "prompt"]
FORMS: tuple[Form, ...] = get_args(Form)
"""In the order in which they are tried."""
_RAW: Runnable[Any, AIMessage] = RunnableLambda(lambda found: found["raw"])
WANTED = "Answer with one JSON object and nothing else. Its JSON Schema is:"
NO_CALL = "none"
"""The tool that is named in JSON when none is called."""


@dataclass(frozen=True)
class BoundTools:
    """The tools that an answer may call."""

    tools: Sequence[Any]
    """In any form that LangChain binds."""
    forced: bool = False
    """True when the call of the only tool is the answer."""
    optional: bool = False
    """True when an answer may be without a call."""

    def bind(self, form: Form, model: BaseChatModel) -> Runnable[LanguageModelInput, AIMessage]:
        """The model, told of the form as far as its integration can be; the messages say the rest."""
        if not self.tools or form == "prompt":
            return model
        # Some integrations cannot force a call, some cannot bind tools at all.
        with suppress(TypeError, ValueError, NotImplementedError):
            if form == "tool":
                choice = {"tool_choice": next(iter(self.functions))} if self.forced else {}
                return model.bind_tools(self.tools, **choice)
            return model.with_structured_output(self._schema, method=form, include_raw=True) | _RAW
        return model

    def messages(self, form: Form, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """The messages as a server that knows no tools reads them, with the schema in words, unless the form is "tool"."""
        if form == "tool" or not self.tools:
            return list(messages)
        wanted = HumanMessage(f"{WANTED}\n{json.dumps(self._schema)}")
        return merge_message_runs([*map(_without_tools, messages), wanted], chunk_separator="\n\n")

    def called(self, answer: AIMessage) -> AIMessage:
        """The answer, as a call when it is JSON in place of one."""
        written = None if answer.tool_calls or answer.invalid_tool_calls else _object_in(answer.text)
        if written is None or not self.tools:
            return answer
        call: Any = written.get("call", written)
        if self.forced:
            call = {"name": next(iter(self.functions)), "arguments": written}
        name, args = (call.get("name"), call.get("arguments")) if isinstance(call, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(args, dict):
            return answer
        calls = [{"name": name, "args": args, "id": f"call_{uuid.uuid4().hex}"}]
        usage = answer.usage_metadata
        return AIMessage("", tool_calls=[] if name == NO_CALL else calls, id=answer.id, usage_metadata=usage)

    @cached_property
    def functions(self) -> dict[str, dict[str, Any]]:
        """Name, description and parameters of each tool, by its name."""
        functions = [convert_to_openai_tool(tool)["function"] for tool in self.tools]
        return {each["name"]: each for each in functions}

    @cached_property
    def _schema(self) -> dict[str, Any]:
        """JSON Schema of an answer: the arguments of the only tool, or {"call": {"name": …, "arguments": …}}."""
        if self.forced:
            ((name, tool),) = self.functions.items()
            return {"title": name, "description": tool.get("description", ""), **tool["parameters"]}
        none = {NO_CALL: {"description": "Nothing is left to be called."}} if self.optional else {}
        calls = [
            {
                "type": "object",
                "description": tool.get("description", ""),
                "properties": {
                    "name": {"const": name},
                    "arguments": tool.get("parameters", {"type": "object"}),
                },
                "required": ["name", "arguments"],
            }
            for name, tool in {**self.functions, **none}.items()
        ]
        properties = {"call": {"anyOf": calls}}
        return {"title": "Answer", "type": "object", "properties": properties, "required": ["call"]}


def _without_tools(message: BaseMessage) -> BaseMessage:
    """The message with calls and their results in words."""
    if isinstance(message, ToolMessage):
        return HumanMessage(f"{message.name or 'The tool'} answered: {message.text}")
    if isinstance(message, AIMessage) and message.tool_calls:
        calls = [{"name": call["name"], "arguments": call["args"]} for call in message.tool_calls]
        return AIMessage("\n".join(json.dumps({"call": call}) for call in calls))
    return message


def _object_in(text: str) -> dict[str, Any] | None:
    """The JSON object in the text: models put it in a fence, words around it, or what they thought before it."""
    said = text.rpartition("</think>")[2]
    try:
        found, _ = json.JSONDecoder().raw_decode(said, said.index("{"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
