"""The middleware touches a null answer and nothing else."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from email_assistant.server.run_door import NullAnswer


async def echo(request: Request) -> Response:
    """Send back what arrived."""
    return Response(await request.body())


CLIENT = TestClient(
    Starlette(routes=[Route("/{path:path}", echo, methods=["POST"])], middleware=[Middleware(NullAnswer)])
)


@pytest.mark.parametrize("answer", [None, {}])
@pytest.mark.parametrize("end", ["runs", "runs/wait", "runs/stream"])
def test_an_answer_that_is_none_becomes_the_empty_text(end: str, answer: object) -> None:
    """The rest of the request stays."""
    sent = {"assistant_id": "a", "command": {"resume": answer, "update": {"x": 1}}}
    got = CLIENT.post(f"/threads/t/{end}", json=sent).json()
    assert got == {"assistant_id": "a", "command": {"resume": "", "update": {"x": 1}}}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/threads/t/runs", '{"command": {"resume": "yes"}}'),
        ("/threads/t/runs", '{"resume": null, broken'),
        ("/threads/t/state", '{"command": {"resume": null}}'),
    ],
)
def test_everything_else_passes_byte_for_byte(path: str, body: str) -> None:
    """Other bodies, broken ones and other paths are left alone."""
    assert CLIENT.post(path, content=body).text == body
