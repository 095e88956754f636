"""What callers may not decide, asked at every door of the real server: requests, batches, commands, WebSockets."""

import json
import uuid
from typing import Any

import httpx
import pytest
from pytest_httpserver import HTTPServer
from websockets.sync.client import connect

from tests.e2e.conftest import Served, Thread
from tests.servers.model_server import tool_calls

pytestmark = pytest.mark.xdist_group("served")


def over_websocket(served: Served, thread_id: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """What a command is answered with."""
    url = f"{served.server.url.replace('http', 'ws')}/threads/{thread_id}/stream/events"
    with connect(url) as socket:
        socket.send(json.dumps({"id": 7, "method": method, "params": params}))
        while (told := json.loads(socket.recv(timeout=30))).get("id") != 7:
            pass
    return dict(told)


def waiting(served: Served) -> Thread:
    """A conversation whose reply waits for approval."""
    return served.begin(tool_calls(("send_email", {"body": "It is 120 euro."}), ("Done", {})))


def test_a_look_starts_no_runs_elsewhere(served: Served, httpserver: HTTPServer) -> None:
    """An address in the input is refused by name at each door, and nothing leaves."""
    httpserver.expect_request("/").respond_with_json({})
    run = {
        "assistant_id": "ingest",
        "input": {"url": httpserver.url_for("").rstrip("/"), "include_read": True},
    }
    thread = str(served.client.threads.create()["thread_id"])
    post = lambda path, body: httpx.post(served.server.url + path, json=body)  # noqa: E731
    for path, body in (
        ("/runs", run), ("/runs/wait", run), ("/runs/stream", run), ("/runs/batch", [run]),
        (f"/threads/{thread}/runs", run), (f"/threads/{thread}/runs/wait", run),
    ):  # fmt: skip
        answer = post(path, body)
        assert (answer.status_code, "'url'" in answer.text) == (422, True), path
    command = {"id": 1, "method": "run.start", "params": run}
    assert "'url'" in post(f"/threads/{thread}/commands", command).json()["message"]
    told = over_websocket(served, str(uuid.uuid4()), "run.start", run)
    assert (told["type"], "'url'" in told["message"]) == ("error", True)
    assert httpserver.log == []


def test_what_is_no_mail_leaves_the_card(served: Served) -> None:
    """Over each door that takes a new input; the same card is accepted afterwards, and sends once."""
    thread = waiting(served)
    before = thread.card
    url = f"{served.server.url}/threads/{thread.thread_id}"
    for given in ({"email_input": None}, {}, {"email_input": {"from": "x@example.com"}}, {"pending": None}):
        run = {"assistant_id": "email_assistant", "input": given}
        for path in ("/runs", "/runs/wait", "/runs/stream"):
            answer = httpx.post(url + path, json=run)
            assert (answer.status_code, "email_input" in answer.text) == (422, True), (given, path)
    assert (thread.status, thread.card) == ("interrupted", before)
    # The newer protocol takes an input on a waiting thread for an answer: one that nobody understands.
    run = {"assistant_id": "email_assistant", "input": {"email_input": None}}
    assert httpx.post(f"{url}/commands", json={"id": 1, "method": "run.start", "params": run}).is_success
    served.client.runs.join(thread.thread_id, served.client.runs.list(thread.thread_id)[0]["run_id"])
    assert over_websocket(served, thread.thread_id, "run.start", run)["type"] == "success"
    served.client.runs.join(thread.thread_id, served.client.runs.list(thread.thread_id)[0]["run_id"])
    assert (thread.status, thread.card["action_request"]) == ("interrupted", before["action_request"])
    thread.answer([{"type": "accept", "args": thread.echo()}])
    assert len(served.sent(thread.header)) == 1


def test_what_is_no_mail_ends_with_one_clear_error_where_no_card_waits(served: Served) -> None:
    """Also without a thread; the error names the field."""
    thread = str(served.client.threads.create()["thread_id"])
    for where in (None, thread):
        told: Any = served.client.runs.wait(
            where, "email_assistant", input={"email_input": None}, raise_error=False
        )
        assert "email_input" in told["__error__"]["message"]


@pytest.mark.parametrize("name", ["update", "goto"])
def test_an_answer_changes_nothing_but_by_its_answer(served: Served, name: str) -> None:
    """What a card showed cannot be swapped, or stepped over, in the request that approves it."""
    thread = waiting(served)
    given = {"update": {"pending": None}, "goto": "mark_as_read_node"}[name]
    command = {"resume": [{"type": "accept", "args": None}], name: given}
    url = f"{served.server.url}/threads/{thread.thread_id}/runs/wait"
    answer = httpx.post(url, json={"assistant_id": "email_assistant", "command": command})
    assert (answer.status_code, f"command.{name}" in answer.text) == (422, True)
    (interrupts,) = served.client.threads.get(thread.thread_id)["interrupts"].values()
    respond = {
        "interrupt_id": interrupts[0]["id"],
        "response": [{"type": "accept", "args": None}],
        name: given,
    }
    told = over_websocket(served, thread.thread_id, "input.respond", respond)
    assert (told["type"], f"command.{name}" in told["message"]) == ("error", True)
    assert (thread.status, served.sent(thread.header)) == ("interrupted", [])
    thread.answer([{"type": "ignore", "args": None}])
