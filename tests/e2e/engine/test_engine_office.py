"""An office's day on two workers: mail found by their own look, the page in a browser, more answers at once than there are connections."""

import asyncio
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from langgraph_sdk import get_sync_client

from email_assistant.adapters.importer import bring_in_all, read_source
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.clock import SystemClock
from tests.e2e.cli_support import OFFLINE
from tests.e2e.conftest import Thread
from tests.e2e.engine.conftest import Office
from tests.e2e.test_answers import reply
from tests.e2e.test_looks_served import until
from tests.servers.engine import Engine, engine
from tests.support.desk import deliver, mail
from tests.support.dev_server import ROOT, DevServer
from tests.support.page_browser import browser, shown, tab
from tests.support.page_client import PageClient

pytestmark = pytest.mark.xdist_group("engine")
CONNECTIONS = 44
"""All that two workers get, the engine's own among them; what they hold while they do nothing, and a few more."""
CROWD, TRIES = 30, 200
SAMPLES, CARDS = ROOT / "samples", 37


def bring_in_samples(data: Path) -> None:
    """The sample mailbox and its person, as nobody has looked at them yet."""

    async def bring_in() -> None:
        mailbox = MaildirMailbox(data / "mailbox", SystemClock())
        async for _ in bring_in_all(
            mailbox, read_source(SAMPLES / "mailbox"), frozenset({"robin@vale.example"})
        ):
            pass

    data.mkdir(parents=True)
    for name in ("settings.toml", "calendar.ics"):
        shutil.copyfile(SAMPLES / name, data / name)
    asyncio.run(bring_in())


@pytest.fixture
def day(tmp_path: Path, database_for: Callable[..., str]) -> Iterator[tuple[Engine, list[DevServer]]]:
    """Two workers that look for mail every second."""
    bring_in_samples(tmp_path / "data")
    with engine(tmp_path, OFFLINE | {"EMAIL_ASSISTANT_LOOK_SECONDS": "1"}, database_for()) as workers:
        yield workers, [workers.start(), workers.start()]


def waiting(server: DevServer) -> list[str]:
    """The threads that wait for an answer."""
    found = get_sync_client(url=server.url).threads.search(status="interrupted", limit=100)
    return [str(each["thread_id"]) for each in found]


def begun(server: DevServer) -> int:
    """How often a mail was begun; recovery lets a thread go on that the stand-in has as idle while it asks."""
    client = get_sync_client(url=server.url)
    threads = client.threads.search(limit=200)
    runs = [run for each in threads for run in client.runs.list(each["thread_id"], limit=100)]
    return sum(bool(run["kwargs"]["input"]) for run in runs)  # type: ignore[typeddict-item]


@pytest.mark.timeout(600)
def test_a_day_on_two_workers(day: tuple[Engine, list[DevServer]]) -> None:
    """Their own look brings every card once; the page shows them in a browser; `ingest` over HTTP finds nothing more."""
    office, (one, two) = day
    assert until(lambda: len(waiting(one)) == CARDS, 240), len(waiting(one))
    before = begun(one)
    deliver(
        office.folder / "data" / "mailbox", mail("Which oil do you use?", message_id="<late@example.com>")
    )
    assert until(lambda: len(waiting(two)) == CARDS + 1, 240), len(waiting(two))
    with browser() as started, tab(started, two.url) as page:
        page.page.get_by_text("Mara Lindqvist").first.wait_for()
        assert not page.flaws(), shown(page.flaws())
    looked = get_sync_client(url=two.url).runs.wait(None, "ingest", input={"include_read": True})
    assert looked.get("counts", {}).get("started", 0) == 0
    assert begun(one) == before + 1


def given(pages: Sequence[PageClient], thread: Thread) -> int:
    """The card's answer to every page at one moment, and to what is asked in its place, until nothing is; how often it had to be given."""
    for number in range(TRIES):
        if thread.status == "idle":
            return number
        if thread.status == "interrupted":
            answer = pages[0].card(thread.thread_id) | {"type": "accept"}

            def give(page: PageClient, answer: dict[str, str] = answer) -> int:
                return page.call("POST", "answers", [answer | {"id": uuid.uuid4().hex}]).status_code

            with ThreadPoolExecutor(len(pages)) as pool:
                assert {*pool.map(give, pages)} <= {200, 503}
        time.sleep(1)
    raise AssertionError(f"{thread.thread_id} is {thread.status}")


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_more_answers_than_connections_lose_nothing(
    opened: Callable[..., AbstractContextManager[Office]],
) -> None:
    """Whoever cannot be served is told so, and gives the answer again; each letter goes out once."""
    with opened(CONNECTIONS) as (workers, served):
        threads = [served.begin(reply()) for _ in range(CROWD)]
        pages = [PageClient(each.url) for each in workers.workers]
        with ThreadPoolExecutor(CROWD) as pool:
            tries = [*pool.map(lambda thread: given(pages, thread), threads)]
        assert [len(served.sent(thread.header)) for thread in threads] == [1] * CROWD
        assert max(tries) > 1, "there were connections enough"
