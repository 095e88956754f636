"""A web middleware that keeps foreign web pages from pressing Accept.

CORS decides who may read an answer; it does not stop a page from sending a form or a plain-text request, which the
server would take as JSON. Nor does it stop a page whose own name was pointed at this machine (DNS rebinding).
So a request from a browser must be JSON, for which the browser asks the CORS list first, and without an API token the
server answers only under the names of this machine.
"""

from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]", "api"})
"""`api` is what the server calls itself when its own code talks to it."""


class BrowserGuard:
    """ASGI middleware; `has_token` tells whether an API token protects the server.

    `guarded` paths are left alone: they are called from outside, and check for themselves who calls.
    """

    def __init__(
        self, app: ASGIApp, has_token: Callable[[], Awaitable[bool]], guarded: frozenset[str] = frozenset()
    ) -> None:
        self._app = app
        self._has_token = has_token
        self._guarded = guarded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it with one line that says how to mend it."""
        refusal = await self._refusal(scope) if scope["type"] == "http" else None
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await refusal(scope, receive, send)

    async def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        if scope["path"] in self._guarded:
            return None
        if scope["method"] == "POST" and "origin" in headers and not _is_json(headers):
            return PlainTextResponse("From a browser the content-type must be application/json.", 415)
        if _host(headers) not in LOCAL_NAMES and not await self._has_token():
            text = "Under this name the server answers only with EMAIL_ASSISTANT_API_TOKEN set."
            return PlainTextResponse(text, 403)
        return None


def _is_json(headers: Headers) -> bool:
    return headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def _host(headers: Headers) -> str:
    host = headers.get("host", "").lower()
    return host if host.endswith("]") else host.rpartition(":")[0] or host
