"""Asking a model: time limit, the one retry layer, the fallback model, and a usage record for each.

A model's answers: typed ones read as their schema, or told to be wrong; tool calls in a form in which each can be answered.
"""

import asyncio
import json
import time
import uuid
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any

import structlog
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable
from pydantic import ValidationError
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_exponential_jitter

from email_assistant.errors import ProviderError, TransientError
from email_assistant.models.call import T, Tier
from email_assistant.models.chat import ChatModels, check_length
from email_assistant.models.failures import Failure, domain_error, is_unavailable, understand
from email_assistant.models.settings import ModelSettings, ModelSpec
from email_assistant.models.usage import ModelUsage, Recorder, Tokens, cost, model_label, report, tokens_of

MAX_ATTEMPTS = 3
MAX_WAIT_SECONDS = 60.0
"""A provider that asks for a longer wait is not waited for."""

Bind = Callable[[BaseChatModel], Runnable[LanguageModelInput, AIMessage]]
"""Prepares a chat model for a request, usually by binding tools."""

log = structlog.get_logger(__name__)
_backoff = wait_exponential_jitter(initial=1, max=20, jitter=1)


@dataclass(frozen=True)
class Request:
    """What to ask, and on whose behalf."""

    call: str
    tier: Tier
    messages: list[BaseMessage]
    bind: Bind | None = None


@dataclass(frozen=True)
class ModelClient:
    """Asks the models that settings name."""

    settings: ModelSettings
    chat_models: ChatModels
    record: Recorder | None
    sleep: Callable[[float], Awaitable[None]]

    async def ask(self, request: Request, spec: ModelSpec) -> AIMessage:
        """The model's message, or the fallback model's when it stays out of reach.

        Raises `TransientError` when neither can be reached, `ProviderError` when one refuses, `ConfigError`
        when a model's setting is wrong.
        """
        fallback = self.settings.fallback_spec
        try:
            return await self._ask_one(request, spec)
        except ProviderError as error:
            if fallback is None or str(fallback) == str(spec) or not is_unavailable(error):
                raise
            first = error
        log.warning("model_fallback", call=request.call, model=str(spec), fallback=str(fallback))
        try:
            return await self._ask_one(request, fallback)
        except ProviderError as error:
            if is_unavailable(error):
                raise TransientError(f"{first}; nor does the fallback help: {error}") from error
            raise

    async def report(
        self,
        request: Request,
        spec: ModelSpec | None,
        tokens: Tokens,
        *,
        started: float,
        attempts: int = 1,
        error: str | None = None,
    ) -> None:
        """Report a call; `started` is a `time.perf_counter` reading, no `spec` is offline, `error` says why it failed."""
        paid = None if error else await cost(spec, tokens, self.settings.openai_base_url)
        usage = ModelUsage(
            call=request.call,
            tier=request.tier,
            model=model_label(spec),
            prompt_tokens=tokens.prompt,
            completion_tokens=tokens.completion,
            cached_tokens=tokens.cached,
            cost_usd=paid,
            latency_ms=round((time.perf_counter() - started) * 1000, 3),
            attempts=attempts,
            estimated=tokens.estimated,
            error=error,
        )
        await report(usage, self.record)

    async def _ask_one(self, request: Request, spec: ModelSpec) -> AIMessage:
        model = await self.chat_models.get(spec)
        bound = request.bind(model) if request.bind else model
        attempts, started = 0, time.perf_counter()
        retrying = AsyncRetrying(
            stop=stop_after_attempt(MAX_ATTEMPTS),
            wait=_wait,
            retry=retry_if_exception(_worth_retrying),
            sleep=self.sleep,
            reraise=True,
        )
        try:
            async for attempt in retrying:
                with attempt:
                    attempts += 1
                    # The SDK's time-out runs anew with every byte; this one bounds the whole answer.
                    async with asyncio.timeout(self.settings.timeout_seconds):
                        answer = await bound.ainvoke(request.messages)
                    check_length(answer)
                    _check_text(answer)
        except Exception as error:
            failure = understand(error)
            if failure is None:
                raise
            mapped = domain_error(failure, spec)
            await self.report(
                request, spec, Tokens(0, 0), started=started, attempts=attempts, error=str(mapped)
            )
            raise mapped from error
        await self.report(
            request, spec, tokens_of(request.messages, answer), started=started, attempts=attempts
        )
        return answer


def _check_text(answer: AIMessage) -> None:
    """Raises `UnicodeEncodeError` for half a surrogate pair: JSON lets it through, nothing can store it."""
    calls = [*answer.tool_calls, *answer.invalid_tool_calls]
    json.dumps([answer.content, calls], ensure_ascii=False, default=str).encode()


def _worth_retrying(error: BaseException) -> bool:
    failure = understand(error)
    return failure is not None and failure.retryable and (failure.retry_after or 0.0) <= MAX_WAIT_SECONDS


def _wait(state: RetryCallState) -> float:
    """Exponential back-off with jitter, and never less than the provider asked for."""
    error = state.outcome.exception() if state.outcome else None
    failure: Failure | None = understand(error) if error else None
    return max(float(_backoff(state)), (failure.retry_after if failure else None) or 0.0)


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
