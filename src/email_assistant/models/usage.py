"""The use of a model call: tokens, money, time."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from langchain_core.callbacks import adispatch_custom_event
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables.config import ensure_config, get_async_callback_manager_for_config

from email_assistant.models.call import Tier
from email_assistant.models.settings import OFFLINE, ModelSpec

USAGE_EVENT = "model_usage"
CHARACTERS_PER_TOKEN = 4

# Providers that the price list calls by another name than LangChain does.
_PRICE_LIST_NAMES = {
    "azure_openai": "azure",
    "bedrock": "aws",
    "bedrock_converse": "aws",
    "google_genai": "google",
    "google_vertexai": "google",
    "mistralai": "mistral",
    "xai": "x-ai",
}


@dataclass(frozen=True)
class Tokens:
    """Counts of one request; `cached` is the part of `prompt` that the provider had in its cache."""

    prompt: int
    completion: int
    cached: int = 0
    cache_written: int = 0
    estimated: bool = False
    """Whether the counts were guessed from the length of the text."""


@dataclass(frozen=True)
class ModelUsage:
    """One call of one model, successful or not."""

    call: str
    tier: Tier
    model: str
    """`provider:model`, or `offline`."""
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    """The part of `prompt_tokens` that came from the provider's cache."""
    cost_usd: Decimal | None
    """By the public price list; None when it does not know the model."""
    latency_ms: float
    """From the first attempt's start to the last one's end, waits included."""
    attempts: int
    estimated: bool
    """Whether tokens were guessed from the length of the text."""
    error: str | None = None
    """One line when the call failed, else None."""


Recorder = Callable[[ModelUsage], None]


def usage_as_dict(usage: ModelUsage) -> dict[str, Any]:
    """The usage as JSON values; the cost as a decimal string."""
    cost = None if usage.cost_usd is None else format(usage.cost_usd, "f")
    return asdict(usage) | {"cost_usd": cost}


async def report(usage: ModelUsage, record: Recorder | None) -> None:
    """Hand the usage to `record`, and to the callbacks of the run this happens in, if there is one."""
    if record is not None:
        record(usage)
    if get_async_callback_manager_for_config(ensure_config()).parent_run_id is not None:
        await adispatch_custom_event(USAGE_EVENT, usage_as_dict(usage))


def tokens_of(messages: list[BaseMessage], answer: AIMessage) -> Tokens:
    """The provider's own counts, or an estimate when it sent none."""
    counts = answer.usage_metadata
    if not counts:
        return estimate(
            sum(len(m.text) for m in messages), len(answer.text) + len(str(answer.tool_calls or ""))
        )
    details = counts.get("input_token_details") or {}
    return Tokens(
        prompt=counts["input_tokens"],
        completion=counts["output_tokens"],
        cached=details.get("cache_read") or 0,
        cache_written=details.get("cache_creation") or 0,
    )


def estimate(prompt_characters: int, completion_characters: int) -> Tokens:
    """Counts guessed from lengths in characters, rounded up."""
    return Tokens(
        prompt=-(-prompt_characters // CHARACTERS_PER_TOKEN),
        completion=-(-completion_characters // CHARACTERS_PER_TOKEN),
        estimated=True,
    )


async def cost(spec: ModelSpec | None, tokens: Tokens, base_url: str | None = None) -> Decimal | None:
    """What the tokens cost in US dollars; nothing for the offline rules, None when the price is unknown."""
    if spec is None:
        return Decimal(0)
    # The price list is a large module: importing it reads a file.
    return await asyncio.to_thread(_price, spec, tokens, base_url)


def model_label(spec: ModelSpec | None) -> str:
    """How usage records name a model."""
    return str(spec) if spec else OFFLINE


def _price(spec: ModelSpec, tokens: Tokens, base_url: str | None) -> Decimal | None:
    from genai_prices import Usage, calc_price

    cached = min(tokens.cached, tokens.prompt)
    usage = Usage(
        input_tokens=tokens.prompt,
        output_tokens=tokens.completion,
        cache_read_tokens=cached,
        cache_write_tokens=min(tokens.cache_written, tokens.prompt - cached),
    )
    provider = _PRICE_LIST_NAMES.get(spec.provider, spec.provider)
    # A server behind a base URL may be a provider of its own; a gateway charges what its models cost.
    prices = [
        *([partial(calc_price, usage, spec.model, provider_api_url=base_url)] if base_url else []),
        partial(calc_price, usage, spec.model, provider_id=provider),
    ]
    for price in prices:
        try:
            return Decimal(price().total_price)
        except (LookupError, ValueError):
            continue
    return None
