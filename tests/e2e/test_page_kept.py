"""What the review page keeps and what it hands out: typed text, a server that is gone, attachments, Back, and what is seen."""

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from email_assistant.adapters.maildir_folder import Incoming
from email_assistant.app.accounts import local_mailbox
from email_assistant.app.assistant import deps_of
from email_assistant.journal.records import MailRecord
from email_assistant.kit.review_loop import HIDE
from email_assistant.mail.mailbox import MailQuery
from email_assistant.mail.message import key_of_id
from email_assistant.review.waiting import WaitingCard
from email_assistant.settings import load_settings
from tests.support.dev_server import free_port
from tests.support.page_browser import Tab, browser, tab
from tests.support.page_cards import card, invitation, meeting, notice, reply
from tests.support.page_desk import PageDesk, serving

HOSTILE_NAME = '..\\..\\Rechnung "März"; x=%0d\u202egpj.html'
SCRIPT = b"<!doctype html><script>alert(1)</script>" + bytes(range(256))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for all."""
    with browser() as started:
        yield started


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[PageDesk]:
    """No cards yet."""
    with serving(PageDesk([]), tmp_path) as made:
        yield made


def opened(at: Tab, who: str) -> None:
    """The card of somebody."""
    at.page.locator("a.row", has_text=who).first.click()
    at.page.locator("#pane article").wait_for()


def typed(at: Tab) -> None:
    """Into a gap, and a word to the assistant."""
    at.page.locator(".gap textarea").first.fill("Yes, it does.")
    at.page.locator(".gap .out").nth(1).click()
    at.press("r")
    at.page.locator("#tell").fill("Shorter, please.")


def newer(shown: WaitingCard, body: str) -> WaitingCard:
    """Another card of the same thread, in its place."""
    return replace(reply(1, body), interrupt_id="e" * 32, thread_id=shown.thread_id)


def test_typed_text_survives_the_page_and_its_server(chromium: Browser, tmp_path: Path) -> None:
    """A reload, a server that is started anew, and a way over the page for logging in: each field as it was left."""
    desk, port = PageDesk([reply(), invitation()]), free_port()
    with ExitStack() as up, tab_of(chromium, desk, tmp_path, port, up) as at:
        opened(at, "Mara")
        typed(at)
        for restart in (lambda: None, lambda: (up.close(), up.enter_context(serving(desk, tmp_path, port)))):
            restart()
            at.page.goto(f"{desk.url}/review/login")
            at.page.goto(f"{desk.url}/review")
            opened(at, "Mara")
            expect(at.page.locator(".gap textarea").first).to_have_value("Yes, it does.")
            expect(at.page.locator(".gap").nth(1)).to_have_class("gap gone")
            expect(at.page.locator("#tell")).to_have_value("Shorter, please.")
        at.press("e")
        at.page.locator("#f-subject").fill("Re: Oak")
        at.page.reload()
        expect(at.page.locator("[data-shows=subject]")).to_have_text("Re: Oak")
        at.press("e")
        expect(at.page.locator("#f-body")).to_have_value(re.compile("Yes, it does."))


def tab_of(chromium: Browser, desk: PageDesk, folder: Path, port: int, up: ExitStack):  # type: ignore[no-untyped-def]
    """A tab on a server that the stack stops."""
    up.enter_context(serving(desk, folder, port))
    return tab(chromium, desk.url)


def test_a_newer_card_offers_what_was_typed_for_the_one_before(chromium: Browser, desk: PageDesk) -> None:
    """It is never put into another letter by itself; put back, it is in the answer, and no longer offered."""
    desk.cards = [reply()]
    with tab(chromium, desk.url) as at:
        opened(at, "Mara")
        typed(at)
        desk.cards = [newer(desk.cards[0], "Hi Mara,\n\nthank you.\n\nRobin")]
        at.page.reload()
        opened(at, "Mara")
        offer = at.page.locator("[data-yours]")
        expect(offer).to_contain_text("Yes, it does.")
        expect(offer).to_contain_text("Shorter, please.")
        assert "Yes, it does." not in at.page.locator(".letter").inner_text()
        offer.locator("button").click()
        expect(at.page.locator("#tell")).to_have_value("Shorter, please.")
        expect(offer).to_be_hidden()
        at.page.reload()
        expect(at.page.locator("#tell")).to_have_value("Shorter, please.")
        at.press("a")
        expect(at.page.locator("#left")).to_have_text("0 left")
        expect(at.page.locator(".toast")).to_have_count(1)
    assert "Yes, it does." in desk.given[0]["args"]["body"]


def test_what_the_server_took_is_offered_no_more(chromium: Browser, desk: PageDesk) -> None:
    """The word that led to a new draft belongs to that, and is told once."""
    desk.cards = [reply(1, "Yes.")]
    first = desk.cards[0]
    with tab(chromium, desk.url) as at:
        opened(at, "Mara")
        at.press("r")
        at.page.locator("#tell").fill("Shorter, please.")
        at.press("Control+Enter")
        expect(at.page.locator("#left")).to_have_text("0 left")
        for _ in range(400):  # The page counts it before the server has it.
            if not desk.cards:
                break
            at.page.wait_for_timeout(50)
        desk.cards = [*desk.cards, newer(first, "Ok.")]
        at.page.reload()
        opened(at, "Mara")
        expect(at.page.locator(".letter")).to_contain_text("Ok.")
        expect(at.page.locator("[data-yours]")).to_be_hidden()
        assert at.page.evaluate("sessionStorage.drafts") == "[]"


def test_a_server_that_is_gone_is_a_state_of_the_page(chromium: Browser, desk: PageDesk) -> None:
    """It is said above everything, no button gives an answer, what is typed stays, and it ends by itself."""
    desk.cards = [reply(), reply(2, "Yes.")]
    with tab(chromium, desk.url) as at:
        opened(at, "Mara")
        silent, accept = at.page.locator("#silent"), at.page.locator("#pane [data-does=accept]")
        expect(silent).to_be_hidden()
        at.page.context.set_offline(True)
        expect(silent).to_be_visible(timeout=10_000)
        expect(silent).to_contain_text("The server does not answer")
        expect(silent).to_contain_text("your text is kept here")
        expect(accept).to_be_disabled()
        at.page.locator(".gap textarea").first.fill("Yes, it does.")
        at.page.locator(".gap .out").nth(1).click()
        at.press("a", "i", "d")
        at.press("j")
        expect(at.page.locator("#pane h1")).to_have_text("The server does not answer.")
        said = at.page.locator("body").inner_text()
        assert [each for each in ("Failed to fetch", " sent", "taken back", "goes out") if each in said] == []
        at.page.context.set_offline(False)
        expect(silent).to_be_hidden(timeout=10_000)
        expect(at.page.locator("#pane .letter")).to_contain_text("Yes.")
        expect(accept).to_be_enabled()
        at.press("k")
        expect(at.page.locator(".gap textarea").first).to_have_value("Yes, it does.")
    assert desk.given == []


async def _mail_with_files(folder: Path, thread: str) -> str:
    """A mail with two attachments that a run has dealt with; its key."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "ana@example.org", "robin@vale.example", "Plans"
    mail["Message-ID"] = "<plans@example.org>"
    mail.set_content("Here they are.")
    mail.add_attachment(b"%PDF-1.4 plan", maintype="application", subtype="pdf", filename="plan.pdf")
    mail.add_attachment(SCRIPT, maintype="text", subtype="html", filename=HOSTILE_NAME)
    built = deps_of(load_settings({"EMAIL_ASSISTANT_DATA_DIR": str(folder)}, folder), is_server=False)
    await local_mailbox(built).take_in([Incoming(mail.as_bytes(), "plans", None)])
    (found,) = await built.mailbox.inbox(MailQuery())
    name = built.mailbox.name
    await built.mail_log.claim(MailRecord(name, found, "email_assistant", "t", thread))
    return key_of_id(name, found)


