"""Who comes in through the page's door, and what a session is."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from httpx import ASGITransport, AsyncClient
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from email_assistant.clock import Clock, FixedClock
from email_assistant.errors import TransientError
from email_assistant.journal.database import Database
from email_assistant.page import door
from email_assistant.page.application import page_routes
from email_assistant.page.door import COOKIE, KEY, PageDoor
from email_assistant.page.services import PageServices
from email_assistant.page.sessions import PageSession, Sessions
from email_assistant.workflow_registry import table_modules

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
OWN = {"origin": "http://testserver", "content-type": "application/json"}
TURNS = 1_000
"""Of the loop, at most, until whatever waits is waiting."""


class MovingClock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.instant = NOW

    def now(self) -> datetime:
        """Its instant."""
        return self.instant


@pytest.fixture
def of(tmp_path: Path) -> Iterator[Callable[..., Sessions]]:
    """Makes the sessions of a server with this token; each is a worker of its own, on the same database."""
    made = []

    def worker(token: str, clock: Clock = FixedClock(NOW)) -> Sessions:  # noqa: B008
        made.append(Database(f"sqlite:///{tmp_path / 'journal.db'}", tables=table_modules()))
        return Sessions(token, clock, made[-1])

    yield worker
    for each in made:
        asyncio.run(each.close())


Of = Callable[..., Sessions]


def client_of(sessions: Sessions) -> TestClient:
    """A page with these sessions, whose every path says "in", but for logging in."""

    async def all_of_them() -> Sessions:
        return sessions

    async def inside(_: Request) -> PlainTextResponse:
        return PlainTextResponse("in")

    page = PageServices(_nothing, _nothing)
    page._sessions = sessions
    routes = [r for r in page_routes(page) if r.path.startswith(("/review/log", "/review/link"))]
    door = [Middleware(PageDoor, sessions=all_of_them)]
    rest = Route("/review{rest:path}", inside, methods=["GET", "POST", "DELETE"], middleware=door)
    return TestClient(Starlette(routes=[*routes, rest]), follow_redirects=False)


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
def test_only_the_page_itself_acts(of: Of, method: str, headers: dict[str, str], status: int) -> None:
    """What the browser says of who asks is believed before what the page says."""
    client = client_of(of(""))
    told = client.request(
        method, "/review/x", headers={"content-type": "application/json", **headers}, json=None
    )
    assert told.status_code == status


def test_a_form_cannot_act(of: Of) -> None:
    """A form's body is not JSON."""
    client = client_of(of(""))
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
def test_other_sites_may_link_here_and_read_nothing(of: Of, headers: dict[str, str], status: int) -> None:
    """A page of the CORS list cannot read the review page either."""
    client = client_of(of(""))
    assert client.get("/review/answers", headers=headers).status_code == status


@pytest.mark.parametrize("path", ["/review", "/review/answers", "/review/loginx", "/review/events"])
def test_with_a_token_nobody_is_in_without_a_session(of: Of, path: str) -> None:
    """A person is led to the login; a script is told. The token itself lets in, too."""
    client = client_of(of("secret"))
    assert client.get(path).status_code == 401
    led = client.get(path, headers={"accept": "text/html,*/*"})
    assert (led.status_code, led.headers["location"]) == (303, "/review/login")
    assert client.post(path, headers=OWN, json={}).status_code == 401
    assert client.get(path, headers={"x-api-key": "secret"}).status_code == 200
    assert client.get(path, headers={"x-api-key": "secre"}).status_code == 401
    assert client.get(path, headers={"cookie": f"{COOKIE}=secret", KEY: "secret"}).status_code == 401


