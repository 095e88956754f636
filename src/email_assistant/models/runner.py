"""Runs model calls: the tier's model answers, or the call's own rule when the tier is offline."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, TypeVar

import structlog
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel

from email_assistant.errors import ConfigError, ProviderError
from email_assistant.models.call import AgentCall, CallInput, I, ModelCall, T, Tier
from email_assistant.models.chat import ChatModels
from email_assistant.models.client import (
    Bind,
    ModelClient,
    Request,
    Unusable,
    correction,
    read_answer,
    read_calls,
)
from email_assistant.models.failures import (
    ModelOutputError,
    UnusableAnswerError,
    is_unavailable,
    refuses_form,
)
from email_assistant.models.settings import ModelSettings, ModelSpec
from email_assistant.models.structured_output import FORMS, BoundTools, Form
from email_assistant.models.usage import Recorder, model_label, tokens_of
from email_assistant.prompts import PromptTemplate, aload

R = TypeVar("R")
Answer = Callable[[list[BaseMessage], dict[str, Any]], Awaitable[AIMessage]]
"""Answers messages; the second argument holds what was bound: `tools`, `tool_choice`, `stop` and the like."""
MAX_ANSWERS = 2
"""An unusable answer is asked again once."""
OFFLINE_NOTE = "Written by the built-in offline rules, not by a language model."

log = structlog.get_logger(__name__)


@dataclass
class _LibraryCall:
    """What a library is asked to do; libraries try again on their own, which is not theirs to do."""

    name: str = "library"
    failure: ProviderError | None = None
    """The model's first failure: further tries get it at once, without asking the model."""


