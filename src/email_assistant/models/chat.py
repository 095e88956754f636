"""The chat models themselves: built on first use, off the event loop, one for each model and event loop; how much of an answer is taken.

A provider, or whoever stands in its place, may answer with hundreds of megabytes. Reading them costs memory several times over, and a
text of megabytes ends on a card: bytes are counted while they are read, then the text that came of them.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from langchain_core.messages import AIMessage
from pydantic import ValidationError

from email_assistant.errors import ConfigError
from email_assistant.models.settings import ModelSettings, ModelSpec

if TYPE_CHECKING:
    import httpx2
    from langchain_core.language_models import BaseChatModel

EXTRAS = {
    "anthropic": ("langchain-anthropic", "anthropic"),
    "google_genai": ("langchain-google-genai", "google"),
    "ollama": ("langchain-ollama", "ollama"),
}
"""Providers whose package is an extra of ours: the package, and the extra (pyproject.toml)."""
MAX_BYTES = 4_000_000
"""Of one response of a chat model."""
MAX_BYTES_OF_VECTORS = 32_000_000
"""Of one response with embeddings: a batch has a thousand texts, with as many numbers as there are dimensions for each."""
MAX_TOKENS = 4_000
"""Of one answer of a server of one's own, thoughts included: a small model may write on until its time is over."""
MAX_CHARACTERS = 200_000
"""Of one answer, its tool calls included: more than a model writes, and fifty pages."""


@dataclass
class _LoopModels:
    """What was built for one event loop: an HTTP connection must not be used from another loop."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    built: "dict[ModelSpec, BaseChatModel]" = field(default_factory=dict)
    clients: list[Any] = field(default_factory=list)


class ChatModels:
    """Builds and keeps the chat models that settings name."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopModels] = WeakKeyDictionary()

    async def get(self, spec: ModelSpec) -> "BaseChatModel":
        """The chat model; raises `ConfigError` when its provider is unknown, not installed or lacks a key."""
        here = self._loops.setdefault(asyncio.get_running_loop(), _LoopModels())
        async with here.lock:
            if spec not in here.built:
                # Building reads certificates and imports the provider's package: files, so not in the loop.
                here.built[spec] = await asyncio.to_thread(self._build, spec, here.clients)
            return here.built[spec]

    async def close(self) -> None:
        """Close the connections opened in this event loop; the models are built anew when asked for again."""
        here = self._loops.pop(asyncio.get_running_loop(), None)
        for client in here.clients if here else ():
            await client.aclose()

    def _build(self, spec: ModelSpec, clients: list[Any]) -> "BaseChatModel":
        try:
            options = self._options(spec, clients)
            from langchain.chat_models import init_chat_model

            model: BaseChatModel = init_chat_model(spec.model, model_provider=spec.provider, **options)
            return model
        # Providers' constructors raise all kinds of errors, each a matter of set-up.
        except Exception as error:
            raise unusable(spec, error) from error

    def _options(self, spec: ModelSpec, clients: list[Any]) -> dict[str, Any]:
        """Time-out always; no retries in the SDK, because one layer retries and it is ours."""
        options: dict[str, Any] = {"timeout": self._settings.timeout_seconds, "max_retries": 0}
        if spec.provider != "openai":
            return options
        # The integration's own client is shared by all event loops of the process, and reads without end.
        client = bounded_client(self._settings.timeout_seconds)
        clients.append(client)
        options["http_async_client"] = client
        if self._settings.openai_api_key:
            options["api_key"] = self._settings.openai_api_key
        if self._settings.openai_base_url:
            # A server of one's own asks for no key, and the package does not go without one.
            options.setdefault("api_key", "none")
            # Servers that imitate OpenAI know chat completions only, and send usage only when asked.
            options |= {
                "base_url": self._settings.openai_base_url,
                "use_responses_api": False,
                "stream_usage": True,
                "max_tokens": MAX_TOKENS,
            }
        return options


def unusable(spec: ModelSpec, error: Exception) -> ConfigError:
    """The one line for a model that cannot be built: its package is missing, or its provider's set-up is wrong."""
    if isinstance(error, ImportError):
        return ConfigError(
            f"{spec.setting} is {spec}, which needs another package: {_how_to_install(spec, error)}"
        )
    return ConfigError(f"{spec.setting} is {spec}, which cannot be used: {_line(error)}")


def _how_to_install(spec: ModelSpec, error: ImportError) -> str:
    """The command that brings the provider's package; LangChain's own words where we know no better."""
    if spec.provider not in EXTRAS:
        return _line(error)
    package, extra = EXTRAS[spec.provider]
    return f"install {package} with `.venv/bin/pip install -e '.[{extra}]'`"


def _line(error: Exception) -> str:
    """The error in one line; a validation error without the values, which may be secrets."""
    text = "; ".join(e["msg"] for e in error.errors()) if isinstance(error, ValidationError) else str(error)
    return " ".join(text.split())[:200] or type(error).__name__


class AnswerTooLongError(ValueError):
    """Too much came; the text says how much would have been taken."""


def check_length(answer: AIMessage) -> None:
    """Raises `AnswerTooLongError`."""
    parts = [answer.content, *(c["args"] for c in (*answer.tool_calls, *answer.invalid_tool_calls))]
    if sum(_length(part) for part in parts) > MAX_CHARACTERS:
        raise AnswerTooLongError(f"gave an answer of more than {MAX_CHARACTERS} characters")


def bounded_client(timeout: float, most: int = MAX_BYTES) -> "httpx2.AsyncClient":
    """OpenAI's HTTP client, which gives up a response of more than `most` bytes while it reads it."""
    import openai

    async def bound(response: "httpx2.Response") -> None:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise AnswerTooLongError("gave a packed answer, although it was asked for a plain one")
        response.stream = _counted(response.stream, most)

    client = openai.DefaultAsyncHttpxClient(timeout=timeout, event_hooks={"response": [bound]})
    # A few packed bytes could become more than memory holds.
    client.headers["accept-encoding"] = "identity"
    return client


def _counted(stream: Any, most: int) -> Any:
    """The stream, with its bytes counted."""
    import httpx2

    class Counted(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            came = 0
            async for part in stream:
                came += len(part)
                if came > most:
                    raise AnswerTooLongError(f"gave an answer of more than {most} bytes")
                yield part

        async def aclose(self) -> None:
            await stream.aclose()

    return Counted()


def _length(value: Any) -> int:
    """Characters in a value of JSON."""
    if isinstance(value, dict):
        return sum(_length(key) + _length(each) for key, each in value.items())
    if isinstance(value, list):
        return sum(_length(each) for each in value)
    return len(value) if isinstance(value, str) else 1
