"""Who comes in through the page's door, and what a session is."""

from datetime import UTC, datetime, timedelta

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from email_assistant.clock import FixedClock
from email_assistant.page.application import page_routes
from email_assistant.page.door import PageDoor
from email_assistant.page.services import PageServices
from email_assistant.page.session import COOKIE, MAX_FAILURES, Sessions

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
OWN = {"origin": "http://testserver", "content-type": "application/json"}


class MovingClock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.instant = NOW

    def now(self) -> datetime:
        """Its instant."""
        return self.instant


def client_of(sessions: Sessions) -> TestClient:
    """A page with these sessions, whose every path says "in", but for logging in."""

    async def all_of_them() -> Sessions:
        return sessions

    async def inside(_: Request) -> PlainTextResponse:
        return PlainTextResponse("in")

    page = PageServices(_nothing, _nothing)
    page._sessions = sessions
    login = [r for r in page_routes(page) if r.path.startswith(("/review/log", "/review/link"))]
    door = [Middleware(PageDoor, sessions=all_of_them)]
    rest = Route("/review{rest:path}", inside, methods=["GET", "POST", "DELETE"], middleware=door)
    return TestClient(Starlette(routes=[*login, rest]), follow_redirects=False)


async def _nothing() -> None:
    raise AssertionError("nothing may be opened")


@pytest.mark.parametrize("method", ["POST", "DELETE"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"origin": "http://testserver"}, 200),
        ({"origin": "http://testserver:1"}, 403),
        ({"origin": "http://other"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://testserver", "sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "none"}, 403),
    ],
)
def test_only_the_page_itself_acts(method: str, headers: dict[str, str], status: int) -> None:
    """What the browser says of who asks is believed before what the page says."""
    client = client_of(Sessions("", FixedClock(NOW)))
    told = client.request(
        method, "/review/x", headers={"content-type": "application/json", **headers}, json=None
    )
    assert told.status_code == status


def test_a_form_cannot_act() -> None:
    """A form's body is not JSON."""
    client = client_of(Sessions("", FixedClock(NOW)))
    form = {"origin": "http://testserver", "content-type": "text/plain"}
    assert client.post("/review/x", content="{}", headers=form).status_code == 415


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 200),
        ({"sec-fetch-site": "none", "sec-fetch-mode": "navigate"}, 200),
        ({"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}, 200),
        ({}, 200),
    ],
)
def test_other_sites_may_link_here_and_read_nothing(headers: dict[str, str], status: int) -> None:
    """A page of the CORS list cannot read the review page either."""
    client = client_of(Sessions("", FixedClock(NOW)))
    assert client.get("/review/answers", headers=headers).status_code == status


@pytest.mark.parametrize("path", ["/review", "/review/answers", "/review/loginx", "/review/events"])
def test_with_a_token_nobody_is_in_without_a_session(path: str) -> None:
    """A person is led to the login; a script is told. The token itself lets in, too."""
    client = client_of(Sessions("secret", FixedClock(NOW)))
    assert client.get(path).status_code == 401
    led = client.get(path, headers={"accept": "text/html,*/*"})
    assert (led.status_code, led.headers["location"]) == (303, "/review/login")
    assert client.post(path, headers=OWN, json={}).status_code == 401
    assert client.get(path, headers={"x-api-key": "secret"}).status_code == 200
    assert client.get(path, headers={"x-api-key": "secre"}).status_code == 401
    assert client.get(path, headers={"cookie": f"{COOKIE}=secret"}).status_code == 401


def test_a_token_begins_a_session_that_scripts_cannot_read() -> None:
    """The cookie is for this page alone; the token is in no answer."""
    client = client_of(Sessions("secret", FixedClock(NOW)))
    assert client.post("/review/login", json={"token": "wrong"}, headers=OWN).status_code == 401
    came = client.post("/review/login", json={"token": "secret"}, headers=OWN)
    cookie = came.headers["set-cookie"]
    assert {"HttpOnly", "Path=/review", "SameSite=strict", "Max-Age=43200"} <= set(cookie.split("; "))
    assert "secret" not in str(came.headers) + client.get("/review/login").text
    assert client.get("/review").text == "in"
    assert client.post("/review/logout", json={}, headers=OWN).status_code == 204
    client.cookies.set(COOKIE, cookie.partition("=")[2].partition(";")[0], path="/review")
    assert client.get("/review").status_code == 401


def test_a_session_ends_after_twelve_hours_or_when_all_are_ended() -> None:
    """Whatever a browser has kept."""
    clock = MovingClock()
    sessions = Sessions("secret", clock)
    first, second = sessions.by_token("secret"), sessions.by_token("secret")
    assert first
    assert second
    assert sessions.is_in(first)
    clock.instant += timedelta(hours=12)
    assert not sessions.is_in(first)
    third = sessions.by_token("secret")
    assert third
    sessions.end_all()
    assert not any(map(sessions.is_in, (first, second, third, "")))


def test_a_link_counts_once_and_soon() -> None:
    """Whoever finds it in a terminal's history gets the login page."""
    clock = MovingClock()
    sessions = Sessions("secret", clock)
    client = client_of(sessions)
    assert client.post("/review/link", json={}, headers=OWN).status_code == 401
    path = client.post("/review/link", json={}, headers=OWN | {"x-api-key": "secret"}).json()["path"]
    old = sessions.link()
    came = client.get(path)
    assert (came.status_code, came.headers["location"]) == (303, "/review")
    assert client.get("/review").text == "in"
    client.cookies.clear()
    assert client.get(path).status_code == 401
    clock.instant += timedelta(minutes=10)
    assert sessions.by_link(old) is None


def test_tokens_cannot_be_guessed_by_the_thousand() -> None:
    """After ten wrong ones the right one waits a minute, too."""
    clock = MovingClock()
    sessions = Sessions("secret", clock)
    client = client_of(sessions)
    for _ in range(MAX_FAILURES):
        assert client.post("/review/login", json={"token": "x"}, headers=OWN).status_code == 401
    assert client.post("/review/login", json={"token": "secret"}, headers=OWN).status_code == 429
    clock.instant += timedelta(minutes=1)
    assert client.post("/review/login", json={"token": "secret"}, headers=OWN).status_code == 204


@pytest.mark.parametrize("body", ["", "[]", "null", "{", '{"token": 7}', "[" * 100_000])
def test_a_broken_login_is_refused_in_a_line(body: str) -> None:
    """And never with a traceback."""
    client = client_of(Sessions("secret", FixedClock(NOW)))
    assert client.post("/review/login", content=body, headers=OWN).status_code in {401, 422}
