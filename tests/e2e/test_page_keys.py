"""Keys of the review page, and the answers that they give: over cards in memory, so that each answer is seen as it was sent."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from email_assistant.facts.fact import gaps_in
from tests.support.page_browser import Tab, browser, tab
from tests.support.page_cards import LETTER, asked_when, invitation, label, meeting, refund, reply
from tests.support.page_desk import PageDesk, serving

KEYS = [
    "a",
    "a",
    "e",
    "r",
    "i",
    "j",
    "k",
    "l",
    "x",
    "z",
    "1",
    "2",
    "Tab",
    "Enter",
    "Escape",
    "Control+Enter",
    "Space",
    "Backspace",
    "s",
    "g",
]


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


def start(at: Tab) -> None:
    """Open the first card."""
    at.press("Enter")
    at.page.locator("#pane article").wait_for()


def given(at: Tab, desk: PageDesk) -> dict[str, Any]:
    """The one answer, when it has come."""
    expect(at.page.locator(".toast")).to_have_count(1)
    (answer,) = desk.given
    return answer


def test_an_answer_carries_what_was_shown(chromium: Browser, desk: PageDesk) -> None:
    """The digest of the card, and no fields when nothing was changed."""
    desk.cards = [reply(body="Hi Mara,\n\nyes.\n\nRobin")]
    wanted = desk.cards[0]
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("a")
        answer = given(at, desk)
    named = {"thread": wanted.thread_id, "interrupt": wanted.interrupt_id, "digest": wanted.digest}
    assert answer == named | {"type": "accept"}


def test_gaps_are_filled_where_they_stand(chromium: Browser, desk: PageDesk) -> None:
    """Accepting goes to the gap, Tab to the next; what is taken out leaves no empty line."""
    desk.cards = [reply()]
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("a")
        at.page.keyboard.type("Yes, it does.")
        at.press("Tab")
        at.page.locator(".gap").nth(1).locator(".out").click()
        at.press("a")
        answer = given(at, desk)
    body = LETTER.replace("[confirm: your answer to question 1]", "Yes, it does.")
    assert answer["args"] == {"body": body.replace("[confirm: your answer to question 2]\n", "")}


def test_a_key_fills_a_gap_with_a_free_hour(chromium: Browser, desk: PageDesk) -> None:
    """Also after an edit, and beside a gap that is typed into; the next key sends it."""
    desk.cards = [
        asked_when(body="Hi Nils,\n\n[confirm: a time that suits you]\n\n[confirm: the price]\n\nRobin")
    ]
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("e")
        at.page.locator(".edit [name=body]").press("End")
        at.page.keyboard.type("!")
        at.press("Escape", "2")
        at.page.keyboard.type("95 EUR")
        at.press("Control+Enter")
        answer = given(at, desk)
    body = answer["args"]["body"]
    assert "Friday 27 November, 09:00–09:30\n\n95 EUR" in body
    assert not gaps_in(body)


def test_a_hole_of_any_form_is_filled_where_it_stands(chromium: Browser, desk: PageDesk) -> None:
    """And what only holds the same letters stays."""
    body = "Hi {{name}},\n\nit is XX EUR in XXL.\n\n[Your name]"
    gaps = [
        {"field": "body", "text": body[begin:end], "span": [begin, end], "question": ""}
        for begin, end in gaps_in(body)
    ]
    made = reply(body=body)
    desk.cards = [replace(made, view=made.view | {"gaps": gaps})]
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("a")
        for words, key in (("Mara", "Tab"), ("40", "Tab"), ("Robin", "Escape")):
            at.page.keyboard.type(words)
            at.press(key)
        at.press("a")
        answer = given(at, desk)
    assert answer["args"] == {"body": "Hi Mara,\n\nit is 40 EUR in XXL.\n\nRobin"}


def test_changes_stay_visible_and_are_sent(chromium: Browser, desk: PageDesk) -> None:
    """Words that were taken out and put in are told apart; the answer has the fields that were changed."""
    desk.cards = [reply(body="The price is 100 euro.")]
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("e")
        at.page.locator("#f-body").fill("The price is 120 euro.")
        at.press("Escape")
        assert (at.page.locator("ins").first.inner_text(), at.page.locator(".text del").inner_text()) == (
            "yours",
            "100",
        )
        at.press("a")
        assert given(at, desk)["args"] == {"body": "The price is 120 euro."}


def test_a_payment_takes_two_keys(chromium: Browser, desk: PageDesk) -> None:
    """The first asks, Escape goes back, and only Enter after the question pays."""
    desk.cards = [refund()]
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("a", "a", "Escape", "a")
        assert desk.given == []
        at.press("Enter")
        assert (given(at, desk)["type"], desk.given[0]["sure"]) == ("accept", True)


def test_a_lowered_amount_is_what_is_asked_and_paid(chromium: Browser, desk: PageDesk) -> None:
    """The button, the question and the answer say it; nothing else of a refund can be typed."""
    desk.cards = [refund()]
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("e")
        assert [each.get_attribute("name") for each in at.page.locator(".edit [name]").all()] == ["amount"]
        at.page.locator("#f-amount").fill("50.00")
        at.press("Escape")
        assert at.page.locator("[data-does=accept]").inner_text().startswith("Pay 50.00 EUR")
        at.press("a")
        assert at.page.locator(".sure b").first.inner_text().startswith("Pay 50.00 EUR to ")
        at.press("Enter")
        assert (given(at, desk)["args"], desk.given[0]["sure"]) == ({"amount": "50.00"}, True)


def test_another_time_is_one_key(chromium: Browser, desk: PageDesk) -> None:
    """The button names it, and the answer has both ends of it."""
    desk.cards = [meeting()]
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("2")
        assert "15:00" in at.page.locator("[data-does=accept]").inner_text()
        at.press("a")
        assert given(at, desk)["args"] == {
            "start": "2026-11-26T15:00:00+01:00",
            "end": "2026-11-26T16:30:00+01:00",
        }


def test_an_invitation_is_declined_with_two_keys(chromium: Browser, desk: PageDesk) -> None:
    """The button says what is answered, and so does what will be done."""
    desk.cards = [invitation()]
    with tab(chromium, desk.url) as at:
        expect(at.page.locator("a.row")).to_contain_text("Thu 26 Nov 14:00–15:00: Second round")
        start(at)
        main = at.page.locator("#pane [data-does=accept] span")
        expect(main).to_have_text("Accept")
        at.press("3")
        expect(main).to_have_text("Decline")
        expect(at.page.locator("#pane [data-shows=answer]")).to_have_text("declined")
        at.press("a")
        assert given(at, desk)["args"] == {"answer": "declined"}


def test_labels_are_answered_together(chromium: Browser, desk: PageDesk) -> None:
    """What was changed goes as an edit, what was left out waits on."""
    desk.cards = [label(number) for number in (30, 31, 32)]
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("3", "j", "x")
        assert "Label 2, with your 1 change" in at.page.locator(".acts .p").inner_text()
        at.press("a")
        expect(at.page.locator(".toast")).to_have_count(1)
    assert sorted((each["type"], str(each.get("args"))) for each in desk.given) == [
        ("accept", "None"),
        ("edit", "{'category': 'Personal/Family'}"),
    ]


def hold(answer: dict[str, Any]) -> dict[str, Any]:
    """For longer than any test lasts."""
    return {"state": "held"}


def test_what_is_held_is_taken_back(chromium: Browser, desk: PageDesk) -> None:
    """The card is open again, with what was typed into it; its row waits, is counted, and takes keys like any other."""
    desk.cards, desk.becomes = [reply(), reply(2, "Yes.")], hold
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("a")
        at.page.keyboard.type("Yes.")
        at.press("Tab")
        at.page.keyboard.type("No.")
        at.press("Control+Enter")
        expect(at.page.locator("#left")).to_have_text("1 left")
        expect(at.page.locator(".row.held")).to_contain_text("in ")
        at.press("z")
        expect(at.page.locator("#pane .gap textarea").nth(1)).to_have_value("No.")
        expect(at.page.locator(".row.held")).to_have_count(0)
        expect(at.page.locator("a.row")).to_have_count(2)
        expect(at.page.locator("#left")).to_have_text("2 left")
        at.press("Escape", "Escape", "j", "j", "k")
        expect(at.page.locator(f"#pane article[data-thread='{desk.cards[0].thread_id}']")).to_have_count(1)
    assert desk.posted == []


def test_z_takes_back_what_was_done_last(chromium: Browser, desk: PageDesk) -> None:
    """An ignored mail, one put off, changes to a letter, and a reply: each in its turn, and never an older one."""
    desk.cards, desk.becomes = [reply(number, "Yes.") for number in range(1, 6)], hold
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("a")
        expect(at.page.locator("#left")).to_have_text("4 left")
        at.press("i")
        expect(at.page.locator("#left")).to_have_text("3 left")
        at.press("s", "2")
        expect(at.page.locator("#left")).to_have_text("2 left, 1 later")
        at.stood()
        at.press("e")
        at.page.locator("#f-body").fill("No.")
        at.press("Escape")
        at.page.locator("[data-does=restore]").click()
        expect(at.page.locator(".letter .text")).to_have_text("Yes.")
        at.press("z")
        expect(at.page.locator(".letter .text ins")).to_have_text("No.")
        at.press("z")
        expect(at.page.locator("#left")).to_have_text("3 left")
        expect(at.page.locator("#pane article[data-thread$='3']")).to_have_count(1)
        at.press("z")
        expect(at.page.locator("#left")).to_have_text("4 left")
        expect(at.page.locator("#pane article[data-thread$='2']")).to_have_count(1)
        at.press("z", "z")
        expect(at.page.locator("#left")).to_have_text("5 left")
        expect(at.page.locator("#pane article[data-thread$='1']")).to_have_count(1)
    assert [each["type"] for each in desk.given] == ["accept", "ignore"]
    assert desk.posted == []


def test_z_takes_back_also_from_the_gap_that_came_next(chromium: Browser, desk: PageDesk) -> None:
    """It went into that gap by itself: the key that the note names is none of the letter's. In what is typed it is a letter."""
    desk.cards, desk.becomes = [reply(1, "Yes."), reply(2), reply(3)], hold
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("a")
        gap = at.page.locator("#pane .gap textarea").first
        expect(gap).to_be_focused()
        at.press("z")
        expect(at.page.locator("#pane article[data-thread$='1']")).to_have_count(1)
        expect(at.page.locator("#left")).to_have_text("3 left")
        at.stood()
        at.press("a")
        expect(gap).to_be_focused()
        at.page.keyboard.type("oz")
        expect(gap).to_have_value("oz")
        expect(at.page.locator("#left")).to_have_text("2 left")