def test_an_attachment_is_saved_and_never_shown(chromium: Browser, tmp_path: Path) -> None:
    """Its bytes as they are, under a tame name, behind the page's door; of cards that wait, and of no other."""
    shown = notice(1)
    with ThreadPoolExecutor() as apart:  # The browser's own loop runs in this thread.
        key = apart.submit(asyncio.run, _mail_with_files(tmp_path, shown.thread_id)).result()
    files = [
        {"name": "plan.pdf", "type": "application/pdf", "size": 13},
        {"name": "Rechnung März.html", "type": "text/html", "size": len(SCRIPT)},
    ]
    with_files = card(1, "notify", "Ana", "Plans", answers=("ignore",), attachments=files, message_key=key)
    with serving(PageDesk([with_files]), tmp_path) as desk, tab(chromium, desk.url) as at:
        opened(at, "Ana")
        for name, content in (("plan.pdf", b"%PDF-1.4 plan"), ("Rechnung März.html", SCRIPT)):
            with at.page.expect_download() as saving:
                at.page.locator(".files button", has_text=name).click()
            assert (saving.value.suggested_filename, saving.value.path().read_bytes()) == (name, content)
        assert (at.errors, at.foreign, len(at.page.context.pages)) == ([], [], 1)
        at_it = f"{desk.url}/review/files/{with_files.thread_id}"
        told = httpx.get(f"{at_it}/1")
        assert told.headers["content-type"] == "application/octet-stream"
        assert told.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in told.headers["content-security-policy"]
        assert told.headers["content-disposition"] == (
            "attachment; filename=\"Rechnung M_rz.html\"; filename*=UTF-8''Rechnung%20M%C3%A4rz.html"
        )
        assert httpx.get(f"{at_it}/2").status_code == httpx.get(f"{at_it}/-1").status_code == 404
        assert httpx.get(f"{at_it}/0", headers={"sec-fetch-site": "cross-site"}).status_code == 403
        desk.cards = []
        assert httpx.get(f"{at_it}/0").status_code == 404


