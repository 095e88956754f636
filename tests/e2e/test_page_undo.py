"""Taking back on the page at the moment when it is due: row, count, journal and Sent agree, whatever dies or is read anew meanwhile."""

import contextlib
import random
import select
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from tests.e2e.conftest import SETTINGS, Served, Thread
from tests.e2e.test_answers import reply
from tests.e2e.test_cut_off_answers import until
from tests.servers.model_server import ModelServer, running_model_server
from tests.support.dev_server import dev_server, free_port
from tests.support.page_browser import STOOD, Tab, browser, tab
from tests.support.page_client import PageClient
from tests.support.sampling import sampled

HOLD, NEAR = 2, 0.06
"""Seconds: of a hold, and around its end."""
HOWS = ("304", "reload", "two", "kill", "kill and reload")
OPEN = ("held", "working")
PRESSES, LOOKS = 3, 50


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for all."""
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """One model for all."""
    with running_model_server() as made:
        yield made


@dataclass
class Desk:
    """A server that is killed and started again at one address, and a tab on it."""

    folder: Path
    model: ModelServer
    hold: int = HOLD
    port: int = field(default_factory=free_port)
    stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    served: Served = field(init=False)

    def start(self) -> None:
        """The server, on the folder as it was left."""
        settings = {"OPENAI_BASE_URL": self.model.base_url, "EMAIL_ASSISTANT_HOLD_SECONDS": str(self.hold)}
        up = dev_server(self.folder, SETTINGS | settings, port=self.port, is_forked=True)
        self.served = Served(self.stack.enter_context(up), self.folder, self.model)

    def restart(self) -> None:
        """By kill -9."""
        self.served.server.kill()
        self.stack.close()
        self.start()

    @property
    def client(self) -> PageClient:
        """What the server says to a page."""
        return PageClient(self.served.server.url)

    @property
    def waiting(self) -> set[str]:
        """The threads whose cards wait."""
        found = self.served.client.threads.search(status="interrupted", limit=100)
        return {str(each["thread_id"]) for each in found}


@pytest.fixture
def desk(tmp_path: Path, model: ModelServer) -> Iterator[Desk]:
    """A server of one's own."""
    made = Desk(tmp_path, model)
    made.start()
    with made.stack:
        yield made


def at_instant(when: float) -> None:
    """Wait for it."""
    left = when - time.time()
    if left > 0:
        select.select([], [], [], left)


@dataclass
class Tries:
    """Somebody who answers cards, and takes that back at the last moment."""

    desk: Desk
    page: Page
    chance: random.Random
    told: Counter[str] = field(default_factory=Counter)

    def go(self, how: str) -> None:
        """One of them."""
        threads = [self.desk.served.begin(reply()) for _ in range(2 if how == "two" else 1)]
        answers = [self.answered(thread, "ai"[number]) for number, thread in enumerate(threads)]
        if how == "reload":
            self.page.reload()
            expect(self.page.locator(".row.held")).to_have_count(len(threads))
        if how == "304":
            with self.page.expect_response("**/review/list"):
                self.page.evaluate("dispatchEvent(new Event('visibilitychange'))")
        due = datetime.fromisoformat(answers[-1]["due"]).timestamp()
        at_instant(due + self.chance.uniform(-NEAR, NEAR))
        if how.startswith("kill"):
            self.desk.restart()
            for thread in threads:
                thread.served = self.desk.served
        if how == "kill and reload":
            self.page.goto(f"{self.desk.served.server.url}/review")
        for _ in threads:
            self.page.keyboard.press("z")
        self.agrees(threads, answers)

    def answered(self, thread: Thread, key: str) -> dict[str, Any]:
        """Its card, by the key; the answer as the server has it."""
        row = self.page.locator(f"a.row[href*='{thread.thread_id}']")
        row.click()
        self.page.locator(f"#pane article[data-thread='{thread.thread_id}'][data-stood]").wait_for()
        for _ in range(
            PRESSES
        ):  # The pane was drawn anew at that moment, and the key went to neither: it is pressed again.
            self.page.keyboard.press(key)
            for _ in range(LOOKS):
                if found := [each for each in self.listed(thread) if each["state"] in OPEN]:
                    return found[0]
                select.select([], [], [], 0.1)
        raise AssertionError("no key has answered it")

    def listed(self, thread: Thread) -> list[dict[str, Any]]:
        """The answers of its card, the newest first."""
        found = self.desk.client.listed().values()
        return [each for each in found if each["thread"] == thread.thread_id]

    def agrees(self, threads: list[Thread], answers: list[dict[str, Any]]) -> None:
        """What the journal, Sent, the waiting cards, the rows and their number say."""
        client = self.desk.client
        ids = [each["id"] for each in answers]
        until(lambda: all(client.listed()[each]["state"] not in OPEN for each in ids))
        until(lambda: all(thread.status in {"interrupted", "idle"} for thread in threads))
        for thread, answer in zip(threads, answers, strict=True):
            state = client.listed()[answer["id"]]["state"]
            self.told[f"{answer['type']} {state}"] += 1
            is_done = state == "done"
            assert thread.status == ("idle" if is_done else "interrupted"), client.listed()[answer["id"]]
            sent = len(self.desk.served.sent(thread.header))
            assert sent == (is_done and answer["type"] == "accept"), (sent, client.listed()[answer["id"]])
            expect(self.page.locator(f"a.row[href*='{thread.thread_id}']")).to_have_count(
                int(not is_done), timeout=15_000
            )
        expect(self.page.locator(".row.held")).to_have_count(0, timeout=15_000)
        number = len(self.desk.waiting)
        expect(self.page.locator("#left")).to_have_text(f"{number} left", timeout=15_000)
        expect(self.page.locator("a.row")).to_have_count(number)
        for thread in threads:
            if thread.status == "interrupted":
                thread.answer([{"type": "ignore", "args": None}])


