"""What an open page is told, on the served graph."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import SETTINGS, Served
from tests.e2e.test_answers import reply
from tests.servers.model_server import running_model_server
from tests.support.dev_server import dev_server
from tests.support.page_browser import browser, tab

pytestmark = pytest.mark.xdist_group("served")


def test_an_open_page_shows_a_new_card_and_that_it_was_answered_elsewhere(served: Served) -> None:
    """By itself, in seconds."""
    with browser() as chromium, tab(chromium, served.server.url) as at:
        thread = served.begin(reply())
        row = at.page.locator(f"a.row[href*='{thread.thread_id}']")
        expect(row).to_have_count(1)
        thread.answer([{"type": "accept", "args": thread.echo()}])
        expect(row).to_have_count(0)
        expect(at.page.locator("[data-section=Answered]")).to_contain_text("sent")
        assert at.errors == []


def test_a_missing_model_package_is_told_in_a_banner_at_once(tmp_path: Path) -> None:
    """With its cause, what mends it and how many mails wait; no card, no traceback."""
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
        expect(banner).to_contain_text("langchain-mistralai")
        expect(banner.locator("h2")).to_have_text("2 mails could not be dealt with")
        banner.get_by_role("link", name="How to mend it").click()
        expect(at.page.locator("#pane article[data-at=failed]")).to_contain_text("pip install")
        assert at.errors == []