def test_what_cannot_be_taken_back_is_said_and_nothing_older_is(chromium: Browser, desk: PageDesk) -> None:
    """The first is held, the second is done: one key tells of that, and the next takes back the first."""
    desk.cards = [first := reply(1, "Yes."), reply(2, "Yes.")]
    desk.becomes = lambda each: hold(each) if each["thread"] == first.thread_id else {"state": "done"}
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("a")
        expect(at.page.locator("#left")).to_have_text("1 left")
        at.press("a")
        expect(at.page.locator("#left")).to_have_text("0 left")
        expect(at.page.locator(".row.done")).to_have_count(1)
        at.press("z")
        expect(at.page.locator(".toast")).to_contain_text("cannot be taken back")
        expect(at.page.locator(".row.held")).to_have_count(1)
        at.press("z")
        expect(at.page.locator("#left")).to_have_text("1 left")


def test_many_are_taken_back(chromium: Browser, desk: PageDesk) -> None:
    """Nineteen of twenty-three labels: all of them, and the table has its rows again."""
    labels = [label(number) for number in range(30, 49)]
    in_doubt = [label(number, doubts=("SPF failed.",)) for number in range(50, 54)]
    desk.cards, desk.becomes = [*labels, *in_doubt], hold
    with tab(chromium, desk.url) as at:
        at.press("g", "l", "a")
        expect(at.page.locator("#left")).to_have_text("4 left")
        expect(at.page.locator(".toast")).to_contain_text("19 mails labelled in ")
        at.press("z")
        expect(at.page.locator(".toast")).to_contain_text("19 of 19 taken back")
        expect(at.page.locator("#left")).to_have_text("23 left")
        expect(at.page.locator("#pane tbody tr")).to_have_count(23)
    assert (len(desk.given), desk.posted) == (19, [])


