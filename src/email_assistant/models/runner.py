"""Runs model calls: the tier's model answers, or the call's own rule when the tier is offline."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeVar

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel

from email_assistant.errors import ConfigError, ProviderError
from email_assistant.models.answers import Unusable, correction, read_answer
from email_assistant.models.call import AgentCall, CallInput, I, ModelCall, T, Tier
from email_assistant.models.chat import ChatModels
from email_assistant.models.client import Bind, ModelClient, Request
from email_assistant.models.failures import ModelOutputError, ModelTooLongError, refuses_tool_choice
from email_assistant.models.settings import ModelSettings, ModelSpec
from email_assistant.models.usage import Recorder, estimate, model_label
from email_assistant.prompts import PromptTemplate, aload

R = TypeVar("R")
Answer = Callable[[list[BaseMessage], dict[str, Any]], Awaitable[AIMessage]]
"""Answers messages; the second argument holds what was bound: `tools`, `tool_choice`, `stop` and the like."""
MAX_ANSWERS = 2
"""An unusable answer is asked again once."""


@dataclass
class _LibraryCall:
    """What a library is asked to do; libraries try again on their own, which is not theirs to do."""

    name: str = "library"
    failure: ProviderError | None = None
    """The model's first failure: further tries get it at once, without asking the model."""


_library_call: ContextVar[_LibraryCall | None] = ContextVar("library_call", default=None)