def test_on_a_phone_back_leads_to_the_list(chromium: Browser, desk: PageDesk) -> None:
    """Which has the filter and what was done without you; the card has every answer, and Later."""
    desk.cards = [reply(1, "Yes."), invitation()]
    with tab(chromium, desk.url, "phone") as at:
        for there in ("#find", "#list", "#pane .sub"):
            expect(at.page.locator(there).first).to_be_visible()
        opened(at, "Mara")
        at.page.locator(".nx [data-does=next]").click()
        expect(at.page.locator("#pane h1")).to_contain_text("Ingrid")
        for does in ("accept", "edit", "response", "ignore", "seen", "later"):
            expect(at.page.locator(f"#pane .acts [data-does={does}]").first).to_be_visible()
        at.page.go_back()
        expect(at.page.locator("#list")).to_be_visible()
        expect(at.page.locator("#pane article")).to_have_count(0)
        assert at.page.url == f"{desk.url}/review"
        at.page.go_forward()
        expect(at.page.locator("#pane h1")).to_contain_text("Ingrid")


def test_arrow_keys_go_through_a_group_of_choices(chromium: Browser, desk: PageDesk) -> None:
    """One of them takes the focus; the arrows choose, and begin anew after the last."""
    desk.cards = [invitation()]
    with tab(chromium, desk.url) as at:
        opened(at, "Ingrid")
        expect(at.page.locator(".opt[tabindex='0']")).to_have_text("1Accept")
        at.page.locator(".opt[tabindex='0']").focus()
        at.press("ArrowRight")
        expect(at.page.locator(".opt:focus")).to_contain_text("Maybe")
        at.press("ArrowDown", "ArrowDown", "ArrowUp")
        expect(at.page.locator(".opt[aria-checked=true]")).to_contain_text("Decline")
        at.stood()
        at.press("a")
        expect(at.page.locator("#left")).to_have_text("0 left")
    assert desk.given[0]["args"] == {"answer": "declined"}


@pytest.mark.parametrize(("key", "said"), [("d", "seen"), ("i", "not wanted")])
def test_seen_is_not_the_same_as_not_wanted(chromium: Browser, desk: PageDesk, key: str, said: str) -> None:
    """On a card and on the table of notices; the server is told which of the two, and so is the person."""
    desk.cards = [reply(1, "Yes."), *(notice(number) for number in range(20, 24))]
    type_ = {"d": "seen", "i": "ignore"}[key]
    with tab(chromium, desk.url) as at:
        opened(at, "Mara")
        at.press(key)
        expect(at.page.locator("[data-section=Answered]")).to_contain_text(said)
        at.press("Escape")
        # What stands there now would take the key, until the same comes anew.
        expect(at.page.locator("#pane article")).to_have_count(0)
        at.press("g", "n")
        at.page.locator("[data-group=notices]").wait_for()
        at.press(key)
        expect(at.page.locator("[data-section=Answered]")).to_contain_text("4 notices")
    assert [each["type"] for each in desk.given] == [type_] * 5


def test_a_notice_asks_whether_to_hide_and_its_buttons_say_so(chromium: Browser, desk: PageDesk) -> None:
    """The main button goes on showing such mail."""
    desk.cards = [
        card(
            1,
            "notify",
            "Ana",
            "News",
            answers=("ignore", "response"),
            ask=HIDE.format(who="Ana"),
            offers_silence=True,
        )
    ]
    with tab(chromium, desk.url) as at:
        opened(at, "Ana")
        assert [
            each.split("\n")[0].strip() for each in at.page.locator("#pane .acts .b > span").all_inner_texts()
        ][:2] == [
            "Seen",
            "Not wanted: hide such mail",
        ]
        expect(at.page.locator("#pane h1")).to_contain_text("Hide what asks you nothing from now on?")


def test_a_meeting_that_collides_by_now_is_made_by_the_same_answer_once_more(
    chromium: Browser, desk: PageDesk
) -> None:
    """What is in the way is told whenever the card is open; should another time collide, too, the graph asks."""
    desk.cards = [meeting(), reply()]
    why = "Standup is at that time."
    desk.becomes = lambda given: {"state": "done"} if given.get("sure") else {"state": "collides", "why": why}
    with tab(chromium, desk.url) as at:
        opened(at, "Ingrid")
        at.press("a")
        expect(at.page.locator("#pane h1")).to_contain_text(
            "Mara"
        )  # The answer comes when the next card is open.
        opened(at, "Ingrid")
        expect(at.page.locator("[data-problem]")).to_have_text(why)
        at.press("2")
        at.press("a")
        expect(at.page.locator("a.row", has_text="Ingrid")).to_have_count(0)
    assert [(each["type"], each.get("sure", False)) for each in desk.given] == [
        ("accept", False),
        ("edit", True),
    ]
