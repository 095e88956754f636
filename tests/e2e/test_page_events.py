"""What an open page is told, on the served graph."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import SETTINGS, Served
from tests.e2e.test_answers import reply
from tests.e2e.test_cut_off_answers import Office
from tests.servers.model_server import running_model_server
from tests.support.dev_server import dev_server
from tests.support.page_browser import browser, tab
from tests.support.page_client import PageClient

MAX_BANNER_SECONDS = 5

pytestmark = pytest.mark.xdist_group("served")


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """A folder and a model."""
    with running_model_server() as model:
        yield Office(tmp_path, model)


def heard(lines: Iterator[str], *names: str) -> list[dict[str, Any]]:
    """What the next event of each of these names brings, in whatever order they come."""
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        name = line.removeprefix("event: ")
        if line.startswith("event: ") and name in names:
            found.setdefault(name, json.loads(next(lines).removeprefix("data: ")))
        if found.keys() == set(names):
            return [found[each] for each in names]
    raise AssertionError("the stream has ended")


def test_an_open_page_hears_of_cards_and_answers_within_a_second(served: Served) -> None:
    """Two tabs: each hears of the card, of the answer that the other gave, and of its end."""
    page = PageClient(served.server.url)
    url = f"{served.server.url}/review/events"
    with httpx.stream("GET", url, timeout=30) as first, httpx.stream("GET", url, timeout=30) as second:
        tabs = [first.iter_lines(), second.iter_lines()]
        assert [next(each) for each in tabs] == ["retry: 2000"] * 2
        time_of_looks = [next(each) for each in tabs]
        assert time_of_looks == ["", ""]
        thread = served.begin(reply())
        assert [heard(each, "card")[0]["thread"] for each in tabs] == [thread.thread_id] * 2
        (held,) = page.answer(page.card(thread.thread_id) | {"type": "accept"})
        assert [heard(each, "held")[0]["id"] for each in tabs] == [held["id"]] * 2
        page.call("POST", f"answers/{held['id']}/now", {})
        for tab in tabs:
            done, gone = heard(tab, "done", "gone")
            assert (done["id"], done["state"], gone["thread"]) == (held["id"], "done", thread.thread_id)


def test_a_server_with_an_open_page_stops_when_it_is_told_to(office: Office) -> None:
    """The web server waits for every response to end: the stream ends by itself."""
    with office.open() as served, httpx.stream("GET", f"{served.server.url}/review/events") as stream:
        lines = stream.iter_lines()
        assert next(lines) == "retry: 2000"
        served.server.process.send_signal(signal.SIGTERM)
        assert list(lines)[-1:] in ([""], [":"], [])
        served.server.process.wait(15)


def test_a_missing_model_package_is_told_in_a_banner_at_once(tmp_path: Path) -> None:
    """With its cause, what mends it and how many mails wait, five seconds after the first failure at most; no card, no traceback."""
    models = dict.fromkeys(
        ("EMAIL_ASSISTANT_MODEL_FAST", "EMAIL_ASSISTANT_MODEL_STRONG"), "mistralai:mistral-large"
    )
    with (
        running_model_server() as model,
        browser() as chromium,
        dev_server(tmp_path, SETTINGS | models) as server,
        tab(chromium, server.url) as at,
    ):
        served = Served(server, tmp_path, model)
        expect(at.page.locator("#banner .banner")).to_have_count(0)
        assert [served.begin().status for _ in range(2)] == ["error", "error"]
        banner = at.page.locator("#banner .banner")
        expect(banner).to_contain_text("langchain-mistralai", timeout=MAX_BANNER_SECONDS * 1000)
        expect(banner.locator("h2")).to_have_text(
            "2 mails could not be dealt with", timeout=MAX_BANNER_SECONDS * 1000
        )
        banner.get_by_role("link", name="How to mend it").click()
        expect(at.page.locator("#pane article[data-at=failed]")).to_contain_text("pip install")
        assert at.errors == []