@dataclass(frozen=True)
class Models:
    """The models behind the tiers. Building it touches nothing; models are built when first asked."""

    settings: ModelSettings
    record: Recorder | None = None
    """Told of every call's usage, failed ones included."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    """Waits between attempts, in seconds."""
    _chat_models: ChatModels = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_chat_models", ChatModels(self.settings))

    async def run(self, call: ModelCall[I, T], inputs: I, *, escalate_below: float | None = None) -> T:
        """The call's typed answer.

        With `escalate_below` the fast tier answers first, and the strong tier when the answer's confidence is
        below it or the fast tier's answers were unusable. Raises `ModelOutputError` when the answers do not
        fit the schema, `TransientError` or `ProviderError` when the model cannot be asked, `ConfigError` when
        settings are wrong, `ValueError` when the input does not fit the prompt.
        """
        if escalate_below is None:
            return await self._answer(call, inputs, call.tier)
        if call.confidence is None:
            raise ValueError(f"{call.name} cannot be escalated: it has no confidence")
        if self.model_name("fast") == self.model_name("strong"):
            return await self._answer(call, inputs, "strong")
        try:
            answer = await self._answer(call, inputs, "fast")
        except ModelOutputError:
            return await self._answer(call, inputs, "strong")
        sure = call.confidence(answer) >= escalate_below
        return answer if sure else await self._answer(call, inputs, "strong")

    async def turn(
        self, call: AgentCall[I], inputs: I, messages: Sequence[BaseMessage], tools: Sequence[Any]
    ) -> AIMessage:
        """The agent's next message, as it came: its tool calls may be unknown, wrong or unreadable
        (`invalid_tool_calls`). `messages` is what was said since the prompt. Raises as `run` does."""
        asked = [*await self._rendered(call.prompt, inputs), *messages]
        request = Request(call.name, call.tier, asked, _binding(tools))
        spec = self.settings.spec(call.tier)
        if spec is not None:
            return await self._readable(request, spec)
        started = time.perf_counter()
        # Rules read time zones and long texts: files and time that the event loop should not spend.
        answer = await asyncio.to_thread(call.offline, inputs, messages)
        await self._ruled(request, answer.text + str(answer.tool_calls or ""), started)
        return answer

    def is_offline(self, tier: Tier) -> bool:
        """Whether rules stand in for the tier's model; raises `ConfigError` for a wrong setting."""
        return self.settings.spec(tier) is None

    def model_name(self, tier: Tier) -> str:
        """`provider:model`, or `offline`; raises `ConfigError` for a wrong setting."""
        return model_label(self.settings.spec(tier))

    def chat_model(self, tier: Tier) -> BaseChatModel:
        """The tier as a chat model, for a library that needs one; to be used within `guarded`.

        It is async only, builds nothing until it is asked, and raises domain errors. Raises `ConfigError`
        when the tier is offline or its setting is wrong.
        """
        spec = self.settings.spec(tier)
        if spec is None:
            raise ConfigError(f"the {tier} model is offline; there is no language model to give to a library")

        async def answer(messages: list[BaseMessage], options: dict[str, Any]) -> AIMessage:
            work = _library_call.get() or _LibraryCall()
            if work.failure is not None:
                raise work.failure
            try:
                return await self._client.ask(Request(work.name, tier, messages, _bound_with(options)), spec)
            except ProviderError as error:
                work.failure = error
                raise

        return TierChatModel(answer=answer, label=str(spec))

    async def guarded(self, name: str, tier: Tier, work: Callable[[], Awaitable[R]]) -> R:
        """What a library's `work` returns; its calls of `chat_model` are recorded under `name`.

        A library that trips over the model's answer raises `ModelOutputError`; the model's own errors are
        those of `run`. Raises `ConfigError` when the tier is offline or its setting is wrong.
        """
        self.chat_model(tier)
        call = _LibraryCall(name)
        token = _library_call.set(call)
        try:
            return await work()
        except Exception as error:
            if call.failure is not None:
                raise call.failure from error
            if isinstance(error, ValueError | LookupError | TypeError | RecursionError):
                text = f"{name}: the model's answer could not be used ({type(error).__name__})"
                raise ModelOutputError(text) from error
            raise
        finally:
            _library_call.reset(token)

    async def close(self) -> None:
        """Close the connections opened in this event loop; the next call opens new ones."""
        await self._chat_models.close()

    @property
    def _client(self) -> ModelClient:
        return ModelClient(self.settings, self._chat_models, self.record, self.sleep)

    async def _answer(self, call: ModelCall[I, T], inputs: I, tier: Tier) -> T:
        request = Request(call.name, tier, await self._rendered(call.prompt, inputs), _forcing(call.output))
        spec = self.settings.spec(tier)
        if spec is not None:
            return await self._structured(call, request, spec)
        started = time.perf_counter()
        answer = await asyncio.to_thread(call.offline, inputs)
        await self._ruled(request, answer.model_dump_json(), started)
        return answer

    async def _structured(self, call: ModelCall[I, T], request: Request, spec: ModelSpec) -> T:
        asked, unusable = request.messages, Unusable("")
        for _ in range(MAX_ANSWERS):
            message: AIMessage | None = None
            try:
                message = await self._tool_call(replace(request, messages=asked), call, spec)
                answer = read_answer(message, call.output)
            except ModelTooLongError as error:
                answer = Unusable(str(error))
            except ModelOutputError:
                answer = Unusable(
                    f"{call.output.__name__}: the arguments are not a JSON object of sound text"
                )
            if not isinstance(answer, Unusable):
                return answer
            unusable = answer
            asked = [*request.messages, correction(message, call.output, unusable)]
        raise ModelOutputError(
            f"{call.name}: {spec} did not answer in the form asked for: {unusable.problem}"
        )

    async def _readable(self, request: Request, spec: ModelSpec) -> AIMessage:
        """The model's message; one that not even a message could be made of is asked for again."""
        for _ in range(MAX_ANSWERS - 1):
            with suppress(ModelOutputError):
                return await self._client.ask(request, spec)
        return await self._client.ask(request, spec)

    async def _tool_call(self, request: Request, call: ModelCall[I, T], spec: ModelSpec) -> AIMessage:
        """Ask for the call of one tool; a server that cannot be told to call it is merely offered it."""
        try:
            return await self._client.ask(request, spec)
        except ProviderError as error:
            if not refuses_tool_choice(error):
                raise
        return await self._client.ask(replace(request, bind=_binding([_schema(call.output)])), spec)

    async def _rendered(self, prompt: str | PromptTemplate, inputs: CallInput) -> list[BaseMessage]:
        template = await aload(prompt) if isinstance(prompt, str) else prompt
        system, user = template.render(inputs.variables())
        return [SystemMessage(_sound(system)), HumanMessage(_sound(user))]

    async def _ruled(self, request: Request, answer: str, started: float) -> None:
        tokens = estimate(sum(len(m.text) for m in request.messages), len(answer))
        await self._client.report(request, None, tokens, started=started)


def _sound(text: str) -> str:
    """The text with a "?" for each half of a surrogate pair, which broken mail may hold and cannot be sent."""
    return text.encode("utf-8", "replace").decode()


def _binding(tools: Sequence[Any]) -> Bind:
    def bind(model: BaseChatModel) -> Runnable[LanguageModelInput, AIMessage]:
        return model.bind_tools(tools) if tools else model

    return bind


def _forcing(output: type[BaseModel]) -> Bind:
    tool = _schema(output)

    def bind(model: BaseChatModel) -> Runnable[LanguageModelInput, AIMessage]:
        try:
            return model.bind_tools([tool], tool_choice=output.__name__)
        except (TypeError, ValueError, NotImplementedError):
            return model.bind_tools([tool])  # Some integrations cannot force a call.

    return bind


@cache
def _schema(output: type[BaseModel]) -> dict[str, Any]:
    """A form of answer as a tool; walking through it takes longer than the request."""
    return convert_to_openai_tool(output)


def _bound_with(options: dict[str, Any]) -> Bind:
    def bind(model: BaseChatModel) -> Runnable[LanguageModelInput, AIMessage]:
        rest = dict(options)
        tools = rest.pop("tools", None)
        return model.bind_tools(tools, **rest) if tools else model.bind(**rest)

    return bind


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
