"""Who may knock: names of this machine, no page but the listed ones, and nobody at closed paths."""

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocket

from email_assistant.server.middleware import BrowserGuard, DoorRules

LISTED = "https://inbox.example"


async def _page(request: Request) -> PlainTextResponse:
    return PlainTextResponse("in")


async def _socket(socket: WebSocket) -> None:
    await socket.accept()
    await socket.close()


async def _rules() -> DoorRules:
    return DoorRules(frozenset({"mail.example.com"}), frozenset({"http://localhost:5173"}))


def _cors() -> dict[str, Any]:
    return {"allow_origins": [LISTED], "allow_methods": ["GET", "POST"], "allow_headers": ["x-api-key"]}


CLIENT = TestClient(
    Starlette(
        routes=[
            Route("/{path:path}", _page, methods=["GET", "POST"]),
            WebSocketRoute("/{path:path}", _socket),
        ],
        middleware=[Middleware(BrowserGuard, rules=_rules, cors=_cors)],
    )
)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "LOCALHOST:9"}, 200),
        ({"host": "[::1]"}, 200),
        ({"host": "Mail.Example.com"}, 200),
        ({"host": "127.0.0.1.evil.example"}, 403),
        ({"host": "evil.example:2024"}, 403),
        ({"host": ""}, 403),
        ({"host": "localhost:2024", "origin": "http://localhost:2024"}, 200),
        ({"host": "localhost:2024", "origin": "http://localhost:3000"}, 403),
        ({"host": "localhost", "origin": "file://localhost"}, 403),
        ({"origin": LISTED}, 200),
        ({"origin": LISTED + ".evil.example"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_requests_and_handshakes_are_judged_alike(headers: dict[str, str], status: int) -> None:
    """Host and Origin decide, whatever the connection is."""
    headers = {"host": "localhost", "content-type": "application/json"} | headers
    assert CLIENT.get("/x", headers=headers).status_code == status
    assert CLIENT.post("/x", headers=headers).status_code == status
    if status == 200:
        with CLIENT.websocket_connect("/x", headers=headers):
            return
    with pytest.raises(WebSocketDenialResponse) as refused, CLIENT.websocket_connect("/x", headers=headers):
        pass
    assert refused.value.status_code == status


@pytest.mark.parametrize(
    ("root", "status"), [("/noauth", 200), ("/noauth/prefix", 200), ("", 403), ("/noauthor", 403)]
)
def test_only_the_servers_own_code_calls_it_api(root: str, status: int) -> None:
    """The SDK's client in the process sets the root path; a page whose name was pointed here cannot."""
    client = TestClient(CLIENT.app, root_path=root, base_url="http://api")
    assert client.get("/x").status_code == status


@pytest.mark.parametrize("name", ["origin", "host"])
def test_a_header_that_comes_twice_counts_for_nothing(name: str) -> None:
    """Which of the two another reader would believe cannot be known."""
    good = {"origin": LISTED, "host": "localhost"}[name]
    headers = [("content-type", "application/json"), (name, good), (name, good)]
    assert CLIENT.get("/x", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "path", ["/internal", "/internal/truncate", "//internal/x", "/deploy", "/deploy/1/stream"]
)
def test_closed_paths_are_closed(path: str) -> None:
    """No name and no page opens them."""
    assert CLIENT.get("http://localhost" + path).status_code == 403
