"""What the page is made of: templates that escape everything, a script that makes no markup, and both small."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from email_assistant.clock import FixedClock, instant_of
from email_assistant.page.list_view import waiting_list
from email_assistant.page.overview import overview
from email_assistant.page.pane import CardPage, GroupPage
from email_assistant.page.texts import environment
from email_assistant.review.queue import bundles, rows
from email_assistant.review.waiting import WaitingCard
from tests.support.page_cards import (
    HOSTILE,
    LETTER,
    ZONE,
    card,
    every,
    forged,
    hostile,
    label,
    meeting,
    question,
    refund,
    reply,
)

PAGE = files("email_assistant.page")
NOW = instant_of("2026-11-20T17:45:00+01:00", ZONE)
assert NOW
TEMPLATES = environment()
FORBIDDEN = (
    "|safe",
    "| safe",
    "Markup(",
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "new Function",
)
INLINE = re.compile(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:")


class Elements(HTMLParser):
    """The elements of a text, in order, with the names of their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one."""
        self.found.append((tag, tuple(name for name, _ in attrs)))


def sources(*ends: str) -> dict[str, str]:
    """The page's own files."""
    folders = (PAGE, PAGE / "templates", PAGE / "static")
    return {
        each.name: each.read_text("utf-8")
        for folder in folders
        for each in folder.iterdir()
        if each.name.endswith(ends)
    }


def test_nothing_is_taken_for_markup() -> None:
    """What would switch escaping off, or make markup of a text in the browser, is used nowhere."""
    assert [
        (name, word)
        for name, text in sources(".html", ".js", ".py").items()
        for word in FORBIDDEN
        if word in text
    ] == []


def test_templates_have_no_inline_code() -> None:
    """The policy would block it."""
    assert {name: found for name, text in sources(".html").items() if (found := INLINE.findall(text))} == {}


@pytest.mark.parametrize(("end", "most"), [(".js", 38_000), (".css", 20_000)])
def test_the_page_is_small(end: str, most: int) -> None:
    """Together, as they are: there is no build step."""
    assert sum(len(text.encode()) for text in sources(end).values()) <= most


def drawn(waiting: WaitingCard) -> str:
    """The card and its row, as the page shows them."""
    found = rows([waiting], FixedClock(NOW), ZONE)
    page = CardPage(found[0], waiting, NOW, ZONE, "1 of 1")
    listed = TEMPLATES.get_template("list.html").render(waiting=waiting_list(found), answered=[])
    return listed + TEMPLATES.get_template("card.html").render(card=page, strip=None)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_mail_adds_no_element(text: str) -> None:
    """Whatever is written, the page has the elements and the attributes that it has of plain words."""
    for attack, plain in zip(hostile(text), hostile("plain"), strict=True):
        assert Elements(drawn(attack)).found == Elements(drawn(plain)).found


def test_a_mail_is_shown_as_it_is_written() -> None:
    """Nothing of it is lost by escaping."""
    shown = drawn(card(1, "notify", "Ana", "Tiles", message="a < b && c > d", answers=("ignore",)))
    assert "a &lt; b &amp;&amp; c &gt; d" in shown


def test_what_else_accepting_does_is_not_folded_away() -> None:
    """It stands before the reasons, which are."""
    html = drawn(reply(effects=["Bo gets <an invitation> by mail."]))
    effect = html.index("Bo gets &lt;an invitation&gt; by mail.")
    assert html.count("<details", 0, effect) == html.count("</details>", 0, effect)
    assert "What else happens" not in drawn(reply())


def test_bundles_are_tables() -> None:
    """One line a card; what is left out has no label to choose."""
    waiting = [label(number) for number in range(1, 4)] + [label(9, doubts=("It is not who it says.",))]
    (bundle,) = bundles(rows(waiting, FixedClock(NOW), ZONE))
    html = TEMPLATES.get_template("group.html").render(group=GroupPage(bundle, ""))
    found = [tag for tag, _ in Elements(html).found]
    assert (found.count("tr"), found.count("select"), html.count("sender in doubt")) == (1 + 4, 3, 1)


@pytest.mark.parametrize(
    "waiting", [*every(), forged(), meeting(), refund(), question()], ids=lambda card: card.title
)
def test_each_card_can_be_answered(waiting: WaitingCard) -> None:
    """Every kind has a button that ignores it, and carries what an answer counts for."""
    html = drawn(waiting)
    assert 'data-does="ignore"' in html
    assert waiting.digest in html


def test_a_gap_is_a_field_under_its_question() -> None:
    """The letter's words stand around it, and its own text is in no word of the letter."""
    waiting = card(1, "send_email", "Mara", "Quote", args={"to": "m@x.example", "body": LETTER})
    html = drawn(waiting)
    assert html.count('class="gap"') == 2
    assert "Does the price include taking away the old shelves?</label>" in html


