"""A scripted stand-in for the language model: it answers what a test wrote down, in order or by a function."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from email_assistant.workflows.email_assistant.triage import TriageVerdict

Reply = AIMessage | Exception


def calls(*named: tuple[str, dict[str, Any]], text: str = "", prefix: str = "call") -> AIMessage:
    """A model turn with these tool calls."""
    return AIMessage(
        text, tool_calls=[{"name": n, "args": a, "id": f"{prefix}_{i}_{n}"} for i, (n, a) in enumerate(named)]
    )


@dataclass
class Script:
    """What the model says. `turns` are answers in order; a function gets the messages and gives the answer."""

    triage: str | Exception = "respond"
    turns: list[Reply | Callable[[Sequence[BaseMessage]], Reply]] = field(default_factory=list)
    heard: list[Sequence[BaseMessage]] = field(default_factory=list)
    """The messages of each turn asked for."""


class ScriptedModels(Models):
    """`Models` whose answers come from a script; everything else is the real thing."""

    def __init__(self, script: Script) -> None:
        super().__init__(ModelSettings(fast="offline", strong="offline"))
        object.__setattr__(self, "script", script)

    script: Script

    async def run(self, call: Any, inputs: Any, *, escalate_below: float | None = None) -> Any:
        """The scripted triage verdict; the prompt is rendered all the same."""
        await self._rendered(call.prompt, inputs)
        if isinstance(self.script.triage, Exception):
            raise self.script.triage
        return TriageVerdict(reasoning="The script says so.", classification=self.script.triage)  # type: ignore[arg-type]

    async def turn(self, call: Any, inputs: Any, messages: Sequence[BaseMessage], tools: Any) -> AIMessage:
        """The next scripted turn."""
        await self._rendered(call.prompt, inputs)
        self.script.heard.append(list(messages))
        assert self.script.turns, "the script has no further turn"
        reply = self.script.turns.pop(0)
        reply = reply(messages) if callable(reply) else reply
        if isinstance(reply, Exception):
            raise reply
        return reply
