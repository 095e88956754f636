"""What a model-backed step is: a prompt, an output, a tier, and the rule that stands in for a model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel

from email_assistant.prompts import PromptTemplate

Tier = Literal["fast", "strong"]
"""`fast` is the cheap model for sorting, `strong` the one for writing and for what `fast` is unsure of."""


class CallInput(Protocol):
    """What a call reads."""

    def variables(self) -> Mapping[str, str]:
        """Values of the prompt's variables, each of them and no others."""


I = TypeVar("I", bound=CallInput)  # noqa: E741 - I for input, T for the typed output
T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class ModelCall(Generic[I, T]):
    """One question with a typed answer, declared once beside its rule-based stand-in."""

    name: str
    """Names the call in usage records and errors."""
    prompt: str | PromptTemplate
    """Name of the template in `prompts/`, without its ending; or a template."""
    output: type[T]
    """The answer's schema; its docstring and field descriptions are read by the model."""
    tier: Tier
    offline: Callable[[I], T]
    """The rule that answers when the tier is `offline`."""
    confidence: Callable[[T], float] | None = None
    """How sure an answer is, 0 to 1; None when the call cannot be escalated."""


@dataclass(frozen=True)
class AgentCall(Generic[I]):
    """One turn of an agent: the answer is a message with tool calls."""

    name: str
    prompt: str | PromptTemplate
    tier: Tier
    offline: Callable[[I, Sequence[BaseMessage]], AIMessage]
    """The rule that gives the next turn, from the input and the messages so far, without a model."""
    is_optional: bool = False
    """True when a turn may be text, which ends the agent's work."""
