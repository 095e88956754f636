"""Logging in and out."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from email_assistant.page.door import LOGIN, session_of
from email_assistant.page.requests import json_body
from email_assistant.page.services import PageServices
from email_assistant.page.session import COOKIE, KEY, LASTS, PageSession

HOME = "/review"
WRONG_SECONDS = 1.0
"""So long a wrong token waits for its answer; the right one never does, whatever else is tried meanwhile."""
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Review: log in</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/review/static/page.css">
<script type="module" src="/review/static/login.js"></script></head>
<body class="login"><main><h1>Log in to review</h1>
<form id="login">{form}<p id="problem" role="alert"></p></form></main></body></html>
"""
_FIELD = """<p><label for="token">API token (EMAIL_ASSISTANT_API_TOKEN)</label></p>
<p><input id="token" type="password" autocomplete="current-password" required autofocus> <button>Log in</button></p>"""
_BUTTON = f'<p><button>Log in</button></p><p><a href="{LOGIN}">With the token</a></p>'


def login_routes(page: PageServices) -> list[Route]:
    """`/review/login` and what belongs to it."""

    async def show(request: Request) -> Response:
        """The form; of a link it has a button alone, so that whoever merely looks at the link uses nothing up."""
        return HTMLResponse(_PAGE.format(form=_BUTTON if "code" in request.path_params else _FIELD))

    async def by_token(request: Request) -> Response:
        """The session, half as a cookie; 401 for a wrong token."""
        token: Any = (await json_body(request, dict)).get("token")
        session = (await page.sessions()).by_token(token if isinstance(token, str) else "")
        if session is None:
            await asyncio.sleep(WRONG_SECONDS)
            return JSONResponse({"why": "That is not the token."}, 401)
        return _with_session(session, request)

    async def link(request: Request) -> Response:
        """A path that begins one session; a session by itself makes no other."""
        sessions = await page.sessions()
        if not sessions.is_token(request.headers.get("x-api-key", "")):
            return JSONResponse({"why": "Only the API token makes login links: send it as x-api-key."}, 403)
        return JSONResponse({"path": f"{LOGIN}/{sessions.link()}"})

    async def by_link(request: Request) -> Response:
        session = (await page.sessions()).by_link(request.path_params["code"])
        if session is None:
            return JSONResponse({"why": "That link was used or is too old. Log in with the token."}, 401)
        return _with_session(session, request)

    async def out(request: Request) -> Response:
        """This session is over, or with `{"everywhere": true}` each one."""
        sessions = await page.sessions()
        if (await json_body(request, dict)).get("everywhere") is True:
            sessions.end_all()
        sessions.end(session_of(request))
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