_unusable: ContextVar[str] = ContextVar("unusable", default="")
"""Why rules gave the last answer in place of a model."""
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
    _forms: dict[str, Form] = field(init=False, repr=False, compare=False, default_factory=dict)
    """The form in which each model's server has answered, by the model's name."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_chat_models", ChatModels(self.settings))

    async def run(self, call: ModelCall[I, T], inputs: I, *, escalate_below: float | None = None) -> T:
        """The call's typed answer; by its rule when the model's answers do not fit the schema (see `note`).

        With `escalate_below` the fast tier answers first, and the strong tier when the answer's confidence is
        below it or the fast tier's answers were unusable. Raises `TransientError` or `ProviderError` when the
        model cannot be asked or gives no answer at all, unless rules are its fallback, `ConfigError` when settings
        are wrong, `ValueError` when the input does not fit the prompt.
        """
        tier = call.tier
        if escalate_below is not None:
            if call.confidence is None:
                raise ValueError(f"{call.name} cannot be escalated: it has no confidence")
            tier = "strong"
            if self.model_name("fast") != self.model_name("strong"):
                with suppress(ModelOutputError):
                    answer = await self.ask(call, inputs, "fast")
                    if call.confidence(answer) >= escalate_below:
                        return answer
        try:
            return await self.ask(call, inputs, tier)
        except UnusableAnswerError as error:
            request = Request(call.name, tier, await self._rendered(call.prompt, inputs))
            return await self._ruled(request, partial(call.offline, inputs), error)

    async def ask(self, call: ModelCall[I, T], inputs: I, tier: Tier) -> T:
        """The tier's own answer; raises `UnusableAnswerError` when none fits the schema, else as `run` does."""
        _unusable.set("")
        request = Request(call.name, tier, await self._rendered(call.prompt, inputs))
        if (spec := self.settings.spec(tier)) is None:
            return await self._ruled(request, partial(call.offline, inputs))
        return await self._called(
            request, _typed(call.output), spec, partial(read_answer, output=call.output)
        )

    async def turn(
        self, call: AgentCall[I], inputs: I, messages: Sequence[BaseMessage], tools: Sequence[Any]
    ) -> AIMessage:
        """The agent's next message, with a call of one of the tools unless the call is optional.

        Arguments may be wrong or unreadable (`invalid_tool_calls`). `messages` is what was said since the
        prompt. When the model calls none of the tools, the rule does (see `note`). Raises as `run` does.
        """
        _unusable.set("")
        request = Request(call.name, call.tier, [*await self._rendered(call.prompt, inputs), *messages])
        rule = partial(call.offline, inputs, messages)
        if (spec := self.settings.spec(call.tier)) is None:
            return await self._ruled(request, rule)
        bound = BoundTools(tools, optional=call.is_optional or not tools)
        read = partial(read_calls, names=bound.functions, is_optional=bound.optional)
        try:
            return await self._called(request, bound, spec, read)
        except UnusableAnswerError as error:
            return await self._ruled(request, rule, error)

    @property
    def failure(self) -> str:
        """Why rules gave the last answer in this task in place of a model, as cards tell it; "" when they did not."""
        return _unusable.get()

    def note(self, tier: Tier) -> str:
        """What cards tell when rules gave the last answer in this task, for want of a model or for its failure."""
        return OFFLINE_NOTE if self.is_offline(tier) else self.failure

    def form(self, tier: Tier) -> Form | None:
        """The form in which the tier's server has answered; None before the first such answer."""
        return self._forms.get(self.model_name(tier))

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

    async def _called(
        self, request: Request, bound: BoundTools, spec: ModelSpec, read: Callable[[AIMessage], R | Unusable]
    ) -> R:
        """The model's call as `read` has it: in the form that its server takes, once more when it is unusable.

        Raises `UnusableAnswerError` when it stays unusable, `ModelOutputError` when the response is none.
        """
        model, told, tries = str(spec), list[BaseMessage](), 0
        form = self._forms.get(model, FORMS[0])
        while True:
            further = FORMS[FORMS.index(form) + 1 :]
            messages = bound.messages(form, [*request.messages, *told])
            message, ignored = None, False
            kind: type[ModelOutputError] = UnusableAnswerError
            try:
                asked = replace(request, messages=messages, bind=partial(bound.bind, form))
                message = bound.called(await self._client.ask(asked, spec))
                answer = read(message)
                ignored = not (message.tool_calls or message.invalid_tool_calls)
            except ModelOutputError as error:
                answer, kind = Unusable(str(error)), type(error)
            except ProviderError as error:
                if self.settings.falls_back_to_rules and is_unavailable(error):
                    raise UnusableAnswerError(str(error)) from error
                if not (further and refuses_form(error)):
                    raise
                answer, ignored = Unusable(str(error)), True
            # A turn without a call may be right; of a server that has called nothing yet nobody knows whether it can.
            is_known = model in self._forms or not bound.tools
            if ignored and further and (isinstance(answer, Unusable) or (form == "tool" and not is_known)):
                form, told = further[0], []
                continue
            if message and not ignored and (bound.forced or not is_known):
                self._forms[model] = form
            if not isinstance(answer, Unusable):
                return answer
            tries += 1
            if tries == MAX_ANSWERS:
                text = f"{request.call}: {model} did not answer in the form asked for: {answer.problem}"
                raise kind(text)
            told = [correction(message, answer)]

    async def _rendered(self, prompt: str | PromptTemplate, inputs: CallInput) -> list[BaseMessage]:
        template = await aload(prompt) if isinstance(prompt, str) else prompt
        system, user = template.render(inputs.variables())
        return [SystemMessage(_sound(system)), HumanMessage(_sound(user))]

    async def _ruled(
        self, request: Request, rule: Callable[[], T], error: UnusableAnswerError | None = None
    ) -> T:
        """The answer of the rule; `error` tells of the model's answers, where one was asked."""
        if error:
            _unusable.set(f"The model gave no answer that could be used ({error}): fixed rules wrote this.")
            log.warning("model_unusable", call=request.call)
        started = time.perf_counter()
        # Rules read time zones and long texts: files and time that the event loop should not spend.
        answer = await asyncio.to_thread(rule)
        said = answer if isinstance(answer, AIMessage) else AIMessage(answer.model_dump_json())
        tokens = tokens_of(request.messages, said)
        await self._client.report(request, None, tokens, started=started)
        return answer


def _sound(text: str) -> str:
    """The text with a "?" for each half of a surrogate pair, which broken mail may hold and cannot be sent."""
    return text.encode("utf-8", "replace").decode()


@cache
def _typed(output: type[BaseModel]) -> BoundTools:
    """A form of answer as the tool to be called; walking through it takes longer than the request."""
    return BoundTools([convert_to_openai_tool(output)], forced=True)


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