HELD_SECONDS = 1.0


@pytest.mark.parametrize("key", ["a", "i", "Enter"])
def test_a_key_that_is_held_down_decides_one_card(chromium: Browser, desk: PageDesk, key: str) -> None:
    """Thirty times a second for a second, as a keyboard repeats it; a payment is asked about, and not made."""
    desk.cards, desk.becomes = [refund(0), *(reply(number, "Yes.") for number in range(1, 12))], hold
    with tab(chromium, desk.url) as at:
        start(at)
        if key == "Enter":
            at.page.locator("#pane [data-does=accept]").focus()
        else:
            at.press("j")
        at.stood()
        for _ in range(int(30 * HELD_SECONDS)):
            at.page.keyboard.down(key)
            at.page.wait_for_timeout(1000 / 30)
        at.page.keyboard.up(key)
        expect(at.page.locator("#left")).to_have_text("12 left" if key == "Enter" else "11 left")
    assert len(desk.given) == (0 if key == "Enter" else 1)


def test_a_card_that_has_just_come_takes_no_key_for_an_answer(chromium: Browser, desk: PageDesk) -> None:
    """A key is pressed at the very moment when each card is there: only the one that was looked at is answered."""
    desk.cards, desk.becomes = [reply(number, "Yes.") for number in range(1, 5)], hold
    press = "dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }))"
    with tab(chromium, desk.url) as at:
        start(at)
        at.page.evaluate(
            f"new MutationObserver(() => {press}).observe(document.querySelector('#pane'), {{ childList: true }})"
        )
        at.press("a")
        expect(at.page.locator("#left")).to_have_text("3 left")
        at.stood()
    assert len(desk.given) == 1


