"""Push notifications: who may push, what is taken as one, and that looks do not pile up."""

import asyncio
import base64
import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from email_assistant.errors import InputError, TransientError
from email_assistant.server import push
from email_assistant.server.push import MAX_BYTES, PATH, HiddenToken, PushEndpoint, PushRules


@dataclass
class Pushed:
    """An endpoint that counts its looks."""

    rules: PushRules
    identity: Exception | None = None
    shown: list[str] = field(default_factory=list)
    looks: int = 0

    async def _rules(self) -> PushRules:
        return self.rules

    async def _verify(self, token: str) -> None:
        self.shown.append(token)
        if self.identity:
            raise self.identity

    async def _look(self) -> None:
        self.looks += 1

    def post(self, *, token: str = "", bearer: str = "", **request: Any) -> int:
        """Push and give the status code."""
        endpoint = PushEndpoint(self._rules, self._verify, self._look)
        app = Starlette(routes=[Route(PATH, endpoint.__call__, methods=["POST"])])
        headers = {"authorization": bearer} if bearer else {}
        with TestClient(app) as client:
            answer = client.post(PATH, params={"token": token}, headers=headers, **request)
            client.portal.call(asyncio.sleep, 0)  # type: ignore[union-attr]
        return answer.status_code


def message(address: str) -> dict[str, Any]:
    """A Pub/Sub message of Gmail."""
    data = json.dumps({"emailAddress": address, "historyId": "12"}).encode()
    return {"message": {"data": base64.urlsafe_b64encode(data).decode()}}


MINE = message("Robin@Example.com")
TOKEN = PushRules("robin@example.com", token="a secret")
IDENTITY = PushRules("robin@example.com", audience="https://hook.example.com")


@pytest.mark.parametrize(
    ("token", "status", "looks"), [("a secret", 204, 1), ("", 401, 0), ("A secret", 401, 0)]
)
def test_the_token_of_the_address_is_checked(token: str, status: int, looks: int) -> None:
    """A wrong one leads to nothing."""
    pushed = Pushed(TOKEN)
    assert (pushed.post(token=token, json=MINE), pushed.looks) == (status, looks)


@pytest.mark.parametrize(
    ("bearer", "refusal", "status"),
    [
        ("Bearer good", None, 204),
        ("bearer good", None, 204),
        ("", None, 401),
        ("Basic good", None, 401),
        ("Bearer ", None, 401),
        ("Bearer bad", InputError("not valid"), 401),
        ("Bearer good", TransientError("keys"), 401),
    ],
)
def test_the_identity_is_checked(bearer: str, refusal: Exception | None, status: int) -> None:
    """Without Google's signature nothing is done, also when its keys cannot be had: Pub/Sub comes again."""
    pushed = Pushed(IDENTITY, refusal)
    assert (pushed.post(bearer=bearer, json=MINE), pushed.looks) == (status, 1 if status == 204 else 0)


def test_both_are_checked_when_both_are_set() -> None:
    """One of them is not enough."""
    pushed = Pushed(PushRules("robin@example.com", "a secret", "https://hook.example.com"))
    assert pushed.post(token="a secret", json=MINE) == 401
    assert pushed.post(bearer="Bearer good", json=MINE) == 401
    assert (pushed.post(token="a secret", bearer="Bearer good", json=MINE), pushed.looks) == (204, 1)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b'{"message": null}',
        b'{"message": {"data": 5}}',
        b'{"message": {"data": "%%%"}}',
        json.dumps({"message": {"data": base64.b64encode(b"[1]").decode()}}).encode(),
        json.dumps(message("bob@example.com")).encode(),
        json.dumps(MINE | {"more": "x" * MAX_BYTES}).encode(),
        b"[" * 20_000,
    ],
)
def test_what_is_no_notification_of_this_account_is_only_acknowledged(body: bytes) -> None:
    """Sending it again would change nothing, so it is not refused; and it leads to no look."""
    pushed = Pushed(TOKEN)
    assert (pushed.post(token="a secret", content=body), pushed.looks) == (204, 0)


def test_pushes_are_off_when_nothing_is_set() -> None:
    """Nobody can start looks on a server that was not told whom to believe."""
    pushed = Pushed(PushRules("robin@example.com"))
    assert (pushed.post(token="", json=MINE), pushed.looks) == (404, 0)


def test_the_token_of_the_address_stays_out_of_the_log() -> None:
    """What stands behind the middleware, the server's log included, sees the address without it; the check sees it."""
    pushed, seen = Pushed(TOKEN), []
    endpoint = PushEndpoint(pushed._rules, pushed._verify, pushed._look)

    async def noting(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            seen.append(scope["query_string"])
        await app(scope, receive, send)

    app = Starlette(routes=[Route(PATH, endpoint.__call__, methods=["POST"])])
    with TestClient(HiddenToken(noting)) as client:
        answers = [client.post(f"{PATH}?token={shown}", json=MINE) for shown in ("a%20secret", "another")]
    assert ([answer.status_code for answer in answers], seen) == ([204, 401], [b"", b""])


@pytest.mark.parametrize("slow", ["identity", "body"])
async def test_a_push_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch, slow: str) -> None:
    """Who holds the line open holds nothing else."""
    monkeypatch.setattr(push, "SECONDS", 0.01)
    never = asyncio.Event()

    async def verify(token: str) -> None:
        await (never.wait() if slow == "identity" else asyncio.sleep(0))

    async def receive() -> Message:
        await never.wait()
        raise AssertionError("never")

    pushed = Pushed(IDENTITY)
    endpoint = PushEndpoint(pushed._rules, verify, pushed._look)
    headers = [(b"authorization", b"Bearer good")]
    request = Request({"type": "http", "method": "POST", "query_string": b"", "headers": headers}, receive)
    assert ((await endpoint(request)).status_code, pushed.looks) == (401, 0)


async def test_pushes_during_a_look_lead_to_one_more() -> None:
    """A hundred notifications do not make a hundred looks, and a look that fails does not end the endpoint."""
    begun, go_on, looks = asyncio.Event(), asyncio.Event(), 0

    async def look() -> None:
        nonlocal looks
        looks += 1
        begun.set()
        await go_on.wait()
        raise TransientError("busy")

    pushed = Pushed(TOKEN)
    endpoint = PushEndpoint(pushed._rules, pushed._verify, look)
    endpoint._want()
    await begun.wait()
    for _ in range(100):
        endpoint._want()
    go_on.set()
    assert endpoint._looking is not None
    await endpoint._looking
    assert looks == 2
    endpoint._want()
    await endpoint._looking
    assert looks == 3
