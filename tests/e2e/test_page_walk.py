"""A day's mail decided on the review page with the keyboard alone: Sent and the calendar tell what came of it, not the page."""

import mailbox
import os
from collections.abc import Iterator
from contextlib import suppress
from email import policy
from email.message import Message
from email.parser import BytesParser
from pathlib import Path

import icalendar
import pytest
from playwright.sync_api import Browser, Locator, TimeoutError, expect

from tests.e2e.cli_support import Cli, running
from tests.support.dev_server import ROOT
from tests.support.page_browser import STOOD, Tab, browser, tab

pytestmark = pytest.mark.xdist_group("served")
MOST_KEYS, MOST_SCREENS = 40, 28
MOST_ROWS, MOST_KEYS_WITH_LABELS = 30, 51
NOW = "2026-11-20T16:45:00+00:00"
ENDED = "() => JSON.parse(sessionStorage.acts ?? '[]').length === 0"
PICTURES, MAX_PICTURE_BYTES = ROOT / "docs" / "pictures", 300_000
ANSWER, HOUR = "Yes, that is how it will be.", "\nMonday 23 November, 09:00–09:30\n"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for all."""
    with browser() as started:
        yield started


class Walk:
    """Somebody at the keyboard."""

    def __init__(self, at: Tab) -> None:
        self.page = at.page
        self.keys = 0
        self.spent: dict[str, int] = {}
        """Keys for each screen, by its place; the cards that follow on an answer are among them."""

    def press(self, key: str) -> None:
        """One key, which counts."""
        self.keys += 1
        self.page.keyboard.press(key)

    @property
    def opened(self) -> str:
        """What is open, once it is there; "" for nothing."""
        told = """() => {
            const at = new URL(location.href).searchParams.get('open') ?? '', on = document.querySelector('#pane article');
            if (!at) return document.querySelector('#pane .ov') && 'at ';
            return (on?.dataset.at === at || document.querySelector('#pane [data-gone]')) && 'at ' + at;
        }"""
        return str(self.page.wait_for_function(told).json_value()).removeprefix("at ")

    def decide(self) -> None:
        """The main answer to what is open; each gap is filled in, by a key where there is one; the first waits for its text where the card
        follows on an answer."""
        self.page.wait_for_function(STOOD)
        gaps = self.page.locator("#pane .gap").all()
        if gaps and not gaps[0].locator("[data-id]").count() and not self.types_already():
            self.press("a")
        for gap in gaps:
            self.fill(gap, "Tab" if gap is not gaps[-1] else "Control+Enter")
        if gaps:
            return
        main = self.page.locator("#pane .acts .b").first.get_attribute("data-does")
        key = {"ignore": "i", "seen": "d"}.get(main, "a")
        self.press(key)
        if self.page.locator("#pane article[data-grave]").count():  # No one key answers it.
            self.press(key)

    def fill(self, gap: Locator, then: str) -> None:
        """With the first thing that is offered, which goes on to the next gap by itself; else with an answer, and the key that goes on."""
        if gap.locator("[data-id]").count():
            self.press(str(gap.locator("[data-id]").first.get_attribute("data-id")))
            if then == "Control+Enter":
                self.press("a")
            return
        expect(gap.locator("textarea")).to_be_focused()
        self.page.keyboard.type(ANSWER)
        self.press(then)

    def types_already(self) -> bool:
        """Whether a gap is typed into without a key: so it is in a card that follows on an answer."""
        with suppress(TimeoutError):
            self.page.wait_for_function("() => document.activeElement.closest('.gap')", timeout=1_000)
            return True
        return False

    def go(self) -> None:
        """Through the list, and through what follows on the answers, until nothing waits."""
        began = self.keys
        self.press("Enter")
        while at := self.opened:
            if self.page.locator(
                "#pane [data-gone]"
            ).count():  # Another answer has settled it since the list was read.
                self.press("Escape")
                continue
            self.decide()
            if not self.moves_on(
                at
            ):  # The list was drawn anew at that moment, and the key went to neither: it is pressed again.
                self.decide()
                assert self.moves_on(at), at
            self.spent[at] = self.spent.get(at, 0) + self.keys - began
            began = self.keys

    def moves_on(self, at: str) -> bool:
        """Whether something else is open, soon."""
        told = "(was) => (new URL(location.href).searchParams.get('open') ?? '') !== was"
        with suppress(TimeoutError):
            self.page.wait_for_function(told, arg=at, timeout=10_000)
            return True
        return False

    def finish(self) -> None:
        """What was answered is done, and what follows on it is answered."""
        for _ in range(9):
            expect(self.page.locator(".row.held")).to_have_count(0, timeout=60_000)
            self.page.wait_for_function(ENDED, timeout=60_000)
            self.page.reload()
            if self.page.locator("a.row").count():
                self.go()
            elif self.page.evaluate(ENDED):  # Else the last key's answer was still on its way.
                return


def pictures(at: Tab) -> None:
    """What README shows, light and dark; `WRITE_PICTURES=1` in the environment writes it anew."""
    home = at.page.url
    at.page.locator("a.row", has_text="Ingrid Moe").click()
    expect(at.page.locator("#pane .strip")).to_be_visible()
    for scheme in ("light", "dark"):
        at.page.emulate_media(color_scheme=scheme)
        picture = PICTURES / f"review-{scheme}.png"
        if os.environ.get("WRITE_PICTURES"):
            at.page.screenshot(path=picture)
        assert picture.stat().st_size < MAX_PICTURE_BYTES
    at.page.emulate_media(color_scheme="light")
    at.page.goto(home)


def sent(data: Path) -> dict[str, Message]:
    """What left the house, by its name in the folder, which has no order."""
    parser = BytesParser(policy=policy.default)
    folder = mailbox.Maildir(data / "mailbox").get_folder("Sent")
    return {key: parser.parsebytes(each.as_bytes()) for key, each in folder.items()}


def events(data: Path) -> int:
    """How many events the calendar has."""
    return len(icalendar.Calendar.from_ical((data / "calendar.ics").read_bytes()).walk("VEVENT"))


def test_the_sample_mailbox_is_decided_by_keys(chromium: Browser, tmp_path: Path) -> None:
    """Few keys, few screens; each reply is in Sent once with what was typed and without a gap, each meeting in the calendar."""
    cli = Cli(tmp_path, tmp_path / "data", {"EMAIL_ASSISTANT_NOW": NOW, "EMAIL_ASSISTANT_HOLD_SECONDS": "1"})
    with running(cli) as up, tab(chromium, f"http://127.0.0.1:{up.port}") as at:
        before, there = sent(cli.data).keys(), events(cli.data)
        expect(at.page.locator("#left")).to_have_text("37 left")
        replies = at.page.locator("a.row[data-kind=send_email]").count()
        meetings = at.page.locator("a.row[data-kind=schedule_meeting]").count()
        invitations = at.page.locator("a.row[data-kind=invitation]").count()
        pictures(at)
        walk = Walk(at)
        walk.go()
        print(f"{sum(walk.spent.values())} keys, {len(walk.spent)} screens, {walk.keys} keys in all")
        assert (len(walk.spent) <= MOST_SCREENS, sum(walk.spent.values()) <= MOST_KEYS) == (True, True), (
            walk.spent
        )
        walk.finish()
        left = [each for key, each in sent(cli.data).items() if key not in before]
        letters = [each for each in left if not each.is_multipart()]
        # Each meeting that was made is told to whom it is with by its invitation; a letter goes with it where the mail asks more.
        methods = [part.get_param("method") for each in left for part in each.walk()]
        assert methods.count("REQUEST") == meetings
        assert replies <= len(letters) < replies + meetings
        assert events(cli.data) - there == meetings + invitations
        texts = [each.get_content() for each in letters]
        assert len([text for text in texts if ANSWER in text or HOUR in text]) >= replies
        assert len([text for text in texts if HOUR in text]) == 1
        assert [each for each in letters if "[confirm" in each.get_content()] == []
        assert len({each["Message-ID"] for each in letters}) == len(letters)
        assert at.errors == []


@pytest.mark.soak
def test_with_the_organizer_there_is_still_one_row_a_mail(chromium: Browser, tmp_path: Path) -> None:
    """Two graphs that ask about one mail share its row; the labels go with a few keys."""
    cli = Cli(tmp_path, tmp_path / "data", {"EMAIL_ASSISTANT_NOW": NOW, "EMAIL_ASSISTANT_HOLD_SECONDS": "1"})
    with running(cli) as up:
        url = f"http://127.0.0.1:{up.port}"
        assert cli.run("organize", "--url", url).returncode == 0
        with tab(chromium, url) as at:
            before = sent(cli.data).keys()
            rows = at.page.locator("a.row").count()
            told = at.page.locator("#left").inner_text()
            walk = Walk(at)
            walk.go()
            keys = sum(walk.spent.values())
            print(f"{told}, {rows} rows, {keys} keys, {len(walk.spent)} screens, {walk.keys} keys in all")
            assert (rows <= MOST_ROWS, keys <= MOST_KEYS_WITH_LABELS) == (True, True)
            walk.finish()
            letters = [
                each for key, each in sent(cli.data).items() if key not in before and not each.is_multipart()
            ]
            assert [each for each in letters if "[confirm" in each.get_content()] == []
            assert len({each["Message-ID"] for each in letters}) == len(letters)
            assert at.errors == []
