"""What requests to a model hold, in tokens, and how much of it a provider has seen before.

A token is four characters, as everywhere here. A provider reads the tools first, then the messages in order, and what a request shares
with an earlier one of the same kind from its beginning it need not read again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from email_assistant.models.usage import CHARACTERS_PER_TOKEN

CACHED_FROM, CACHED_STEP = 1_024, 128
"""OpenAI's rule: prefixes of at least so many tokens, in such steps."""


@dataclass(frozen=True)
class PromptTokens:
    """Of all requests together."""

    calls: int
    prompt: int
    shared: int
    """Of `prompt`, what began an earlier request of the same kind, too."""
    cached: int
    """Of `shared`, what OpenAI's rule takes from its cache."""


def prompt_tokens(bodies: Sequence[Mapping[str, Any]]) -> PromptTokens:
    """Of requests in OpenAI's form, in their order."""
    earlier: dict[str, list[str]] = {}
    prompt = shared = cached = 0
    for body in bodies:
        text = prompt_text(body)
        of_kind = earlier.setdefault(_kind(body), [])
        begins = max((_common(text, other) // CHARACTERS_PER_TOKEN for other in of_kind), default=0)
        prompt, shared = prompt + _tokens(text), shared + begins
        cached += begins // CACHED_STEP * CACHED_STEP if begins >= CACHED_FROM else 0
        of_kind.append(text)
    return PromptTokens(len(bodies), prompt, shared, cached)


def prompt_text(body: Mapping[str, Any]) -> str:
    """All of a request that the model reads, in the order in which it reads it."""
    told = [_json(tool) for tool in body.get("tools", [])]
    for message in body["messages"]:
        called = message.get("tool_calls")
        told += [message["role"], message.get("content") or "", *([_json(called)] if called else [])]
    return "\n".join(told)


def _kind(body: Mapping[str, Any]) -> str:
    return ", ".join(tool["function"]["name"] for tool in body.get("tools", []))


def _common(text: str, other: str) -> int:
    """With how many characters both begin."""
    pairs = enumerate(zip(text, other, strict=False))
    return next((at for at, (one, two) in pairs if one != two), min(len(text), len(other)))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _tokens(text: str) -> int:
    return len(text) // CHARACTERS_PER_TOKEN
