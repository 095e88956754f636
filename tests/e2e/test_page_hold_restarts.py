"""An answer that is held when the server dies: in time it goes on, too late it is dropped, taken back it is never sent."""

import contextlib
import signal
import sqlite3
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.conftest import Served, Thread
from tests.e2e.test_answers import reply
from tests.e2e.test_cut_off_answers import Office, until
from tests.servers.model_server import running_model_server
from tests.support.dev_server import DevServer
from tests.support.page_client import PageClient

ENDS = ["SIGTERM", "SIGKILL"]


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """A folder and a model."""
    with running_model_server() as model:
        yield Office(tmp_path, model)


@contextlib.contextmanager
def opened(office: Office, thread: Thread | None = None) -> Iterator[tuple[Served, PageClient]]:
    """A server, its page, and the thread on it."""
    with office.open() as served:
        if thread is not None:
            thread.served = served
        yield served, PageClient(served.server.url)


def end(server: DevServer, how: str) -> None:
    """The server is told to stop, or killed."""
    if how == "SIGKILL":
        server.kill()
    else:
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(40)


def accepted(page: PageClient, thread: Thread) -> dict[str, Any]:
    """An accept that is held."""
    (held,) = page.answer(page.card(thread.thread_id) | {"type": "accept"})
    assert held["state"] == "held"
    return held


def be_due(office: Office, ago: timedelta) -> None:
    """Let what is held have been due so long ago, while no server runs."""
    with contextlib.closing(sqlite3.connect(office.folder / "data" / "email_assistant.db")) as connection:
        due = (datetime.now(UTC) - ago).replace(tzinfo=None).isoformat(" ")
        assert connection.execute("UPDATE held_answers SET due = ?", (due,)).rowcount == 1
        connection.commit()


@pytest.mark.parametrize("how", ENDS)
def test_an_answer_that_is_due_soon_after_goes_on(office: Office, how: str) -> None:
    """It is sent once, by itself."""
    with opened(office) as (served, page):
        thread = served.begin(reply())
        held = accepted(page, thread)
        end(served.server, how)
    be_due(office, timedelta(seconds=5))
    with opened(office, thread) as (served, page):
        until(lambda: page.listed()[held["id"]]["state"] not in {"held", "working"})
        assert page.listed()[held["id"]]["state"] == "done"
        assert len(served.sent(thread.header)) == 1


@pytest.mark.parametrize("how", ENDS)
def test_an_answer_that_was_due_long_ago_is_dropped_and_that_is_said(office: Office, how: str) -> None:
    """The card waits as it was, and takes another answer."""
    with opened(office) as (served, page):
        thread = served.begin(reply())
        held, card = accepted(page, thread), thread.card
        end(served.server, how)
    be_due(office, timedelta(seconds=61))
    with opened(office, thread) as (served, page):
        until(lambda: page.listed()[held["id"]]["state"] != "held")
        told = page.listed()[held["id"]]
        assert (told["state"], "the server had stopped" in told["why"]) == ("dropped", True)
        assert (served.sent(thread.header), thread.card) == ([], card)
        (result,) = page.settle(page.card(thread.thread_id) | {"type": "accept"})
        assert (result["state"], len(served.sent(thread.header))) == ("done", 1)


def test_an_answer_that_was_at_work_counts_once(office: Office) -> None:
    """The server is killed while the model thinks about what comes after the reply that was approved."""
    with opened(office) as (served, page):
        slow = reply()
        slow["toolCalls"].pop()
        thread = served.begin(slow, {"content": "…", "delayMs": 60_000})
        held, heard = accepted(page, thread), len(office.model.requests)
        asking = threading.Thread(target=_hurry, args=(page, held["id"]), daemon=True)
        asking.start()
        until(lambda: len(office.model.requests) > heard)
        end(served.server, "SIGKILL")
        asking.join()
    assert len(served.sent(thread.header)) == 1
    office.model.script(("Done", {}))
    with opened(office, thread) as (served, page):
        until(lambda: page.listed()[held["id"]]["state"] not in {"held", "working"})
        assert page.listed()[held["id"]]["state"] in {"done", "failed"}
        assert len(served.sent(thread.header)) == 1


@pytest.mark.parametrize(
    "after", [0.0, 0.03, 0.1, *(pytest.param(n / 50, marks=pytest.mark.soak) for n in range(12))]
)
def test_an_answer_that_was_just_released_goes_through_once(office: Office, after: float) -> None:
    """The server is killed as its run begins: the card tells that the answer was lost, and it was not; nobody has to decide again."""
    with opened(office) as (served, page):
        thread = served.begin(reply())
        held = accepted(page, thread)
        asking = threading.Thread(target=_hurry, args=(page, held["id"]), daemon=True)
        asking.start()
        until_at_work(office)
        threading.Event().wait(after)
        end(served.server, "SIGKILL")
        asking.join()
    with opened(office, thread) as (served, page):
        until(lambda: page.listed()[held["id"]]["state"] not in {"held", "working"})
        told = page.listed()[held["id"]]
        assert (told["state"], len(served.sent(thread.header))) == ("done", 1), told


def until_at_work(office: Office) -> None:
    """An answer was given to its run, or is about to be; looked for as often as can be."""
    with contextlib.closing(sqlite3.connect(office.folder / "data" / "email_assistant.db")) as connection:
        for _ in range(200_000):
            if connection.execute("SELECT 1 FROM held_answers WHERE state = 'working'").fetchone():
                return
    raise AssertionError("no answer was released")


def _hurry(page: PageClient, answer_id: str) -> None:
    with contextlib.suppress(httpx.HTTPError):  # The server dies meanwhile.
        page.call("POST", f"answers/{answer_id}/now", {})


def taken_back(office: Office, times: int, restarts: int) -> None:
    """Undo so often, some across a restart, and after each the same card takes another answer."""
    every, thread, card = times // restarts, None, {}
    for number in range(restarts):
        with opened(office, thread) as (served, page):
            thread = thread or served.begin(reply())
            card = card or page.card(thread.thread_id)
            for _ in range(every - 1):
                undo(page, card, accepted(page, thread))
            held = accepted(page, thread)
            end(served.server, ENDS[number % 2])
        with opened(office, thread) as (served, page):
            assert page.card(thread.thread_id) == card
            undo(page, card, held)
            assert served.sent(thread.header) == []
    with opened(office, thread) as (served, page):
        assert thread is not None
        (result,) = page.settle(card | {"type": "accept"})
        assert (result["state"], len(served.sent(thread.header))) == ("done", 1)


def undo(page: PageClient, card: dict[str, str], held: dict[str, Any]) -> None:
    """Take it back; the same card takes another answer, which is taken back, too."""
    assert page.undo(held["id"])["state"] == "undone"
    (again,) = page.answer(card | {"type": "accept"})
    assert (again["state"], again["id"] != held["id"]) == ("held", True)
    assert page.undo(again["id"])["state"] == "undone"


def test_what_was_taken_back_is_never_sent(office: Office) -> None:
    """The short form."""
    taken_back(office, times=10, restarts=2)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_what_was_taken_back_a_hundred_times_is_never_sent(
    office: Office,
) -> None:
    """Twenty of them across a restart, half by SIGTERM and half by kill -9."""
    taken_back(office, times=100, restarts=20)
