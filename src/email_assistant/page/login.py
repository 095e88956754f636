"""Logging in and out."""

from html import escape
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from email_assistant.page.door import LOGIN
from email_assistant.page.requests import json_body
from email_assistant.page.services import PageServices
from email_assistant.page.session import COOKIE, LASTS

HOME = "/review"
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Review: log in</title>
<link rel="stylesheet" href="/review/static/page.css"><script type="module" src="/review/login/login.js"></script></head>
<body class="login"><main><h1>Log in to review</h1>{told}
<form id="login"><p><label for="token">API token (EMAIL_ASSISTANT_API_TOKEN)</label></p>
<p><input id="token" type="password" autocomplete="current-password" required autofocus> <button>Log in</button></p>
<p id="problem" role="alert"></p></form></main></body></html>
"""
_SCRIPT = """const problem = document.getElementById("problem"), token = document.getElementById("token");
document.getElementById("login").addEventListener("submit", async (event) => {
  event.preventDefault();
  problem.textContent = "";
  try {
    const answer = await fetch("/review/login", {
      method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify({token: token.value}),
    });
    if (answer.ok) location.assign("/review");
    else problem.textContent = (await answer.json()).why;
  } catch {
    problem.textContent = "The server does not answer.";
  }
});
"""


def login_routes(page: PageServices) -> list[Route]:
    """`/review/login` and what belongs to it."""

    async def show(_: Request) -> Response:
        return HTMLResponse(_PAGE.format(told=""))

    async def script(_: Request) -> Response:
        return Response(_SCRIPT, media_type="text/javascript")

    async def by_token(request: Request) -> Response:
        """The session as a cookie; 401 for a wrong token."""
        token: Any = (await json_body(request, dict)).get("token")
        try:
            session = (await page.sessions()).by_token(token if isinstance(token, str) else "")
        except PermissionError as error:
            return JSONResponse({"why": str(error)}, 429)
        if session is None:
            return JSONResponse({"why": "That is not the token."}, 401)
        return _with_session(Response(status_code=204), session, request)

    async def link(_: Request) -> Response:
        """A path that begins one session; who asks is in already."""
        return JSONResponse({"path": f"{LOGIN}/{(await page.sessions()).link()}"})

    async def by_link(request: Request) -> Response:
        session = (await page.sessions()).by_link(request.path_params["code"])
        if session is None:
            told = escape("That link was used or is too old. Log in with the token.")
            return HTMLResponse(_PAGE.format(told=f"<p>{told}</p>"), 401)
        return _with_session(RedirectResponse(HOME, 303), session, request)

    async def out(request: Request) -> Response:
        """This session is over, or with `{"everywhere": true}` each one."""
        sessions = await page.sessions()
        if (await json_body(request, dict)).get("everywhere") is True:
            sessions.end_all()
        sessions.end(request.cookies.get(COOKIE, ""))
        response = Response(status_code=204)
        response.delete_cookie(COOKIE, path=HOME)
        return response

    return [
        Route(LOGIN, show, methods=["GET"]),
        Route(LOGIN, by_token, methods=["POST"]),
        Route(f"{LOGIN}/login.js", script, methods=["GET"]),
        Route(f"{LOGIN}/{{code}}", by_link, methods=["GET"]),
        Route(f"{HOME}/logout", out, methods=["POST"]),
        Route(f"{HOME}/link", link, methods=["POST"]),
    ]


def _with_session(response: Response, session: str, request: Request) -> Response:
    response.set_cookie(
        COOKIE,
        session,
        max_age=int(LASTS.total_seconds()),
        path=HOME,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return response