def logged_in(client: TestClient, path: str = "/review/login", **body: str) -> dict[str, str]:
    """The header of a session that was begun so; its other half is among the client's cookies."""
    came = client.post(path, json=body, headers=OWN)
    assert came.status_code == 204, came.text
    return {KEY: came.headers[KEY]}


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong tokens are answered without a wait."""
    monkeypatch.setattr(door, "WRONG_SECONDS", 0.0)


@pytest.mark.usefixtures("at_once")
def test_a_token_begins_a_session_that_scripts_cannot_read(of: Of) -> None:
    """Its cookie is for this page alone; the token is in no answer."""
    client = client_of(of("secret"))
    assert client.post("/review/login", json={"token": "wrong"}, headers=OWN).status_code == 401
    came = client.post("/review/login", json={"token": "secret"}, headers=OWN)
    cookie, key = came.headers["set-cookie"], {KEY: came.headers[KEY]}
    assert {"HttpOnly", "Path=/review", "SameSite=strict", "Max-Age=43200"} <= set(cookie.split("; "))
    assert key[KEY] not in cookie
    assert "secret" not in str(came.headers) + client.get("/review/login").text
    assert client.get("/review", headers=key).text == "in"
    assert client.post("/review/logout", json={}, headers=OWN | key).status_code == 204
    client.cookies.set(COOKIE, cookie.partition("=")[2].partition(";")[0], path="/review")
    assert client.get("/review", headers=key).status_code == 401


def test_a_cookie_that_another_port_was_sent_opens_nothing(of: Of) -> None:
    """Nor does the key by itself; a person who comes with the cookie is let in by the script that has the key."""
    client = client_of(of("secret"))
    key = logged_in(client, token="secret")
    for method, headers in (("GET", {}), ("POST", OWN), ("DELETE", OWN), ("GET", {KEY: "guessed"})):
        assert client.request(method, "/review/answers", headers=headers).status_code == 401
    shown = client.get("/review", headers={"accept": "text/html"})
    assert (shown.status_code, "doorstep.js" in shown.text, "in</" in shown.text) == (401, True, False)
    client.cookies.clear()
    assert client.get("/review", headers=key).status_code == 401


async def test_a_session_ends_after_twelve_hours_or_when_all_are_ended(of: Of) -> None:
    """Whatever a browser has kept."""
    clock = MovingClock()
    sessions = of("secret", clock)
    first, second = await sessions.by_token("secret"), await sessions.by_token("secret")
    assert first
    assert second
    assert await sessions.is_in(first)
    clock.instant += timedelta(hours=12)
    assert not await sessions.is_in(first)
    third = await sessions.by_token("secret")
    assert third
    await sessions.end_all()
    for each in (first, second, third, PageSession("", "")):
        assert not await sessions.is_in(each)


def test_a_link_counts_once_and_soon(of: Of) -> None:
    """Whoever finds it in a terminal's history gets the login page."""
    clock = MovingClock()
    sessions = of("secret", clock)
    client = client_of(sessions)
    path = client.post("/review/link", json={}, headers=OWN | {"x-api-key": "secret"}).json()["path"]
    old = asyncio.run(sessions.link())
    key = logged_in(client, path)
    assert client.get("/review", headers=key).text == "in"
    client.cookies.clear()
    again = client.post(path, json={}, headers=OWN)
    assert (again.status_code, "used or is too old" in again.json()["why"]) == (401, True)
    clock.instant += timedelta(minutes=10)
    assert asyncio.run(sessions.by_link(old)) is None


@pytest.mark.parametrize("method", ["HEAD", "GET"])
@pytest.mark.parametrize("headers", [{}, {"sec-purpose": "prefetch"}, {"purpose": "prefetch"}])
def test_looking_at_a_link_uses_none_up(of: Of, method: str, headers: dict[str, str]) -> None:
    """Browsers fetch in advance, and what shows a preview of a link opens it; neither is a person."""
    sessions = of("secret")
    client, path = client_of(sessions), f"/review/login/{asyncio.run(sessions.link())}"
    looked = client.request(method, path, headers=headers)
    assert (looked.status_code, "set-cookie" in looked.headers) == (200, False)
    logged_in(client, path)


