"""A model that gives its triage verdict by the subject of the mail; all between it and the graph is the real thing."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from email_assistant.models.usage import Recorder

MODEL = "openai:gpt-5-mini"
"""A model that the price list knows."""
Verdict = Callable[[str], str | Exception]


class Chat(BaseChatModel):
    """A chat model that gives its verdict by the subject of the mail; each answer costs as many tokens as the subject has letters."""

    verdict: Verdict
    asked: Counter[str] = Field(default_factory=Counter)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Any:
        """Itself: what it answers is settled."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        subject = re.findall(r"^Subject: (.*)$", messages[-1].text, re.MULTILINE)[-1]
        self.asked[subject] += 1
        said = self.verdict(subject)
        if isinstance(said, Exception):
            raise said
        call = {"name": "TriageVerdict", "args": {"reasoning": "Because.", "classification": said}, "id": "1"}
        used = {"input_tokens": 1000, "output_tokens": len(subject), "total_tokens": 1000 + len(subject)}
        message = AIMessage("", tool_calls=[call], usage_metadata=used)  # type: ignore[arg-type]
        return ChatResult(generations=[ChatGeneration(message=message)])


class SortingModels(Models):
    """The real models but for what the provider says, with no waiting between attempts."""

    def __init__(self, verdict: Verdict, record: Recorder) -> None:
        async def at_once(_: float) -> None:
            return None

        super().__init__(ModelSettings(fast=MODEL, strong=MODEL), record, at_once)
        object.__setattr__(self, "_chat_models", Provider(Chat(verdict=verdict)))


class Provider:
    """In the place of `ChatModels`."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat

    async def get(self, _: object) -> Chat:
        return self.chat

    async def close(self) -> None:
        return None
