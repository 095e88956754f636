"""Who may talk to the server: with a token only who shows it, and no foreign web page ever."""

from collections.abc import Iterator

import httpx
import pytest

from tests.e2e.conftest import Served
from tests.support.dev_server import DevServer, dev_server

pytestmark = pytest.mark.xdist_group("served")
PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type,x-api-key",
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevServer]:
    """A server with a token."""
    with dev_server(tmp_path_factory.mktemp("guarded"), {"EMAIL_ASSISTANT_API_TOKEN": "a secret"}) as server:
        yield server


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"x-api-key": "another"}, 401),
        ({"x-api-key": ""}, 401),
        ({"authorization": "Bearer a secret"}, 401),
        ({"x-auth-scheme": "langsmith"}, 401),
        ({"x-auth-scheme": "langsmith-agent", "x-api-key": "another"}, 401),
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
        ("https://smith.langchain.com", True),
        ("http://localhost:3000", True),
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


def test_a_page_whose_name_was_pointed_here_is_refused(served: Served) -> None:
    """DNS rebinding: the name in Host is not one of this machine's."""
    for host, status in (
        ("evil.example:2024", 403),
        ("localhost:2024", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:2024", 200),
    ):
        answer = httpx.post(f"{served.server.url}/threads/search", json={}, headers={"Host": host})
        assert answer.status_code == status, host
