"""Answers that the page holds: taken back, reloaded, doubled, closed or without a server meanwhile, each is done once or its card waits."""

import contextlib
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from tests.e2e.conftest import SETTINGS, Served, Thread
from tests.e2e.test_answers import reply
from tests.e2e.test_cut_off_answers import until
from tests.servers.model_server import ModelServer, running_model_server
from tests.support.dev_server import dev_server, free_port
from tests.support.page_browser import STOOD, Tab, browser, tab

HOLD = 2
TOKEN = "a secret of many letters"


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
    """A server that is killed and started again at one address."""

    folder: Path
    model: ModelServer
    hold: int = HOLD
    token: str = ""
    port: int = field(default_factory=free_port)
    stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    served: Served = field(init=False)

    def start(self) -> None:
        """The server, on the folder as it was left."""
        settings = {"OPENAI_BASE_URL": self.model.base_url, "EMAIL_ASSISTANT_HOLD_SECONDS": str(self.hold)}
        settings |= {"EMAIL_ASSISTANT_API_TOKEN": self.token} if self.token else {}
        up = dev_server(self.folder, SETTINGS | settings, port=self.port, is_forked=True)
        self.served = Served(self.stack.enter_context(up), self.folder, self.model)

    def restart(self) -> None:
        """By kill -9."""
        self.served.server.kill()
        self.stack.close()
        self.start()

    @property
    def entrance(self) -> str:
        """Where a browser that knows nothing yet comes in."""
        url = self.served.server.url
        if not self.token:
            return f"{url}/review"
        shown = {"x-api-key": self.token, "origin": url}
        made = httpx.post(f"{url}/review/link", json={}, headers=shown).raise_for_status()
        return f"{url}{made.json()['path']}"


@dataclass
class Tries:
    """Somebody who answers cards with the keyboard, and what happens in the hold."""

    desk: Desk
    context: BrowserContext
    chance: random.Random
    told: Counter[str] = field(default_factory=Counter)
    page: Page = field(init=False)

    HOWS = ("nothing", "undo", "undo late", "reload", "double", "close", "offline", "kill")
    GIVEN = ("nothing", "double", "offline", "kill")
    """Where the page stays open, and nobody has taken it back: it is given."""

    def open(self, address: str = "") -> None:
        """A tab on the list."""
        self.page = self.context.new_page()
        self.page.goto(address or f"{self.desk.served.server.url}/review")
        self.page.locator("#list").wait_for()

    def go(self, how: str) -> None:
        """One answer, in whose hold something happens; then what is there agrees."""
        thread, key = self.desk.served.begin(reply()), self.chance.choice("ai")
        self.page.reload()
        self.page.locator(f"a.row[href*='{thread.thread_id}']").click()
        self.page.locator(f"#pane article[data-thread='{thread.thread_id}'][data-stood]").wait_for()
        self.page.keyboard.press(key)
        expect(self.page.locator(f"a.row.held[href*='{thread.thread_id}']")).to_have_count(1)
        self.page.wait_for_timeout(self.chance.uniform(0, 500))
        was_taken_back = self.happens(how)
        thread.served = self.desk.served
        if how in self.GIVEN and not (how == "kill" and self.desk.token):
            until(lambda: thread.status == "idle")
        self.page.wait_for_timeout(1000 * (HOLD + 1))  # Nothing may come after that.
        until(lambda: thread.status in {"idle", "interrupted"})
        is_done, sent = thread.status == "idle", len(self.desk.served.sent(thread.header))
        assert sent == (is_done and key == "a"), (how, key, thread.status, sent)
        assert not (is_done and was_taken_back), (how, key)
        self.told[f"{how} {thread.status}"] += 1
        expect(self.page.locator(f"a.row[href*='{thread.thread_id}']")).to_have_count(int(not is_done))
        expect(self.page.locator(".row.held")).to_have_count(0)

    def happens(self, how: str) -> bool:
        """Whether the page says that the answer was taken back."""
        if how == "undo late":
            self.page.wait_for_timeout(1000 * HOLD - 500 + self.chance.uniform(-60, 60))
        if how.startswith("undo"):
            self.page.keyboard.press("z")
            toast = self.page.locator("#toasts .told")
            expect(toast).to_contain_text("taken back")
            return "cannot" not in toast.inner_text()
        if how == "reload":
            self.page.reload()
        elif how == "double":  # A tab that is opened by another has a copy of its notes.
            with self.context.expect_page() as opened:
                self.page.evaluate("window.open(location)")
            opened.value.locator("#list").wait_for()
            opened.value.wait_for_timeout(self.chance.uniform(0, 1000 * HOLD))
            opened.value.close(run_before_unload=False)
        elif how == "close":
            self.page.close(run_before_unload=False)
            self.open()
        elif how == "offline":
            self.context.set_offline(True)
            self.page.wait_for_timeout(self.chance.uniform(0, 2000 * HOLD))
            self.context.set_offline(False)
        elif how == "kill":
            self.page.wait_for_timeout(self.chance.uniform(0, 1000 * HOLD))
            self.desk.restart()
        return False


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("token", ["", pytest.param(TOKEN, marks=pytest.mark.soak)], ids=["open", "token"])
@pytest.mark.parametrize("rounds", [1, pytest.param(13, marks=pytest.mark.soak)])
def test_every_answer_is_done_once_or_its_card_waits(
    chromium: Browser,
    tmp_path: Path,
    model: ModelServer,
    token: str,
    rounds: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whatever happens in the hold: nothing is done that was taken back, and nothing twice."""
    monkeypatch.setenv("LANGGRAPH_API_KEY", token)
    desk = Desk(tmp_path, model, token=token)
    with desk.stack:
        desk.start()
        context = chromium.new_context(reduced_motion="reduce", locale="en-GB")
        tries = Tries(desk, context, random.Random(rounds))
        tries.open(desk.entrance)
        for _ in range(rounds):
            for how in Tries.HOWS:
                tries.go(how)
        context.close()
    with capsys.disabled():
        print(f"\nholds: {sum(tries.told.values())} answers, {dict(tries.told)}")


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


def press_anything(at: Tab, desk: Desk, threads: list[Thread], rounds: int, seed: int) -> None:
    """After each round every card waits as before, and nothing was sent."""
    fingers = Fingers(desk, at.page, random.Random(seed))
    for _ in range(rounds):
        for _ in range(ROUND):
            fingers.sequence()
        fingers.take_all_back()
        expect(at.page.locator("#left")).to_have_text(f"{len(threads)} left")
        expect(at.page.locator("a.row")).to_have_count(len(threads))
        assert {thread.status for thread in threads} == {"interrupted"}
        assert [desk.served.sent(thread.header) for thread in threads] == [[]] * len(threads)
    assert at.errors == []


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize(("rounds", "seed"), [(3, 1), pytest.param(50, 2, marks=pytest.mark.soak)])
def test_nothing_that_keys_do_is_beyond_recall(
    chromium: Browser, tmp_path: Path, model: ModelServer, rounds: int, seed: int
) -> None:
    """Random keys on real cards: until something is due everything comes back with `z` alone, and Sent is empty."""
    desk = Desk(tmp_path, model, hold=30)
    with desk.stack:
        desk.start()
        threads = [desk.served.begin(reply()) for _ in range(6)]
        with tab(chromium, desk.served.server.url) as at:
            press_anything(at, desk, threads, rounds, seed)
