"""A small model call to test with, and the bench it is run on."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel, Field

from email_assistant.models.call import AgentCall, ModelCall
from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from email_assistant.models.usage import ModelUsage
from email_assistant.prompts import PromptTemplate
from tests.servers.model_server import ModelServer

TEMPLATE = PromptTemplate.parse("sort", (Path(__file__).parent / "sort.md").read_text(encoding="utf-8"))
FAST, STRONG = "openai:gpt-5-mini", "openai:gpt-5"


class Verdict(BaseModel):
    """Where a message belongs."""

    category: Literal["urgent", "other"]
    confidence: float = Field(ge=0, le=1)


@dataclass(frozen=True)
class Mail:
    """What the call reads."""

    text: str
    name: str = "Robin Vale"

    def variables(self) -> Mapping[str, str]:
        """Values for sort.md."""
        return {"name": self.name, "mail": self.text}


def _rule(mail: Mail) -> Verdict:
    return Verdict(category="urgent" if "today" in mail.text else "other", confidence=0.5)


def _turn_rule(mail: Mail, messages: Sequence[BaseMessage]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "Done", "args": {}, "id": f"call_{len(messages)}"}])


SORT = ModelCall("sort", TEMPLATE, Verdict, "fast", _rule, lambda v: v.confidence)
ACT: AgentCall[Mail] = AgentCall("act", TEMPLATE, "strong", _turn_rule)
SURE: dict[str, Any] = {"category": "urgent", "confidence": 0.9}
UNSURE: dict[str, Any] = {"category": "other", "confidence": 0.2}


@dataclass
class Bench:
    """Models on a model server, the usage they recorded, and the waits they would have made."""

    server: ModelServer
    used: list[ModelUsage] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    @cached_property
    def _models(self) -> Models:
        return self.with_settings()

    def models(self) -> Models:
        """Fast and strong model on the server, no fallback."""
        return self._models

    def with_settings(self, **changes: Any) -> Models:
        """Models with other settings."""
        values: dict[str, Any] = {
            "fast": FAST,
            "strong": STRONG,
            "openai_api_key": "test-key",
            "openai_base_url": self.server.base_url,
            "timeout_seconds": 20.0,
        }
        return Models(ModelSettings(**values | changes), record=self.used.append, sleep=self._wait)

    async def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)
