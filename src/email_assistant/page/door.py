"""Access to the review page: the door that each route stands behind, and logging in and out.

Custom routes are outside the server's authentication. A person begins a session with the API token or with a link that counts once.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from html import escape
from typing import Any, TypeVar

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from email_assistant.errors import EmailAssistantError, InputError
from email_assistant.page.sessions import LASTS, PageSession, Sessions

COOKIE = "review_session"
KEY = "review-key"
"""The header of a session's other half."""
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
HOME = "/review"
WRONG_SECONDS = 1.0
"""So long a wrong token waits for its answer; the right one never does, whatever else is tried meanwhile."""
_LOGIN_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Review: log in</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/review/static/page.css">
<script type="module" src="/review/static/login.js"></script></head>
<body class="login"><main><h1>Log in to review</h1>
<form id="login">{form}<p id="problem" role="alert"></p></form></main></body></html>
"""
_FORM = """<p><label for="token">API token (EMAIL_ASSISTANT_API_TOKEN)</label></p>
<p><input id="token" type="password" autocomplete="current-password" required autofocus> <button>Log in</button></p>"""
_LINK_FORM = f'<p><button>Log in</button></p><p><a href="{LOGIN}">With the token</a></p>'
T = TypeVar("T", dict[str, Any], list[Any])
"""The form of a request's body."""


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

        request = HTTPConnection(scope)
        try:
            refusal = _refusal(scope) or await self._turned_away(request)
        except EmailAssistantError as error:
            refusal = failed(request, str(error))
        await (refusal or self._app)(scope, receive, guarded)

    async def _turned_away(self, request: HTTPConnection) -> Response | None:
        path = request.url.path
        if any(path == each or path.startswith(f"{each}/") for each in OPEN):
            return None
        sessions = await self._sessions()
        session = session_of(request)
        if await sessions.is_in(session, request.headers.get("x-api-key", "")):
            return None
        if request.scope["method"] in _READS and "text/html" in request.headers.get("accept", ""):
            is_navigated = session.cookie and not session.key
            return HTMLResponse(_DOORSTEP, 401) if is_navigated else RedirectResponse(LOGIN, 303)
        return JSONResponse({"why": f"Log in first, at {LOGIN}."}, 401)


def failed(request: HTTPConnection, why: str) -> Response:
    """What the script shows, or in place of the page a person reads."""
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"why": why}, 503)
    return HTMLResponse(
        f"<!doctype html><title>Review</title><h1>The page cannot be shown</h1><p>{escape(why)}</p>", 503
    )


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


async def json_body(request: Request, form: type[T]) -> T:
    """The body, an object or a list; raises `InputError` for anything else."""
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, form):
        raise InputError(f"The body must be {'an object' if form is dict else 'a list'} in JSON.")
    return body


def login_routes(sessions_of: Callable[[], Awaitable[Sessions]]) -> list[Route]:
    """`/review/login` and what belongs to it."""

    async def show(request: Request) -> Response:
        """The form; of a link it has a button alone, so that whoever merely looks at the link uses nothing up."""
        return HTMLResponse(_LOGIN_PAGE.format(form=_LINK_FORM if "code" in request.path_params else _FORM))

    async def by_token(request: Request) -> Response:
        """The session, half as a cookie; 401 for a wrong token."""
        token: Any = (await json_body(request, dict)).get("token")
        session = await (await sessions_of()).by_token(token if isinstance(token, str) else "")
        if session is None:
            await asyncio.sleep(WRONG_SECONDS)
            return JSONResponse({"why": "That is not the token."}, 401)
        return _with_session(session, request)

    async def link(request: Request) -> Response:
        """A path that begins one session; a session by itself makes no other."""
        sessions = await sessions_of()
        if not sessions.is_token(request.headers.get("x-api-key", "")):
            return JSONResponse({"why": "Only the API token makes login links: send it as x-api-key."}, 403)
        return JSONResponse({"path": f"{LOGIN}/{await sessions.link()}"})

    async def by_link(request: Request) -> Response:
        session = await (await sessions_of()).by_link(request.path_params["code"])
        if session is None:
            return JSONResponse({"why": "That link was used or is too old. Log in with the token."}, 401)
        return _with_session(session, request)

    async def out(request: Request) -> Response:
        """This session is over, or with `{"everywhere": true}` each one."""
        sessions = await sessions_of()
        if (await json_body(request, dict)).get("everywhere") is True:
            await sessions.end_all()
        await sessions.end(session_of(request))
        response = Response(status_code=204)
        response.delete_cookie(COOKIE, path=HOME)
        return response

    return [
        Route(LOGIN, show, methods=["GET"]),
        Route(LOGIN, by_token, methods=["POST"]),
        Route(f"{LOGIN}/{{code}}", show, methods=["GET"]),
        Route(f"{LOGIN}/{{code}}", by_link, methods=["POST"]),
        Route(f"{HOME}/logout", out, methods=["POST"]),
        Route(f"{HOME}/link", link, methods=["POST"]),
    ]


def _with_session(session: PageSession, request: Request) -> Response:
    response = Response(status_code=204, headers={KEY: session.key})
    response.set_cookie(
        COOKIE,
        session.cookie,
        max_age=int(LASTS.total_seconds()),
        path=HOME,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return response
