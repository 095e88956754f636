"""A page on another origin, in a real browser, tries everything it may to press Accept."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from tests.e2e.conftest import Served, Thread
from tests.servers.model_server import tool_calls
from tests.support.chromium import PROGRAM, Chromium, running_chromium

pytestmark = [
    pytest.mark.xdist_group("served"),
    pytest.mark.skipif(PROGRAM is None, reason="NOT TESTED in a browser: chromium is not installed"),
]
TRIES = """
(async () => {
  const told = {}, accept = [{type: "accept", args: null}];
  const run = JSON.stringify({assistant_id: "email_assistant", command: {resume: accept}});
  told.socket = await new Promise((done) => {
    const socket = new WebSocket(URL_.replace("http", "ws") + "/threads/" + THREAD + "/stream/events");
    socket.onopen = () => COMMAND ? socket.send(JSON.stringify(
      {id: 1, method: "input.respond", params: {interrupt_id: INTERRUPT, response: accept}})) : done("open");
    socket.onmessage = (message) => done(message.data);
    socket.onerror = () => done("refused");
  });
  for (const mode of ["cors", "no-cors"]) for (const type of ["application/json", "text/plain"]) {
    if (!COMMAND) continue;
    const told_as = mode + " " + type;
    try {
      const answer = await fetch(URL_ + "/threads/" + THREAD + "/runs",
        {method: "POST", mode, body: run, headers: {"content-type": type}});
      told[told_as] = answer.type;
    } catch { told[told_as] = "refused"; }
  }
  return told;
})()
"""


@pytest.fixture
def tab(tmp_path: Path) -> Iterator[Chromium]:
    """A browser of its own."""
    with running_chromium(tmp_path / "profile") as tab:
        yield tab


def _tries(tab: Chromium, thread: Thread, page: str, *, command: bool) -> dict[str, str]:
    """What each way told the page at this address; without `command` it only opens the WebSocket."""
    (interrupts,) = thread.served.client.threads.get(thread.thread_id)["interrupts"].values()
    known: dict[str, Any] = {
        "URL_": thread.served.server.url, "THREAD": thread.thread_id, "INTERRUPT": interrupts[0]["id"], "COMMAND": command,
    }  # fmt: skip
    tab.events.clear()
    tab.call("Page.navigate", url=page)
    while "Page.loadEventFired" not in tab.methods():
        tab.events.append(tab._read())
    script = "".join(f"var {name} = {json.dumps(value)};" for name, value in known.items()) + TRIES
    told = tab.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
    return dict(told["result"]["value"])


def test_a_page_on_another_origin_cannot_send(
    served: Served, tab: Chromium, httpserver: HTTPServer, tmp_path: Path
) -> None:
    """Neither over the WebSocket nor by any kind of request; the server's own page may open one."""
    httpserver.expect_request("/evil").respond_with_data("<p>Hello", content_type="text/html")
    (tmp_path / "evil.html").write_text("<p>Hello", encoding="utf-8")
    thread = served.begin(tool_calls(("send_email", {"body": "It is 120 euro."}), ("Done", {})))
    for page in (httpserver.url_for("/evil"), (tmp_path / "evil.html").as_uri()):
        assert _tries(tab, thread, page, command=True) == {
            "socket": "refused",
            "cors application/json": "refused",
            "cors text/plain": "refused",
            "no-cors application/json": "opaque",
            "no-cors text/plain": "opaque",
        }
    assert (thread.status, served.sent(thread.header)) == ("interrupted", [])
    assert len(served.client.runs.list(thread.thread_id)) == 1
    assert _tries(tab, thread, f"{served.server.url}/ok", command=False) == {"socket": "open"}
    thread.answer([{"type": "ignore", "args": None}])
