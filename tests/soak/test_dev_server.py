"""The development server, killed while approvals are under way: never twice, and lost cards come back by themselves."""

import os
import random
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from eval.accepting import accepting
from tests.soak.harness import fill, sent
from tests.soak.worker import Job
from tests.support.dev_server import DevServer, dev_server, free_port

SETTINGS = {
    "EMAIL_ASSISTANT_EMAIL": "robin@vale.example",
    "EMAIL_ASSISTANT_NAME": "Robin Vale",
    "EMAIL_ASSISTANT_MODEL_FAST": "offline",
    "EMAIL_ASSISTANT_MODEL_STRONG": "offline",
}
SETTLE_SECONDS = 90


def run(folder: Path, kills: int, seed: int, mails: int) -> tuple[int, int]:
    """Kill the server so often, at random moments of answering; returns (cards that came back, mails sent)."""
    chance, port, data = random.Random(seed), free_port(), folder / "data"
    data.mkdir(parents=True)
    fill(data, mails)
    job, returned = Job(str(data), None), 0
    with serving(folder, port) as server:
        ingest(folder, server)
        settle(server, job, mails)
    for number in range(kills):
        with serving(folder, port) as server:
            before = settle(server, job, mails)
            returned += before
            if number and number % 5 == 0:
                mails += 4
                fill(data, 4, start=mails - 4)
                ingest(folder, server)
            answering = threading.Thread(target=accept_some, args=(server, chance.randint(1, 3)), daemon=True)
            answering.start()
            select.select([], [], [], chance.uniform(0.05, 1.5))
            server.kill()
            answering.join()
        counted = sent(job)
        assert all(n == 1 for n in counted.values()), counted.most_common(3)
    with serving(folder, port) as server:
        settle(server, job, mails)
        while cards(server):
            accept_some(server, 3)
        counted = sent(job)
        assert set(counted.values()) == {1}
        assert len(counted) == mails, "a mail was lost"
    return returned, mails


@contextmanager
def serving(folder: Path, port: int) -> Iterator[DevServer]:
    """The server on the same folder and port each time."""
    with dev_server(folder, SETTINGS, port=port) as server:
        yield server


def ingest(folder: Path, server: DevServer) -> None:
    """Take in what is new, with the command."""
    command = [str(Path(sys.executable).parent / "email-assistant"), "ingest", "--url", server.url]
    environment = dict(os.environ) | SETTINGS | {"EMAIL_ASSISTANT_DATA_DIR": str(folder / "data")}
    subprocess.run(command, env=environment, cwd=folder, check=True, capture_output=True)


def settle(server: DevServer, job: Job, mails: int) -> int:
    """Wait until every mail is sent or waits as a card, without anybody's help; returns the number of cards."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while time.monotonic() < deadline:
        waiting = len(cards(server))
        if waiting + len(sent(job)) >= mails and not busy(server):
            return waiting
        select.select([], [], [], 0.2)
    raise AssertionError(
        f"{mails} mails, {len(cards(server))} cards, {len(sent(job))} sent: {server.log.read_text()[-3000:]}"
    )


def cards(server: DevServer) -> list[str]:
    """The run threads that wait for an answer."""
    return search(server, "interrupted")


def busy(server: DevServer) -> list[str]:
    """The run threads that work."""
    return search(server, "busy")


def search(server: DevServer, status: str) -> list[str]:
    """Run threads in a condition."""
    body = {"metadata": {"graph_id": "email_assistant"}, "status": status, "limit": 1000}
    found: Any = httpx.post(f"{server.url}/threads/search", json=body, timeout=30).json()
    return [thread["thread_id"] for thread in found]


def accept_some(server: DevServer, number: int) -> None:
    """Accept so many cards; the server may die meanwhile."""
    try:
        for thread_id in cards(server)[:number]:
            thread: Any = httpx.get(f"{server.url}/threads/{thread_id}", timeout=30).json()
            for each in (one for some in thread["interrupts"].values() for one in some):
                resume = {"resume": [accepting(each["value"][0])]}
                request = {"assistant_id": "email_assistant", "command": resume}
                httpx.post(f"{server.url}/threads/{thread_id}/runs/wait", json=request, timeout=30)
    except httpx.HTTPError:
        return


def test_killed_twice_the_development_server_sends_nothing_twice_and_loses_nothing(tmp_path: Path) -> None:
    """The short form."""
    _, mails = run(tmp_path, kills=2, seed=7, mails=5)
    assert mails == 5


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_killed_fifty_times_the_development_server_sends_nothing_twice_and_loses_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The long form."""
    _, mails = run(tmp_path, kills=50, seed=20261121, mails=12)
    with capsys.disabled():
        print(f"\ndevelopment server: 50 kills, {mails} mails, each sent once, none lost")