def test_a_session_makes_no_further_link(of: Of) -> None:
    """Whoever borrowed one would keep what they have borrowed."""
    client = client_of(of("secret"))
    assert client.post("/review/link", json={}, headers=OWN).status_code == 401
    key = logged_in(client, token="secret")
    refused = client.post("/review/link", json={}, headers=OWN | key)
    assert (refused.status_code, "Only the API token" in refused.json()["why"]) == (403, True)


@pytest.mark.usefixtures("at_once")
def test_wrong_tokens_lock_nobody_out(of: Of) -> None:
    """On this machine every program has the same address: the right token counts however often another was wrong."""
    client = client_of(of("secret"))
    for _ in range(30):
        assert client.post("/review/login", json={"token": "x"}, headers=OWN).status_code == 401
    logged_in(client, token="secret")


async def test_a_wrong_token_waits_and_the_right_one_does_not(
    of: Of, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While twenty wrong ones wait for their answer, the right one has its own."""
    waited, waits = [], asyncio.Event()

    async def wait(seconds: float) -> None:
        waited.append(seconds)
        await waits.wait()

    monkeypatch.setattr(door, "asyncio", SimpleNamespace(sleep=wait))
    app = ASGITransport(client_of(of("secret")).app)
    async with AsyncClient(transport=app, base_url="http://testserver") as client:
        said = {"content": '{"token": "x"}', "headers": OWN}
        wrong = [asyncio.create_task(client.post("/review/login", **said)) for _ in range(20)]
        came = await client.post("/review/login", json={"token": "secret"}, headers=OWN)
        assert came.status_code == 204
        for _ in range(TURNS):
            await asyncio.sleep(0)
        assert waited == [door.WRONG_SECONDS] * len(wrong)
        waits.set()
        assert {each.status_code for each in await asyncio.gather(*wrong)} == {401}


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("body", ["", "[]", "null", "{", '{"token": 7}', "[" * 100_000])
def test_a_broken_login_is_refused_in_a_line(of: Of, body: str) -> None:
    """And never with a traceback."""
    client = client_of(of("secret"))
    assert client.post("/review/login", content=body, headers=OWN).status_code in {401, 422}


async def test_every_worker_knows_a_session_and_another_token_ends_it(database_url: str) -> None:
    """Also one that starts later; what has ended for one has for all."""
    one, other, late = (Database(database_url, tables=table_modules()) for _ in range(3))
    here, there = Sessions("secret", FixedClock(NOW), one), Sessions("secret", FixedClock(NOW), other)
    session = await here.by_token("secret")
    assert session
    assert await there.is_in(session)
    assert not await Sessions("another", FixedClock(NOW), late).is_in(session)
    code = await here.link()
    assert await there.by_link(code)
    assert await here.by_link(code) is None
    await there.end(session)
    assert not await here.is_in(session)
    for each in (one, other, late):
        await each.close()


async def test_a_session_is_no_link(of: Of) -> None:
    """Whoever borrowed one would make it last for ever: in a path a newline may stand between its halves."""
    sessions = of("secret")
    session = await sessions.by_token("secret")
    assert session
    assert await sessions.by_link("\n".join(session)) is None
    assert await sessions.is_in(session)
    assert not await sessions.is_in(PageSession("link", await sessions.link()))


def test_a_database_that_is_gone_is_told_in_a_line(of: Of, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether somebody is in cannot be known then; nobody is, and no traceback is shown."""

    async def gone(*_: object) -> bool:
        raise TransientError("the database does not answer")

    monkeypatch.setattr(Sessions, "is_in", gone)
    client = client_of(of("secret"))
    told = client.get("/review/answers")
    assert (told.status_code, told.json()) == (503, {"why": "the database does not answer"})
    assert "the database does not answer" in client.get("/review", headers={"accept": "text/html"}).text
