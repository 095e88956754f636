"""Every state of the review page, light, dark and on a phone: nothing inaccessible, nothing foreign, nothing sticking out."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from email_assistant.page.texts import card_place
from email_assistant.review.waiting import WaitingCard
from tests.support.page_browser import VIEWS, Tab, browser, shown, tab
from tests.support.page_cards import HOSTILE, every, forged, hostile, meeting, notice, question, reply
from tests.support.page_desk import PageDesk, serving
from tests.support.sampling import sampled

MAX_PAGE_BYTES, MAX_LIST_MILLISECONDS = 300_000, 1_000  # About 100 ms where nothing else works.
LIST_TIME = "async () => { const t = performance.now(); await (await fetch('/review/list')).text(); return performance.now() - t; }"
SIZE_AND_PAINT = """() => {
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    return paint && [performance.getEntriesByType('navigation')[0].decodedBodySize, paint.startTime];
}"""


OPEN_EACH = """async (places) => {
    const pane = document.querySelector('#pane'), found = new Set();
    for (const at of places) {
        const html = await (await fetch('/review/' + at)).text();
        pane.replaceChildren(...new DOMParser().parseFromString(html, 'text/html').body.childNodes);
        for (const each of pane.querySelectorAll('*'))
            found.add(`${each.tagName} ${each.getAttributeNames()} ${each.getAttribute('href') ?? ''}`);
    }
    return [...found];
}"""
"""Puts each card into the page, as its script does; the elements, with the names of their attributes and where they lead."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for all."""
    with browser() as started:
        yield started


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[PageDesk]:
    """Cards of every kind."""
    with serving(PageDesk(every()), tmp_path) as made:
        yield made


def opened(who: str) -> Callable[[Tab, PageDesk], None]:
    """The card of somebody."""

    def opening(at: Tab, desk: PageDesk) -> None:
        at.page.locator("a.row", has_text=who).first.click()
        at.page.locator("#pane [data-at^='card/'], #pane [data-at^='group/']").first.wait_for()

    return opening


def then(first: Callable[[Tab, PageDesk], None], *keys: str) -> Callable[[Tab, PageDesk], None]:
    """A state, and keys pressed in it."""

    def pressing(at: Tab, desk: PageDesk) -> None:
        first(at, desk)
        at.press(*keys)

    return pressing


def nothing(at: Tab, desk: PageDesk) -> None:
    """What is there at first."""


def empty(at: Tab, desk: PageDesk) -> None:
    """Everything is answered."""
    desk.cards = []
    at.page.reload()


def held(at: Tab, desk: PageDesk) -> None:
    """An answer that can be taken back."""
    desk.becomes = lambda answer: {"state": "held"}
    if at.page.locator("a.row", has_text="Lobby").count():  # Else it is held since the view before.
        opened("Lobby")(at, desk)
        at.press("a")
    at.page.locator(".toast .undo").wait_for()


def refused(at: Tab, desk: PageDesk) -> None:
    """An answer that was not taken."""
    desk.becomes = lambda answer: {"state": "not_taken", "why": "The time is taken by now."}
    opened("Lobby")(at, desk)
    at.press("a")
    at.page.locator(".toast.bad").wait_for()


def changed(at: Tab, desk: PageDesk) -> None:
    """A letter with changes in it."""
    opened("Mara")(at, desk)
    at.press("e")
    at.page.locator("#f-body").fill(
        "Hello Mara,\n\nI am glad you like it.\n\n[confirm: your answer to question 2]\n\nRobin Vale"
    )
    at.press("Escape")
    at.page.locator("ins").first.wait_for()


STATES: dict[str, Callable[[Tab, PageDesk], None]] = {
    "overview": nothing,
    "a reply with gaps": opened("Mara"),
    "a gap that is being filled": then(opened("Mara"), "a"),
    "a letter that was changed": changed,
    "a letter that is edited": then(opened("Mara"), "e"),
    "a word to the assistant": then(opened("Mara"), "r"),
    "putting off": then(opened("Mara"), "s"),
    "a gap for a time": opened("Nils"),
    "a gap for a time that is filled": then(opened("Nils"), "3"),
    "a meeting": opened("Lobby"),
    "a meeting at another time": then(opened("Lobby"), "2"),
    "an invitation that is declined": then(opened("Second round"), "3"),
    "a sender in doubt": opened("Brandt"),
    "a refund": opened("Ines"),
    "a refund asked about once more": then(opened("Ines"), "a"),
    "a question": opened("Ana"),
    "notices": opened("notices"),
    "labels": opened("label guesses"),
    "labels with changes": then(opened("label guesses"), "j", "3", "j", "x"),
    "an answer that is held": held,
    "an answer that was refused": refused,
    "nothing waits": empty,
    "all keys": then(nothing, "?"),
}


@pytest.mark.parametrize("name", sampled(STATES, every=3))
def test_every_state_is_sound(chromium: Browser, desk: PageDesk, name: str) -> None:
    """axe finds nothing, the policy blocks nothing, nothing is asked of others, and nothing sticks out."""
    cards, found = desk.cards, {}
    for view in VIEWS:
        desk.cards = cards
        with tab(chromium, desk.url, view) as at:
            STATES[name](at, desk)
            found |= {f"{view} {what}": each for what, each in at.flaws().items()}
    assert found == {}, shown(found)


def test_a_thousand_cards_are_one_small_page(
    chromium: Browser, desk: PageDesk, capsys: pytest.CaptureFixture[str]
) -> None:
    """At most 300 kB as it is written, before any compression; what it takes is told, and asserted generously."""
    kinds = (reply, meeting, forged, notice, question)
    desk.cards = [kinds[number % len(kinds)](number) for number in range(1_000)]
    with tab(chromium, desk.url) as at:
        expect(at.page.locator("#left")).to_have_text("1000 left")
        took = [at.page.evaluate(LIST_TIME) for _ in range(5)]
        at.page.reload()
        size, painted = at.page.wait_for_function(SIZE_AND_PAINT).json_value()
    with capsys.disabled():
        print(f"\n{size / 1000:.0f} kB, list {min(took):.0f} ms, first paint {painted:.0f} ms")
    assert size <= MAX_PAGE_BYTES
    assert min(took) < MAX_LIST_MILLISECONDS


def test_three_hundred_hostile_mails_do_nothing(chromium: Browser, desk: PageDesk) -> None:
    """Opened one after another they have the elements that plain mail has, and there is no foreign request and no error."""
    texts = [HOSTILE[number % len(HOSTILE)] + " again" * (number // len(HOSTILE)) for number in range(60)]
    attacks = [each for number, text in enumerate(texts) for each in hostile(text, 5 * number)]
    plain = hostile("plain", 900)
    desk.cards = attacks + plain
    with tab(chromium, desk.url) as at:
        own, found = (
            set(at.page.evaluate(OPEN_EACH, [place(each) for each in some])) for some in (plain, attacks)
        )
        assert (len(attacks), found - own, at.errors, at.foreign) == (300, set(), [], [])


def place(card: WaitingCard) -> str:
    """Where its pane is."""
    return card_place(card.thread_id, card.interrupt_id)
