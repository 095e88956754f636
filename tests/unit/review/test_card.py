"""The card: everything that came from mail is inert."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message
from email_assistant.review.action import Action
from email_assistant.review.card import code, inline, markdown, numbered, title
from email_assistant.review.card_view import CardContext, CardView, card_view
from email_assistant.tools.mail_tools import REPLY
from email_assistant.tools.scheduling import MEETING

HOSTILE = "<img src=x onerror=alert(1)> ```\n</details><script>alert(2)</script> [click](javascript:alert(3)) https://evil.example/x"


def view(message: Message, headline: str = "A reply is ready.", **context: object) -> CardView:
    """A reply card for a message."""
    action = Action(
        "t:c:1",
        "c",
        REPLY.name,
        "Send reply",
        {"to": "a@example.com"},
        reasons=(HOSTILE,),
        warnings=(HOSTILE,),
        headline=headline,
    )
    values = {"timezone": "Europe/Berlin"} | context
    return card_view(action, CardContext(Conversation(message, (message,)), **values))  # type: ignore[arg-type]


def card(message: Message, **context: object) -> str:
    """Its description."""
    return markdown(view(message, **context))  # type: ignore[arg-type]


def hostile_message() -> Message:
    """A message whose every text field attacks the page."""
    return Message("1", "t", Address("eve@evil.example", HOSTILE), HOSTILE, HOSTILE, notes=(HOSTILE,))


def outside_fences(markdown: str) -> str:
    """The Markdown without fenced blocks and code spans."""
    kept, fence = [], ""
    for line in markdown.splitlines():
        run = re.match(r"`{3,}", line)
        if not fence and run:
            fence = run.group()
        elif fence and line.strip() == fence:
            fence = ""
        elif not fence:
            kept.append(line)
    assert not fence, "a fence stayed open"
    return re.sub(r"(?<!\\)(`+)(?!`).*?(?<!`)\1(?!`)", "", "\n".join(kept))


def test_nothing_hostile_is_active_outside_fences() -> None:
    """No tag but our own, no link, no image, whatever the mail, the model's reason or a warning says."""
    everything = {
        "headline": HOSTILE,
        "triage_reason": HOSTILE,
        "problem": HOSTILE,
        "sender_warnings": (HOSTILE,),
    }
    text = outside_fences(card(hostile_message(), **everything))
    tags = set(re.findall(r"<[^>]*>", text))
    assert tags <= {"<details>", "<summary>", "</summary>", "</details>"}
    assert "://" not in text
    assert not re.search(r"(?<!\\)\]\(", text)


def test_the_facts_are_json_and_no_markup() -> None:
    """They come back as they were, and hold the mail's words as they are, for whoever draws them to make inert."""
    drawn = view(hostile_message(), facts=(HOSTILE,), sections=(("Told", HOSTILE),))
    assert CardView.from_json(json.loads(json.dumps(drawn.as_json()))) == drawn
    assert drawn.reasons == drawn.facts == [" ".join(HOSTILE.split())]
    assert markdown(CardView.from_json(drawn.as_json())) == markdown(drawn)


def test_facts_are_bounded() -> None:
    """However long a mail and its thread are: its text as on the card, its lines, and so the whole."""
    long = "word " * 100_000
    message = Message("1", "t", Address("a@example.com", long), long, long, notes=(long,), quoted=long)
    earlier = tuple(replace(message, id=str(number)) for number in range(50))
    context = CardContext(Conversation(message, earlier), "UTC", problem=long, found=(long,), facts=(long,))
    action = Action("t:c:1", "c", REPLY.name, "Send", {"body": "Hello"}, warnings=(long,), summary=long)
    drawn = card_view(action, context)
    assert (len(drawn.message), len(drawn.earlier), drawn.earlier_count) == (12_042, 5, 50)
    assert len(json.dumps(drawn.as_json())) < 40_000


def test_places_to_fill_are_told_with_where_they_are() -> None:
    """For a page that makes a field of each."""
    text = "It is [confirm: 240.00] net."
    action = Action("t:c:1", "c", REPLY.name, "Send", {"subject": "Re", "body": text})
    drawn = card_view(action, CardContext(Conversation(hostile_message()), "UTC"))
    assert drawn.gaps == [{"field": "body", "text": "[confirm: 240.00]", "span": [6, 23]}]
    assert drawn.with_args({"body": "It is 240.00 net."}).gaps == []


def test_one_mail_is_recognised_whichever_graph_asks() -> None:
    """By its mailbox and its id."""
    context = CardContext(Conversation(hostile_message()), "UTC", mailbox="local")
    kinds = (REPLY.name, MEETING.name)
    keys = {card_view(Action("1", "1", kind, "Do", {}), context).message_key for kind in kinds}
    other = card_view(Action("1", "1", REPLY.name, "Do", {}), replace(context, mailbox="other")).message_key
    assert len({*keys, other}) == 2


def test_the_problem_is_the_first_line() -> None:
    """A card that is asked again says first why."""
    assert card(hostile_message(), problem="The end is not after the start.").startswith(
        "The end is not after the start.\n"
    )


def test_the_card_says_when_the_rules_wrote_it() -> None:
    """The offline rules are named wherever they speak."""
    assert "offline rules" in card(hostile_message(), offline=True)
    assert "offline rules" not in card(hostile_message())


@given(text=st.text(max_size=200))
def test_a_line_stays_one_line_without_tags(text: str) -> None:
    """Any text becomes one line in which no tag can start."""
    line = inline(text)
    assert "\n" not in line
    assert "<" not in re.sub(r"(`+).*?\1", "", line)


@given(text=st.text(alphabet="`ab ", min_size=1, max_size=30))
def test_a_code_span_cannot_be_closed_from_within(text: str) -> None:
    """The span's ticks are longer than any run inside."""
    span = code(text)
    ticks = re.match(r"`+", span)
    assert ticks
    inner = span[len(ticks.group()) : -len(ticks.group())]
    assert ticks.group() not in re.findall(r"`+", inner)


@pytest.mark.parametrize("used", [0, 1, 5])
def test_titles_are_unique_and_short(used: int) -> None:
    """A revised draft's title differs from all before and stays readable."""
    titles: list[str] = []
    for _ in range(used + 1):
        titles.append(numbered(title("Send reply to Ana: " + "long " * 40), titles))
    assert len(set(titles)) == len(titles)
    assert all(len(t) <= 90 for t in titles)
