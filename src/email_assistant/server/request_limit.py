"""A web middleware that bounds what a request, or one message on a WebSocket, may bring.

It stands before whatever holds a body in memory, and counts what really comes: the length that a request announces may be
missing or wrong.
"""

from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOO_BIG = 1009
"""RFC 6455 §7.4.1: a message that is too big to be processed."""
Limit = Callable[[], Awaitable[int]]
"""The most bytes of a body or a message."""


class RequestLimit:
    """ASGI middleware: a longer body is answered with 413, a longer message ends its WebSocket."""

    def __init__(self, app: ASGIApp, limit: Limit) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with what it brings counted."""
        if scope["type"] == "http":
            await self._request(scope, receive, send, await self._limit())
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send, await self._limit())
        else:
            await self._app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send, limit: int) -> None:
        told = Headers(scope=scope).get("content-length", "")
        if told.isascii() and told.isdigit() and int(told[:20]) > limit:
            await _too_long(limit)(scope, receive, send)
            return
        came, answered, refused = 0, False, False

        async def counted() -> Message:
            nonlocal came, refused
            message = await receive()
            came += len(message.get("body", b""))
            if came <= limit:
                return message
            if not answered:
                await _too_long(limit)(scope, receive, send)
            refused = True
            return {"type": "http.disconnect"}

        async def noting(message: Message) -> None:
            nonlocal answered
            answered = True
            if not refused:
                await send(message)

        try:
            await self._app(scope, counted, noting)
        except Exception:
            if not refused:
                raise  # What reads the body may complain of its end; that was told already.

    async def _socket(self, scope: Scope, receive: Receive, send: Send, limit: int) -> None:
        async def counted() -> Message:
            message = await receive()
            if _size(message) <= limit:
                return message
            await send({"type": "websocket.close", "code": TOO_BIG})
            return {"type": "websocket.disconnect", "code": TOO_BIG}

        await self._app(scope, counted, send)


def _size(message: Message) -> int:
    text = message.get("text")
    return len(text.encode()) if text else len(message.get("bytes") or b"")


def _too_long(limit: int) -> PlainTextResponse:
    return PlainTextResponse(
        f"The body is longer than {limit} bytes (EMAIL_ASSISTANT_MAX_REQUEST_BYTES).", 413
    )
