"""What a request brings is counted, whatever it announces."""

from contextlib import suppress

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from email_assistant.server.middleware import TOO_BIG, RequestLimit
from email_assistant.server.run_door import NullAnswer

LIMIT = 100


async def _length(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


async def _echo(socket: WebSocket) -> None:
    await socket.accept()
    with suppress(WebSocketDisconnect):
        while True:
            await socket.send_text(await socket.receive_text())


async def _limit() -> int:
    return LIMIT


CLIENT = TestClient(
    Starlette(
        routes=[Route("/{path:path}", _length, methods=["POST"]), WebSocketRoute("/", _echo)],
        middleware=[Middleware(RequestLimit, limit=_limit), Middleware(NullAnswer)],
    )
)


@pytest.mark.parametrize("path", ["/x", "/threads/t/runs"])
@pytest.mark.parametrize(("size", "status"), [(LIMIT, 200), (LIMIT + 1, 413)])
def test_a_long_body_is_refused(path: str, size: int, status: int) -> None:
    """With its length told, in pieces without, and with a wrong length."""
    body = b"x" * size
    pieces = (body[i : i + 30] for i in range(0, size, 30))
    assert CLIENT.post(path, content=body).status_code == status
    assert CLIENT.post(path, content=pieces).status_code == status
    assert CLIENT.post(path, content=body, headers={"content-length": "1"}).status_code == status


@pytest.mark.parametrize("told", ["9" * 400, "101"])
def test_what_announces_too_much_is_not_read(told: str) -> None:
    """The answer comes before the body."""
    assert CLIENT.post("/x", content=b"", headers={"content-length": told}).status_code == 413


def test_a_long_message_ends_the_websocket() -> None:
    """Short ones pass; letters count as the bytes they take."""
    with CLIENT.websocket_connect("/") as socket:
        socket.send_text("x" * LIMIT)
        assert socket.receive_text() == "x" * LIMIT
        socket.send_text("ä" * (LIMIT // 2 + 1))
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
    assert closed.value.code == TOO_BIG