@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", sampled([pytest.param(n, id=f"part {n}") for n in range(6)], every=100)[:5])
def test_row_count_journal_and_sent_agree(
    chromium: Browser, desk: Desk, part: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Forty tries a part, two hundred in all; of the first part one of each way by which the page may have lost sight of it."""
    number = 5 if part == 0 else 49
    with tab(chromium, desk.served.server.url) as at:
        tries = Tries(desk, at.page, random.Random(part))
        for each in range(number):
            tries.go(HOWS[each % len(HOWS)])
    with capsys.disabled():
        print(f"\nundo at due ± 60 ms: {number} tries, {dict(tries.told)}")


@dataclass
class Fingers:
    """Somebody who presses anything."""

    desk: Desk
    page: Page
    chance: random.Random

    KEYS = (
        *["a", "i", "j", "Escape"] * 4, *["z", "1"] * 2, "k", "e", "r", "s", "2", "3", "x", "l", "g", "Enter", "Tab",
        "Control+Enter", "Space", "Backspace", "?", "/",
    )  # fmt: skip

    def sequence(self) -> None:
        """One to twelve keys, often from the first card on; some are held down, and now and then the card is looked at."""
        if self.chance.random() < 0.5:
            self.begin()
            self.page.keyboard.press("Enter")
            self.page.wait_for_function(STOOD)
        for _ in range(self.chance.randint(1, 12)):
            key = self.chance.choice(self.KEYS)
            if self.chance.random() < 0.2 and "+" not in key:
                for _ in range(6):
                    self.page.keyboard.down(key)
                self.page.keyboard.up(key)
            else:
                self.page.keyboard.press(key)
            if self.chance.random() < 0.7:
                with contextlib.suppress(Error):
                    self.page.locator("#pane article[data-stood]").wait_for(timeout=400)

    def begin(self) -> None:
        """Nothing is open, and single keys act, whatever box the keys before have come to."""
        for _ in range(6):
            self.page.keyboard.press("Escape")
        self.page.evaluate("delete localStorage['no-keys']")

    def take_all_back(self) -> None:
        """With `z` alone, until nothing is on its way or put off."""
        self.begin()
        for _ in range(200):
            is_held = self.page.locator(".row.held").count()
            if not is_held and "later" not in self.page.locator("#left").inner_text():
                return
            self.page.keyboard.press("z")
            self.page.wait_for_timeout(50)
        raise AssertionError("it does not come back")


ROUND = 4
"""Sequences that are over before the first answer is due."""


def press_anything(at: Tab, desk: Desk, threads: list[Thread], rounds: int, seed: int) -> int:
    """How many answers were given and taken back; after each round every card waits as before, and nothing was sent."""
    fingers = Fingers(desk, at.page, random.Random(seed))
    for _ in range(rounds):
        for _ in range(ROUND):
            fingers.sequence()
        fingers.take_all_back()
        given = desk.client.listed().values()
        assert [each for each in given if each["state"] != "undone"] == []
        expect(at.page.locator("#left")).to_have_text(f"{len(threads)} left")
        expect(at.page.locator("a.row")).to_have_count(len(threads))
        assert {thread.status for thread in threads} == {"interrupted"}
        assert [desk.served.sent(thread.header) for thread in threads] == [[]] * len(threads)
    assert at.errors == []
    return len(desk.client.listed())


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize(("rounds", "seed"), [(3, 1), pytest.param(125, 2, marks=pytest.mark.soak)])
def test_nothing_that_keys_do_is_beyond_recall(
    chromium: Browser,
    tmp_path: Path,
    model: ModelServer,
    rounds: int,
    seed: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Random keys on real cards: until something is due everything comes back with `z` alone, and Sent is empty."""
    desk = Desk(tmp_path, model, hold=30)
    with desk.stack:
        desk.start()
        threads = [desk.served.begin(reply()) for _ in range(6)]
        with tab(chromium, desk.served.server.url) as at:
            number = press_anything(at, desk, threads, rounds, seed)
    with capsys.disabled():
        print(f"\nrandom keys: {rounds * ROUND} sequences, {number} answers taken back, 0 beyond recall")