@pytest.mark.parametrize(
    ("asking", "title"),
    [
        (forged(), "Do not pay yet: this may not be Brandt Holz Accounts"),
        (card(1, "notify", "Robin", "Hi", doubts=("It is not.",), answers=("ignore",)), "This may not be Robin"),
        (card(1, "notify", "Ana", "x", ask="Ana writes of “Tiles”; no reply seems to be needed."), "Ana writes of “Tiles”"),
        (card(1, "notify", "Ana", "x", ask="Ana writes of “Tiles; grout”."), "Ana writes of “Tiles; grout”"),
    ],
)  # fmt: skip
def test_a_title_says_what_comes_first(asking: WaitingCard, title: str) -> None:
    """In doubt that, else what is wanted; what will be done stands below."""
    assert titled(asking).title == title


def test_an_hour_that_the_mail_does_not_name_is_not_shown() -> None:
    """A day alone is none."""
    shown = meeting()
    asked = {"asked": {"start": "2026-11-26", "end": "", "taken_by": ""}}
    day_only = replace(shown, view={**shown.view, "meeting": {**shown.view["meeting"], **asked}})
    found = [titled(each).meeting for each in (shown, day_only)]
    assert [each.asked for each in found if each] == [
        "Thu 26 Nov 10:00–11:30, which is taken by “Presentation”",
        "",
    ]


def test_a_card_of_no_known_kind_has_no_answer_by_one_key() -> None:
    """What its fields are is shown, and its description where its facts cannot be read; to accept it is asked for twice."""
    for gone in (
        replace(card(1, "taken_out", "Ana", "x", args={"sum": "12.00"})),
        replace(refund(), view={}, description="*Pay*"),
    ):
        html = drawn(gone)
        assert 'data-does="sure"' in html
        assert "This cannot be undone." in html
        assert next(iter(gone.args.values())) in html
        assert gone.description in html


@pytest.mark.parametrize(
    ("guests", "button"),
    [
        ("ingrid@example.org", "Invite Ingrid for 11:30"),
        ("Bo Lee <bo@fjord.example>", "Invite Bo Lee for 11:30"),
        ("bo@fjord.example", "Invite bo@fjord.example for 11:30"),
        ("ingrid@example.org, bo@fjord.example", "Invite 2 guests for 11:30"),
    ],
)
def test_the_button_names_who_is_invited(guests: str, button: str) -> None:
    """The sender by the first name, and nobody who is no guest."""
    shown = meeting()
    args = {**shown.args, "attendees": guests}
    assert f"<span>{button}</span>" in drawn(replace(shown, args=args, view={**shown.view, "args": args}))


def test_a_notice_that_offers_silence_says_so_on_its_button() -> None:
    """And its title is the question."""
    ask = "You have ignored mail from Ana? three times. Hide it from now on? Ignore this, too, to agree."
    offered = card(1, "notify", "Ana?", "x", ask=ask, answers=("ignore", "response"), offers_silence=True)
    page = titled(offered)
    assert (page.title, page.tail) == (
        ask.removesuffix(" Ignore this, too, to agree."),
        " Ignore this, too, to agree.",
    )
    assert "<span>Not wanted: hide such mail</span>" in drawn(offered)
    assert "<span>Not wanted</span>" in drawn(
        replace(offered, view={**offered.view, "offers_silence": False})
    )


def titled(asking: WaitingCard) -> CardPage:
    """The card as its template gets it."""
    return CardPage(rows([asking], FixedClock(NOW), ZONE)[0], asking, NOW, ZONE, "1 of 1")


def test_what_was_ignored_is_told_with_its_reason() -> None:
    """Beside who wrote and about what, with the button that brings it back; what it asks stands first, what is too much is folded."""
    mail = {
        "key": "7",
        "outcome": "ignored",
        "who": "Shop",
        "asks": "",
        "subject": "Sale",
        "why": "It is sent to many.",
        "can_come_back": True,
    }
    told = {
        "done": [mail | {"asks": "asks: Is it oak?"}, *[mail] * 8],
        "coming": [],
        "calendar": "",
        "learned": [],
        "look": {
            "seconds": 20,
            "since": "2026-11-13T17:45:00+00:00",
            "failure": "",
            "failing_since": None,
        },
        "receiving_host": "mx.example",
        "models": ["offline"],
    }
    assert NOW
    shown = overview(waiting_list([]), NOW, NOW, told, [])
    html = TEMPLATES.get_template("overview.html").render(waiting=waiting_list([]), **shown)
    assert "Shop · Sale · It is sent to many.</span>" in html
    assert '<b class="c-gap">Shop asks: Is it oak?</b> · Sale · It is sent to many.</span>' in html
    assert html.count('data-does="reopen"') == 9
    assert "9 ignored" in html
    assert "<summary>and 3 more</summary>" in html
    assert "20 seconds ago" in html
    failing = {"failure": "AccessError: revoked", "failing_since": "2026-11-20T08:30:00+00:00"}
    shown = overview(waiting_list([]), NOW, NOW, told | {"look": told["look"] | failing}, [])
    assert "AccessError: revoked" in TEMPLATES.get_template("overview.html").render(
        waiting=waiting_list([]), **shown
    )
