"""The door of the review page: who may come in, whose page may act, and what a browser may do with what it gets.

Custom routes are outside the server's authentication, so each of the page's routes stands behind this.
"""

from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from email_assistant.page.session import COOKIE, KEY, PageSession, Sessions

LOGIN = "/review/login"
OPEN = (LOGIN, "/review/static")
"""Begin the paths that need no session: they show nothing of anybody's mail."""
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
"""On every response, unless the route says otherwise."""
_READS = frozenset({"GET", "HEAD"})
_DOORSTEP = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Review</title><link rel="icon" href="data:,">
<script type="module" src="/review/static/doorstep.js"></script></head>
<body></body></html>
"""
"""What a page that is merely navigated to gets with a cookie: its script asks again and shows the session's key, too."""


class PageDoor:
    """ASGI middleware of every route of the page."""

    def __init__(self, app: ASGIApp, sessions: Callable[[], Awaitable[Sessions]]) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it; what goes out has the page's headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = _refusal(scope) or await self._turned_away(HTTPConnection(scope))
        await (refusal or self._app)(scope, receive, guarded)

    async def _turned_away(self, request: HTTPConnection) -> Response | None:
        path = request.url.path
        if any(path == each or path.startswith(f"{each}/") for each in OPEN):
            return None
        sessions = await self._sessions()
        session = session_of(request)
        if sessions.is_in(session, request.headers.get("x-api-key", "")):
            return None
        if request.scope["method"] in _READS and "text/html" in request.headers.get("accept", ""):
            is_navigated = session.cookie and not session.key
            return HTMLResponse(_DOORSTEP, 401) if is_navigated else RedirectResponse(LOGIN, 303)
        return JSONResponse({"why": f"Log in first, at {LOGIN}."}, 401)


def session_of(request: HTTPConnection) -> PageSession:
    """The session that a request shows, whether there is such a one or not."""
    return PageSession(request.cookies.get(COOKIE, ""), request.headers.get(KEY, ""))


def _refusal(scope: Scope) -> Response | None:
    """Why the request may not be made at all, whoever makes it."""
    headers, method = Headers(scope=scope), scope["method"]
    if method in _READS:
        return None if _may_read(headers) else _refused(403, "Other sites may link to this page only.")
    if not _is_own_page(headers):
        return _refused(403, "Only the review page itself may do this.")
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if method == "POST" and media_type != "application/json":
        return _refused(415, "The content-type must be application/json.")
    return None


def _is_own_page(headers: Headers) -> bool:
    """Whether the page's own script asks: no other site, no form, no link, and no program that does not say who it is."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    scheme, _, place = headers.get("origin", "").lower().partition("://")
    return scheme in {"http", "https"} and bool(place) and place == headers.get("host", "").lower()


def _may_read(headers: Headers) -> bool:
    """Another site may lead a person here and read nothing."""
    is_foreign = headers.get("sec-fetch-site", "") in {"cross-site", "same-site"}
    return not is_foreign or headers.get("sec-fetch-mode") == "navigate"


def _refused(status: int, why: str) -> JSONResponse:
    return JSONResponse({"why": why}, status)