def test_two_clicks_send_one_reply(chromium: Browser, desk: PageDesk) -> None:
    """The second falls on the card that came under it."""
    desk.cards, desk.becomes = [reply(number, "Yes.") for number in range(1, 5)], hold
    with tab(chromium, desk.url) as at:
        start(at)
        at.page.locator("#pane [data-does=accept]").dblclick(delay=60)
        expect(at.page.locator("#left")).to_have_text("3 left")
        at.stood()
    assert len(desk.given) == 1


def test_a_server_that_is_gone_is_said_with_whose_answer_it_was(chromium: Browser, desk: PageDesk) -> None:
    """The card that cannot be opened says so in words, too; nothing is said to be sent, or not to be."""
    desk.cards = [reply(1, "Yes."), reply(2, "No.")]
    with tab(chromium, desk.url) as at:
        start(at)
        at.stood()
        at.page.context.set_offline(True)
        at.press("a")
        toast = at.page.locator(".toast.bad .told")
        expect(toast).to_have_text("Mara Lindqvist: The server does not answer. Your text is kept here.")
        expect(at.page.locator("#pane h1")).to_have_text("The server does not answer.")
        expect(at.page.locator("a.row").first).to_contain_text("no answer")


def test_what_is_due_while_the_server_is_gone_is_not_said_to_be_sent(
    chromium: Browser, desk: PageDesk
) -> None:
    """Neither by the toast nor by the row; when the server is back it is given, as the same answer, once."""
    desk.cards = [reply(1, "Yes.")]
    desk.becomes = lambda answer: {"state": "held", "hold": 2}
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("a")
        expect(at.page.locator(".row.held")).to_have_count(1)
        at.page.context.set_offline(True)
        toast = at.page.locator(".toast.bad .told")
        expect(toast).to_contain_text("The server does not answer. Not known yet: ", timeout=10_000)
        assert "sent" not in at.page.locator("body").inner_text()
        at.press("z")
        expect(toast).to_have_text("Mara Lindqvist: at work, cannot be taken back")
        assert desk.posted == []
        at.page.context.set_offline(False)
        expect(at.page.locator("#left")).to_have_text("0 left")
        expect(at.page.locator(".row.done")).to_have_count(1)
    assert len(desk.posted) == 1


