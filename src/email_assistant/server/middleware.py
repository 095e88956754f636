"""Web middlewares before everything that is served: foreign pages and foreign names are kept out, and what a request may bring is bounded.

CORS decides who may read an answer; it does not stop a page from sending a form or a plain-text request, which the
server would take as JSON, and it does not cover WebSockets, which take the same commands. Nor does it stop a page whose
own name was pointed at this machine (DNS rebinding). So each request and each WebSocket handshake is looked at here, with
or without an API token: under which name the server is called (Host), and whose page calls (Origin). What it brings is
counted before anything holds it in memory: the length that a request announces may be missing or wrong.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
IN_PROCESS = "/noauth"
"""The ASGI root path of what the server's own code asks of it, under the name `api`: the SDK's transport sets it. No request can, and
the server's authentication goes by it, too."""
CLOSED = ("internal", "deploy")
"""First parts of paths that the development server serves to everybody, token or not: they empty it, show threads, and
start a deployment."""
CONNECTIONS = ("http", "websocket")
TOO_BIG = 1009
"""RFC 6455 §7.4.1: a message that is too big to be processed."""
Limit = Callable[[], Awaitable[int]]
"""The most bytes of a body or a message."""


@dataclass(frozen=True)
class DoorRules:
    """Who may knock, besides this machine's own names and the pages of the CORS list."""

    hosts: frozenset[str] = frozenset()
    """Further names under which the server answers, in lower case and without a port."""
    origins: frozenset[str] = frozenset()
    """Further origins of pages, like http://localhost:3000."""


class BrowserGuard:
    """ASGI middleware for every request and every WebSocket handshake.

    `cors` is the server's own CORS list (of langgraph.json), with which the added origins are served as well.
    """

    def __init__(
        self,
        app: ASGIApp,
        rules: Callable[[], Awaitable[DoorRules]],
        cors: Callable[[], Mapping[str, Any]],
    ) -> None:
        self._app = app
        self._rules = rules
        self._cors = cors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it with one line that says how to mend it."""
        if scope["type"] not in CONNECTIONS:
            await self._app(scope, receive, send)
            return
        rules = await self._rules()
        refusal = self._refusal(scope, rules)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        added = _origin(Headers(scope=scope)) in rules.origins
        cors = {**self._cors(), "allow_origins": sorted(rules.origins)}
        app = CORSMiddleware(self._app, **cors) if added else self._app
        await app(scope, receive, send)

    def _refusal(self, scope: Scope, rules: DoorRules) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        if str(scope["path"]).strip("/").partition("/")[0] in CLOSED:
            return PlainTextResponse("This path is closed.", 403)
        if scope.get("method") == "POST" and "origin" in headers and not _is_json(headers):
            return PlainTextResponse("From a browser the content-type must be application/json.", 415)
        if not _is_in_process(scope) and _host(headers) not in LOCAL_NAMES | rules.hosts:
            text = "The server does not answer under this name: EMAIL_ASSISTANT_ALLOWED_HOSTS can name it."
            return PlainTextResponse(text, 403)
        if not self._is_welcome(headers, rules):
            text = (
                "Pages of this origin may not call the server: EMAIL_ASSISTANT_ALLOWED_ORIGINS can name it."
            )
            return PlainTextResponse(text, 403)
        return None

    def _is_welcome(self, headers: Headers, rules: DoorRules) -> bool:
        """Whether no page calls, or the server's own, or a page of the lists; `null` is nobody's origin."""
        if "origin" not in headers:
            return True
        origin = _origin(headers)
        scheme, _, place = origin.partition("://")
        own = scheme in {"http", "https"} and place == headers.get("host", "").lower()
        return own or origin in rules.origins or origin in self._cors().get("allow_origins", ())


def _is_in_process(scope: Scope) -> bool:
    root = str(scope.get("root_path", ""))
    return root == IN_PROCESS or root.startswith(f"{IN_PROCESS}/")


def _origin(headers: Headers) -> str:
    """The one origin in lower case; "" for none, and for several, which no browser sends."""
    named = headers.getlist("origin")
    return named[0].lower() if len(named) == 1 else ""


def _is_json(headers: Headers) -> bool:
    return headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def _host(headers: Headers) -> str:
    """The one name, without its port; "" for none, and for several."""
    named = headers.getlist("host")
    host = named[0].lower() if len(named) == 1 else ""
    return host if host.endswith("]") else host.rpartition(":")[0] or host


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
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isascii() and announced.isdigit() and int(announced[:20]) > limit:
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
