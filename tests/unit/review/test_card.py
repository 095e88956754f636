"""The card: everything that came from mail is inert."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.journal.records import Doer
from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message, OutgoingMessage
from email_assistant.review.action import Action
from email_assistant.review.card import MAX_TITLE_CHARACTERS, code, inline, markdown, numbered, title
from email_assistant.review.card_view import CardContext, CardView, card_view
from email_assistant.review.pending import put, put_again
from email_assistant.tools.mail_tools import REPLY
from email_assistant.tools.outgoing import AskedGap, LetterDetails

WEDNESDAY = datetime(2026, 11, 18, 9, tzinfo=UTC)
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


def test_a_gap_stands_with_the_question_it_answers() -> None:
    """The mail's own, where a rule left the gap; also when the card is asked again with what a person has typed."""
    asking = replace(
        hostile_message(), text="Hi,\nis the oak dry by now? I like it.\n\n- And what does it\ncost?"
    )
    body = "[confirm: your answer to question 1]\n[confirm: your answer to question 2]"
    action = Action("t:c:1", "c", REPLY.name, "Send", {"body": body})
    drawn = card_view(action, CardContext(Conversation(asking), "UTC"))
    assert [each["question"] for each in drawn.gaps] == [
        "Is the oak dry by now?",
        "And what does it cost?",
    ]
    typed = drawn.with_args({"body": "It is.\n[confirm: your answer to question 2]"})
    assert [each["question"] for each in typed.gaps] == ["And what does it cost?"]


def test_a_card_that_waits_since_before_an_update_still_shows() -> None:
    """Without what it did not tell then, and without what a later version told; not without what all of them tell."""
    drawn = view(hostile_message(), importance="high")
    new = {"gist", "alarms", "deadline", "confidence", "meeting", "refund"}
    old = {name: value for name, value in drawn.as_json().items() if name not in new}
    read = CardView.from_json(old | {"invented_later": 1})
    assert (read.title, read.importance, read.gist, read.deadline) == (drawn.title, "high", "", "")
    with pytest.raises(TypeError):
        CardView.from_json({"title": "Send reply"})


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
    assert all(len(t) <= MAX_TITLE_CHARACTERS for t in titles)


def test_the_first_line_begins_with_what_presses() -> None:
    """So that a list of cards shows it; what stays true for ever, and nothing that reassures."""
    due = Message(
        "1", "t", Address("a@example.com", "Ana"), "Oak", "Please answer by Friday.", date=WEDNESDAY
    )
    action = Action(
        "t:c:1", "c", REPLY.name, "Send", {"body": "[confirm: a] [confirm: b]"}, headline="{who} asks."
    )
    drawn = card_view(action, CardContext(Conversation(due), "UTC"))
    assert markdown(drawn).startswith("By Fri 20 Nov, 2 gaps: Ana asks.\n")
    doubted = card_view(action, CardContext(Conversation(due), "UTC", sender_warnings=("SPF failed.",)))
    first = markdown(doubted).splitlines()[0]
    assert first == "Not who it says, by Fri 20 Nov, 2 gaps: Somebody who may not be Ana asks."
    again = card_view(action, CardContext(Conversation(due), "UTC", problem="The draft was deleted."))
    assert markdown(again).splitlines()[:3] == [
        "The draft was deleted.",
        "",
        "By Fri 20 Nov, 2 gaps: Ana asks.",
    ]


def test_a_second_draft_says_what_was_asked_and_what_changed() -> None:
    """The person's words, and line by line what went and what came."""
    before = {"to": "a@example.com", "body": "Hi\n\nIt is 240 euro.\n\nRobin"}
    now = {"to": "a@example.com", "body": "Hi\n\nIt is 250 euro.\nSorry.\n\nRobin"}
    action = Action("t:c:2", "c", REPLY.name, "Send (draft 2)", now)
    context = CardContext(
        Conversation(hostile_message()), "UTC", said="It is 250; <b>say</b> sorry.", before=before
    )
    told = markdown(card_view(action, context))
    assert "#### You said\n```text\nIt is 250; <b>say</b> sorry.\n```" in told
    assert "#### What changed since\n```text\nbody:\n-It is 240 euro.\n+It is 250 euro.\n+Sorry.\n```" in told
    assert "What changed" not in markdown(card_view(action, replace(context, before=now)))
    assert "You said" not in markdown(card_view(action, replace(context, said="")))


def test_a_title_says_that_the_sender_is_in_doubt() -> None:
    """Once, however often the card is asked again, and always in full."""
    action = Action("t:c:1", "c", REPLY.name, "Send reply to " + "Ana " * 40, {"body": "Hello"})
    state: dict[str, object] = {"sender_warnings": ["SPF failed."], "round": 2}
    state |= put(state, action)
    (first,) = state["titles"]
    assert first.endswith(" (sender in doubt, message 2)")
    shown = Action.from_json(state["pending"])
    again = put_again(state, shown.with_args({"body": "Bye"}), "It was changed.")
    assert again["titles"][1].endswith(" (sender in doubt, message 2, draft 2)")
    assert again["titles"][1].count("doubt") == 1
    assert "doubt" not in put({}, action)["titles"][0]


@pytest.mark.parametrize("end", ["https://", "https:", "javascript:"])
def test_a_link_that_a_line_was_cut_in_is_none(end: str) -> None:
    """A page would make one of what is left of it."""
    cut = f"[or here]({end}…"
    assert inline(cut) == rf"\[or here\]({code(f'{end}…')}"


def test_what_a_card_carries_is_plain_json_and_comes_back() -> None:
    """Times, addresses and whoever it is for are what they were, in a checkpoint and in the outbox."""
    message = OutgoingMessage(Address("robin@vale.example", "Robin"), (), "", "", "<1@vale.example>")
    asked = (AskedGap(3, "[rate]", "What is your rate?", "ana@example.com"),)
    letter = LetterDetails(message, "m1", answered_date=WEDNESDAY, times_taken=(), asked=asked)
    doer = Doer("t", "order_desk", 1)
    action = Action("t:c:1", "c", REPLY.name, "Send", {}, letter.as_json(), doer=doer, arrived=WEDNESDAY)
    again = Action.from_json(json.loads(json.dumps(action.as_json())))
    assert (again, LetterDetails.of(again)) == (action, letter)