def test_a_list_that_is_behind_brings_no_card_back(chromium: Browser, desk: PageDesk) -> None:
    """What is done stays done, though the list that was read meanwhile has it still; the last of it leads to the overview."""
    desk.cards, desk.is_behind = [reply(1, "Yes."), reply(2, "No.")], True
    with tab(chromium, desk.url) as at:
        start(at)
        for left in (1, 0):
            at.press("a")
            expect(at.page.locator("#left")).to_have_text(f"{left} left")
            expect(at.page.locator("a.row")).to_have_count(left)
        with at.page.expect_response("**/review/list"):
            at.page.evaluate("dispatchEvent(new Event('visibilitychange'))")
        expect(at.page.locator("a.row")).to_have_count(0)
        expect(at.page.locator("#pane .ov")).to_have_count(1)
    assert [each["thread"][-1] for each in desk.given] == ["1", "2"]


def test_what_was_answered_elsewhere_is_passed_over(chromium: Browser, desk: PageDesk) -> None:
    """The next card that still waits is opened; who opens the other one by hand is told."""
    everything = [reply(number, "Yes.") for number in range(1, 5)]
    desk.cards = everything
    with tab(chromium, desk.url) as at:
        expect(at.page.locator("#left")).to_have_text("4 left")
        desk.cards = [everything[0], everything[2], everything[3]]
        start(at)
        at.press("a")
        expect(at.page.locator(f"#pane article[data-thread='{everything[2].thread_id}']")).to_have_count(1)
        desk.cards = [everything[2]]
        at.page.goto(f"{desk.url}/review")
        desk.cards = []
        at.page.locator("a.row").click()
        expect(at.page.locator("#pane h1")).to_have_text("This card was answered elsewhere.")
        assert at.errors == []


def test_a_card_that_waits_is_not_hidden_by_an_answer_that_came_second(
    chromium: Browser, desk: PageDesk
) -> None:
    """Another answer to it was on its way and is taken back: its row is there, as the server has it."""
    desk.cards = [reply(number, "Yes.") for number in (1, 2)]
    desk.becomes = lambda answer: {"state": "elsewhere", "why": "You have answered this card already."}
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("a")
        expect(at.page.locator(".toast.bad")).to_contain_text("You have answered this card already.")
        expect(at.page.locator("a.row")).to_have_count(2)
        expect(at.page.locator("#left")).to_have_text("2 left")


def test_what_is_refused_keeps_what_was_typed(chromium: Browser, desk: PageDesk) -> None:
    """The reason is told aloud, and the row says so."""
    desk.cards = [reply()]
    desk.becomes = lambda answer: {"state": "not_taken", "why": "There is newer mail."}
    with tab(chromium, desk.url) as at:
        start(at)
        at.press("a")
        at.page.keyboard.type("Yes.")
        at.press("Tab")
        at.page.keyboard.type("No.")
        at.press("Control+Enter")
        expect(at.page.locator(".toast.bad")).to_contain_text("There is newer mail.")
        at.page.locator("a.row").click()
        expect(at.page.locator("#pane .gap textarea").first).to_have_value("Yes.")


