"""Two workers on the engine: one answer to both, workers that are killed, held answers that go over to the other. Sent is the judge."""

import random
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.e2e.conftest import Served, Thread
from tests.e2e.engine.conftest import Office
from tests.e2e.test_answers import reply
from tests.e2e.test_cut_off_answers import until
from tests.support.dev_server import DevServer
from tests.support.page_client import PageClient

pytestmark = pytest.mark.xdist_group("engine")


def living(office: Office) -> list[DevServer]:
    """Two workers that answer; the one who was killed last is replaced."""
    engine, served = office
    alive = [each for each in engine.workers if each.process.poll() is None]
    while len(alive) < 2:
        alive.append(engine.start())
    served.server = alive[0]
    return alive


def once(served: Served, thread: Thread) -> None:
    """The thread comes to its end, and one mail went out."""
    until(lambda: thread.status == "idle")
    assert len(served.sent(thread.header)) == 1


def answered_twice(office: Office) -> None:
    """The same answer on both workers' pages at one moment: one mail, and both are told the truth."""
    pages = [PageClient(each.url) for each in living(office)]
    served = office[1]
    thread = served.begin(reply())
    answer = pages[0].card(thread.thread_id) | {"type": "accept"}
    with ThreadPoolExecutor(2) as pool:
        told = [found[0]["state"] for found in pool.map(lambda page: page.answer(answer), pages)]
    assert set(told) <= {"done", "elsewhere"}, told
    assert "done" in told
    once(served, thread)


def asked(office: Office, chance: random.Random) -> tuple[DevServer, DevServer, Thread]:
    """A worker to be killed, the other one, and a card that waits."""
    doomed, other = chance.sample(living(office), 2)
    office[1].server = other
    return doomed, other, office[1].begin(reply())


def killed_at_work(office: Office, chance: random.Random) -> None:
    """A worker is killed somewhere in the work on an answer that came to it by its API."""
    doomed, _, thread = asked(office, chance)
    request = {
        "assistant_id": "email_assistant",
        "command": {"resume": [{"type": "accept", "args": thread.echo()}]},
    }
    answered = httpx.post(f"{doomed.url}/threads/{thread.thread_id}/runs", json=request, timeout=30)
    assert answered.status_code == 200
    threading.Event().wait(chance.uniform(0.0, 0.5))
    doomed.kill()
    once(thread.served, thread)


def killed_while_given(office: Office, chance: random.Random) -> None:
    """The worker that a page gave its answer to is killed; the page gives the same to the other one."""
    doomed, other, thread = asked(office, chance)
    answer = PageClient(other.url).card(thread.thread_id) | {"type": "accept", "id": uuid.uuid4().hex}
    with ThreadPoolExecutor(1) as pool:
        pool.submit(PageClient(doomed.url).answer, answer)
        threading.Event().wait(chance.uniform(0.0, 1.5))
        doomed.kill()
    page = PageClient(other.url)
    until(lambda: page.answer(answer)[0]["state"] in {"done", "elsewhere"})
    once(thread.served, thread)


def times(few: int, many: int) -> Any:
    """So often in every run of all tests, and so often to be sure."""
    return pytest.mark.parametrize("number", [few, pytest.param(many, marks=pytest.mark.soak)])


@pytest.mark.timeout(3600)
@times(5, 50)
def test_the_same_answer_to_both_workers_counts_once(office: Office, number: int) -> None:
    """However often."""
    for _ in range(number):
        answered_twice(office)


@pytest.mark.timeout(3600)
@times(2, 30)
def test_a_worker_killed_during_an_answer_loses_and_repeats_nothing(office: Office, number: int) -> None:
    """Another one takes its run over."""
    chance = random.Random(20261125)
    for _ in range(number):
        killed_at_work(office, chance)


@pytest.mark.timeout(3600)
@times(2, 20)
def test_an_answer_that_is_given_to_the_other_worker_after_a_kill_counts_once(
    office: Office, number: int
) -> None:
    """Whether it leads or not."""
    chance = random.Random(20261126)
    for _ in range(number):
        killed_while_given(office, chance)


def test_both_workers_show_the_page_and_the_card(office: Office) -> None:
    """What waits, waits for both."""
    workers, served = living(office), office[1]
    thread = served.begin(reply())
    for each in workers:
        assert thread.thread_id in httpx.get(f"{each.url}/review").text
    thread.answer([{"type": "ignore", "args": None}])


@pytest.mark.xfail(strict=True, reason="langgraph-runtime-pg ignores store.index without a word")
def test_the_store_finds_what_is_similar(office: Office) -> None:
    """By the embedding that langgraph.json names."""
    living(office)
    client = office[1].client
    client.store.put_item(("engine", "notes"), "oak", {"text": "The oak shelf costs 120 euro."})
    (found,) = client.store.search_items(("engine", "notes"), query="price of the shelf")["items"]
    assert found["score"] is not None
