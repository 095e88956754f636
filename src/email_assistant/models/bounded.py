"""How much of a model's answer is taken: bytes while they are read, then the text that came of them.

A provider, or whoever stands in its place, may answer with hundreds of megabytes. Reading them costs memory several times
over, and a text of megabytes ends on a card.
"""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage

if TYPE_CHECKING:
    import httpx2

MAX_BYTES = 4_000_000
"""Of one response of a chat model."""
MAX_BYTES_OF_VECTORS = 32_000_000
"""Of one response with embeddings: a batch has a thousand texts, with as many numbers as there are dimensions for each."""
MAX_CHARACTERS = 200_000
"""Of one answer, its tool calls included: more than a model writes, and fifty pages."""


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
