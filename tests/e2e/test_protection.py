"""Who may talk to the server: with a token only who shows it, and no foreign web page ever."""

import base64
import uuid
from collections.abc import Iterator

import httpx
import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import connect

from tests.e2e.conftest import Served
from tests.support.dev_server import DevServer, forked_server

pytestmark = pytest.mark.xdist_group("served")
PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type,x-api-key",
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevServer]:
    """A server with a token."""
    settings = {
        "EMAIL_ASSISTANT_API_TOKEN": "a secret",
        "EMAIL_ASSISTANT_ALLOWED_ORIGINS": "http://localhost:5173",
        "EMAIL_ASSISTANT_ALLOWED_HOSTS": "mail.example.com",
        "EMAIL_ASSISTANT_MAX_REQUEST_BYTES": "20000",
    }
    with forked_server(tmp_path_factory.mktemp("guarded"), settings) as server:
        yield server


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"x-api-key": "another"}, 401),
        ({"authorization": "Bearer a secret"}, 401),
        ({"x-auth-scheme": "langsmith"}, 401),
        ({"x-api-key": "a secret"}, 200),
    ],
)
@pytest.mark.parametrize("path", ["/threads/search", "/assistants/search", "/store/items/search"])
def test_with_a_token_only_its_holder_is_answered(
    guarded: DevServer, path: str, headers: dict[str, str], status: int
) -> None:
    """No key, a wrong key and Studio's own scheme are refused."""
    body = {"namespace_prefix": []} if path.startswith("/store") else {}
    assert httpx.post(guarded.url + path, json=body, headers=headers).status_code == status


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("https://dev.agentinbox.ai", True),
        ("http://localhost:3000", False),
        ("http://localhost:5173", True),
        ("https://evil.example", False),
        ("null", False),
    ],
)
def test_only_the_review_pages_may_call_from_a_browser(
    guarded: DevServer, origin: str, allowed: bool
) -> None:
    """Any other page that the user visits cannot press Accept."""
    answer = httpx.options(f"{guarded.url}/threads/search", headers=PREFLIGHT | {"Origin": origin})
    assert (answer.headers.get("access-control-allow-origin") == origin) is allowed


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_a_foreign_page_cannot_send_what_needs_no_leave(served: Served, content_type: str) -> None:
    """A browser sends such a request without asking the CORS list; it is refused, whatever it holds."""
    headers = {"Origin": "https://evil.example", "content-type": content_type}
    assert httpx.post(f"{served.server.url}/threads/search", content="{}", headers=headers).status_code == 415


TOKEN = {"x-api-key": "a secret"}
SOCKETS = ("/threads/{}/stream/events", "/threads/{}/runs/{}/protocol")


def handshake(server: DevServer, headers: dict[str, str], path: str = SOCKETS[0]) -> int:
    """The status that a WebSocket handshake is answered with: 101 opens one."""
    thread = str(uuid.uuid4())
    asked = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode(),
    }  # fmt: skip
    url = server.url + path.format(thread, uuid.uuid4())
    with httpx.stream("GET", url, headers=asked | headers) as answer:
        return answer.status_code


STRANGERS = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Host": "evil.example:2024"},
    {"Host": "evil.example", "Origin": "http://evil.example"},
    {"Host": "api:2024", "Origin": "http://api:2024"},
]


@pytest.mark.parametrize("path", SOCKETS)
@pytest.mark.parametrize("stranger", STRANGERS)
def test_no_foreign_page_opens_a_websocket(
    served: Served, guarded: DevServer, stranger: dict[str, str], path: str
) -> None:
    """CORS knows nothing of WebSockets; the handshake itself is refused, with a token set and without, shown or not."""
    for server, token in ((served.server, {}), (guarded, {}), (guarded, TOKEN)):
        assert handshake(server, stranger | token, path) == 403


def test_what_is_no_page_and_listed_pages_open_a_websocket(served: Served, guarded: DevServer) -> None:
    """A script sends no Origin; the review pages are listed, and a setting lists more."""
    assert handshake(served.server, {}) == 101
    assert handshake(served.server, {"Origin": served.server.url}) == 101
    assert handshake(served.server, {"Origin": "https://dev.agentinbox.ai"}) == 101
    assert handshake(guarded, TOKEN | {"Origin": "http://localhost:5173"}) == 101
    assert handshake(guarded, TOKEN | {"Host": "mail.example.com"}) == 101
    assert handshake(guarded, {}) == 403


@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("path", ["/threads/search", "/mcp", "/docs", "/nothing"])
def test_every_path_is_closed_to_foreign_pages(
    served: Served, guarded: DevServer, stranger: dict[str, str], path: str
) -> None:
    """The rule stands before all routes: the server's, the custom ones, those without authentication."""
    for server, token in ((served.server, {}), (guarded, TOKEN)):
        assert httpx.post(server.url + path, json={}, headers=stranger | token).status_code == 403
        assert httpx.get(server.url + path, headers=stranger | token).status_code == 403


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/internal/truncate"),
        ("GET", "/internal/debug/thread/x"),
        ("GET", "/deploy"),
        ("POST", "/deploy"),
    ],
)
def test_what_the_development_server_serves_to_everybody_is_closed(
    served: Served, guarded: DevServer, method: str, path: str
) -> None:
    """Emptying the server, reading raw threads and deploying ask for no token, so nobody may."""
    for server, token in ((served.server, {}), (guarded, {}), (guarded, TOKEN)):
        assert httpx.request(method, server.url + path, headers=token).status_code == 403


def test_a_body_is_bounded(guarded: DevServer) -> None:
    """With its length told or not; what fits is read."""
    long, url = b'{"metadata": {"x": "' + b"x" * 20_000 + b'"}}', f"{guarded.url}/threads"
    headers = TOKEN | {"content-type": "application/json"}
    pieces = (long[i : i + 1000] for i in range(0, len(long), 1000))
    assert httpx.post(url, content=long, headers=headers).status_code == 413
    assert httpx.post(url, content=pieces, headers=headers).status_code == 413
    assert httpx.post(url, json={"metadata": {"x": "x" * 10_000}}, headers=headers).status_code == 200


def test_a_long_message_ends_its_websocket(guarded: DevServer) -> None:
    """The same bound holds for one message."""
    url = guarded.url.replace("http", "ws") + SOCKETS[0].format(uuid.uuid4())
    with connect(url, additional_headers=TOKEN) as socket:
        socket.send("x" * 20_001)
        with pytest.raises(ConnectionClosedError) as closed:
            socket.recv(timeout=10)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009


def test_a_run_reports_to_no_web_address(served: Served) -> None:
    """A webhook would take the mail in a run's state wherever the caller says."""
    request = {"assistant_id": "ingest", "input": {}, "webhook": "https://evil.example/mail"}
    answer = httpx.post(f"{served.server.url}/runs", json=request)
    assert (answer.status_code, "ebhook" in answer.text) == (422, True)


def test_a_page_whose_name_was_pointed_here_is_refused(served: Served) -> None:
    """DNS rebinding: the name in Host is not one of this machine's."""
    for host, status in (
        ("evil.example:2024", 403),
        ("api", 403),
        ("localhost:2024", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:2024", 200),
    ):
        answer = httpx.post(f"{served.server.url}/threads/search", json={}, headers={"Host": host})
        assert answer.status_code == status, host
