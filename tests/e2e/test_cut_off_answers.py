"""A server that is stopped while it works on an answer repeats the run, and the answer must not settle another card."""

import select
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.conftest import SETTINGS, Served, Thread
from tests.e2e.test_answers import ACCEPT, meeting, reply
from tests.servers.model_server import ModelServer, running_model_server, tool_call
from tests.support.dev_server import dev_server
from tests.support.page_client import PageClient

LONG = {"delayMs": 60_000}


@dataclass
class Office:
    """A folder and a model, and the servers that come and go on them."""

    folder: Path
    model: ModelServer

    @contextmanager
    def open(self) -> Iterator[Served]:
        """A server until the block ends."""
        with dev_server(self.folder, SETTINGS | {"OPENAI_BASE_URL": self.model.base_url}) as server:
            yield Served(server, self.folder, self.model)


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """One of one's own."""
    with running_model_server() as model:
        yield Office(tmp_path, model)


def until(true: Callable[[], Any]) -> None:
    """Wait for it, a minute at most."""
    for _ in range(600):
        if true():
            return
        select.select([], [], [], 0.1)
    raise AssertionError("it did not come about")


def answer_cut_off(thread: Thread) -> None:
    """Accept, and stop the server while the model thinks about what comes next."""
    heard = len(thread.served.model.requests)
    thread.served.client.runs.create(thread.thread_id, "email_assistant", command={"resume": ACCEPT})
    until(lambda: len(thread.served.model.requests) > heard)
    thread.served.server.process.send_signal(signal.SIGINT)
    thread.served.server.process.wait(40)


@pytest.mark.parametrize("is_heard", [True, False])
def test_an_answer_that_is_given_again_after_a_kill_counts_once(office: Office, is_heard: bool) -> None:
    """The server is killed while its run begins, or while the model thinks about what comes after the reply that was approved."""
    with office.open() as served:
        slow = reply()
        slow["toolCalls"].pop()
        thread = served.begin(slow, {"content": "…", "delayMs": 60_000})
        page, heard = PageClient(served.server.url), len(office.model.requests)
        answer = page.card(thread.thread_id) | {"type": "accept", "id": "a" * 32}
        with ThreadPoolExecutor(1) as pool:
            asking = pool.submit(page.answer, answer)
            until(lambda: len(office.model.requests) > heard if is_heard else thread.status == "busy")
            served.server.kill()
            assert isinstance(asking.exception(60), httpx.HTTPError)
    office.model.script(("Done", {}))
    with office.open() as served:
        thread.served, page = served, PageClient(served.server.url)
        until(lambda: page.answer(answer)[0]["state"] in {"done", "elsewhere"})
        assert len(served.sent(thread.header)) == 1


def test_what_was_accepted_is_done_and_the_next_card_waits(office: Office) -> None:
    """The meeting is in the calendar; the reply that the repeated run has written is not sent before it was seen."""
    with office.open() as served:
        proposal = meeting("Shelf fitting")
        proposal["toolCalls"].pop()
        thread = served.begin(proposal, reply() | LONG)
        assert thread.title == "Schedule meeting: Shelf fitting"
        answer_cut_off(thread)
    office.model.script(reply(), tool_call("Done", {}, repeat=True))
    with office.open() as served:
        again = Thread(served, thread.thread_id, thread.header, thread.key)
        until(lambda: again.status in {"interrupted", "idle", "error"})
        assert served.event("Shelf fitting")
        assert served.sent(thread.header) == [], "a reply that nobody has seen was sent"
        assert again.title.startswith("Send reply to ")
        again.answer(ACCEPT)
        assert len(served.sent(thread.header)) == 1
