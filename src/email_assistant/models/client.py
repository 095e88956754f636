"""Asking a model: time limit, the one retry layer, the fallback model, and a usage record for each."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_exponential_jitter

from email_assistant.errors import ProviderError, TransientError
from email_assistant.models.call import Tier
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
