"""A tier as a LangChain chat model, for libraries: the same retries, fallback and usage records."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

Answer = Callable[[list[BaseMessage], dict[str, Any]], Awaitable[AIMessage]]
"""Answers messages; the second argument holds what was bound: `tools`, `tool_choice`, `stop` and the like."""


class TierChatModel(BaseChatModel):
    """The chat model of one tier. It is async only: nothing here may block the event loop."""

    answer: Answer
    label: str

    @property
    def _llm_type(self) -> str:
        return self.label

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Bind tools in the form that all providers' chat models take."""
        chosen = {} if tool_choice is None else {"tool_choice": tool_choice}
        return self.bind(tools=[convert_to_openai_tool(t) for t in tools], **chosen, **kwargs)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        options = kwargs if stop is None else kwargs | {"stop": stop}
        return ChatResult(generations=[ChatGeneration(message=await self.answer(messages, options))])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError(f"{self.label} is asked with await: ainvoke, not invoke")