@pytest.mark.parametrize("seed", range(3))
def test_no_keys_send_a_gap(chromium: Browser, desk: PageDesk, seed: int) -> None:
    """Whatever is pressed: what is accepted has no gap left in it."""
    desk.cards = [reply(1), reply(2, body=f"{LETTER}\n[confirm: the price]"), reply(3)]
    desk.becomes = lambda answer: {"state": "not_taken", "why": "Try again."}
    drawn = random.Random(seed)
    with tab(chromium, desk.url) as at:
        start(at)
        for _ in range(250):
            at.page.keyboard.press(drawn.choice(KEYS))
        assert at.errors == []
    sent = [each for each in desk.given if each["type"] in {"accept", "edit"}]
    assert [
        each
        for each in sent
        if each["type"] == "accept" or "[confirm" in each["args"].get("body", "[confirm")
    ] == []


TYPED_KEYS = [
    "a",
    "e",
    "r",
    "j",
    "k",
    "l",
    "z",
    "1",
    "2",
    "Tab",
    "Shift+Tab",
    "Escape",
    "Control+Enter",
    "s",
    "g",
    "?",
    "/",
]
"""Those that take nothing away: no button is pressed, and no letter."""


class Typist:
    """Somebody who types a word into a gap, then presses anything, card after card."""

    def __init__(self, at: Tab, desk: PageDesk, seed: int) -> None:
        self.at, self.desk, self.chance = at, desk, random.Random(seed)
        self.typed: dict[str, list[str]] = {card.thread_id: [] for card in desk.cards}

    def sequence(self, number: int) -> None:
        """A word that is like no other, then one to twelve keys."""
        card = self.chance.choice(self.desk.cards).thread_id
        self.open(card)
        if not self.at.page.locator("#pane .gap textarea:visible").count():
            self.at.press("e")
        self.at.page.locator("#pane textarea:visible").first.focus()
        self.at.press("Control+End")
        self.at.page.keyboard.type(f" w{number}.")
        self.typed[card].append(f"w{number}.")
        self.at.press(*(self.chance.choice(TYPED_KEYS) for _ in range(self.chance.randint(1, 12))))

    def open(self, card: str) -> None:
        """The card, from wherever one is; the filter and the help are closed."""
        self.at.press(*["Escape"] * 6)
        expect(self.at.page.locator("#pane .ov")).to_have_count(1)
        self.at.page.locator(f"a.row[href*='{card}']").click()
        self.at.page.locator(f"#pane article[data-thread='{card}']").wait_for()

    def lost(self) -> list[str]:
        """The words that are neither in their card nor in an answer."""
        missing = []
        for card, words in self.typed.items():
            self.open(card)
            there = "\n".join(
                self.at.page.locator("#pane textarea").evaluate_all("all => all.map((each) => each.value)")
            )
            there += self.at.page.locator(
                "#pane article"
            ).inner_text()  # What was changed in the whole text stands in the letter.
            given = "\n".join(str(each) for each in self.desk.given if each["thread"] == card)
            missing += [word for word in words if word not in there and word not in given]
        return missing


def _types(chromium: Browser, desk: PageDesk, sequences: int, seed: int) -> int:
    """How many words; none is lost."""
    desk.cards = [reply(number) for number in range(1, 4)]
    desk.becomes = lambda answer: {"state": "not_taken", "why": "Try again."}
    with tab(chromium, desk.url) as at:
        typist = Typist(at, desk, seed)
        for number in range(sequences):
            typist.sequence(number)
            if number % 10 == 9:
                assert typist.lost() == []
        assert (typist.lost(), at.errors) == ([], [])
    return sum(map(len, typist.typed.values()))


def test_no_key_loses_what_was_typed(chromium: Browser, desk: PageDesk) -> None:
    """The short form: ten sequences of keys at random."""
    assert _types(chromium, desk, 10, seed=3) == 10


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_no_key_of_five_hundred_sequences_loses_what_was_typed(
    chromium: Browser, desk: PageDesk, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every word is in its card, or in an answer."""
    words = _types(chromium, desk, 500, seed=20261123)
    with capsys.disabled():
        print(f"\ntyped: 500 sequences, {words} words, 0 lost")
