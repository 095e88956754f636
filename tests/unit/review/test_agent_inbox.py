"""The wire format of Agent Inbox: what comes back is taken only when it is understood and belongs to the card."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.kit.review_loop import NOTIFY
from email_assistant.review.action import Action, Decision, Problem
from email_assistant.review.agent_inbox import decode, encode
from email_assistant.review.card import card_of, in_shape
from email_assistant.review.kinds import CardKind, declared
from email_assistant.tools.inquiries import QUESTION
from email_assistant.tools.mail_tools import REPLY

ARGS = {"to": "ana@example.com", "cc": "", "subject": "Re: Fitting", "body": "Hi Ana,\n\nyes.\n"}


def action(kind: str = REPLY.name) -> Action:
    """A card under review."""
    return Action("t:c:1", "c", kind, "Send reply to Ana: Fitting", ARGS if kind == REPLY.name else {})


def echo(**changes: object) -> dict[str, object]:
    """The request as the page echoes it."""
    return {"action": "Send reply to Ana: Fitting", "args": ARGS | changes}


def test_a_field_that_cannot_be_edited_holds_nothing_that_acts() -> None:
    """The page renders it as Markdown with raw HTML: plain words stay as they are, markup and links are fenced."""
    words = "Which shelf, the oak one (3 boards)? It is urgent: yes or no."
    hostile = "Which?\n```\n<img src=x onerror=f()> [a](javascript:f()) https://evil.example"
    asked = [Action("t:c:1", "c", QUESTION.name, "Question", {"question": text}) for text in (words, hostile)]
    shown = [encode(one, "why", {})[0]["action_request"]["args"]["question"] for one in asked]
    assert shown == [words, f"````text\n{hostile}\n````"]
    assert encode(action(), "why", {})[0]["action_request"]["args"] == ARGS


@pytest.mark.parametrize("args", [None, {}, echo(), {"action": "Send reply to Ana: Fitting"}])
def test_accept_is_taken_bare_and_with_an_equal_echo(args: object) -> None:
    """A bare accept and the echo of this very card are approvals."""
    assert decode([{"type": "accept", "args": args}], action()) == Decision("accept")


def test_an_echo_with_other_line_ends_is_the_same_card() -> None:
    """A browser may send CRLF for a newline."""
    assert decode([{"type": "accept", "args": echo(body="Hi Ana,\r\n\r\nyes.")}], action()) == Decision(
        "accept"
    )


@pytest.mark.parametrize(
    "args",
    [
        echo(to="eve@example.net"),
        {"action": "Send reply to Bob", "args": ARGS},
        {"action": "Send reply to Ana: Fitting", "args": ARGS | {"bcc": "eve@example.net"}},
        "yes",
    ],
)
def test_an_accept_of_something_else_is_asked_again(args: object) -> None:
    """A stale page, a double click or a tampered echo never approves what is pending now."""
    assert isinstance(decode([{"type": "accept", "args": args}], action()), Problem)


def test_an_edit_comes_back_as_text_whatever_was_sent() -> None:
    """Fields come back as strings, lists or numbers; all become the text the tool validates."""
    decision = decode(
        [{"type": "edit", "args": echo(to=["a@example.com", "b@example.com"], subject=7)}], action()
    )
    assert isinstance(decision, Decision)
    assert decision.args == ARGS | {"to": "a@example.com, b@example.com", "subject": "7"}


@pytest.mark.parametrize(
    ("kind", "answer"),
    [(NOTIFY.name, "accept"), ("Question", "edit")],
)
def test_answers_a_card_does_not_offer_are_asked_again(kind: str, answer: str) -> None:
    """Only what the card offers is taken."""
    problem = decode([{"type": answer, "args": None}], action(kind))
    assert isinstance(problem, Problem)
    assert answer in problem.text


@pytest.mark.parametrize("text", ["", None, 7])
def test_an_empty_response_is_asked_again(text: object) -> None:
    """A response must say something."""
    assert isinstance(decode([{"type": "response", "args": text}], action()), Problem)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(value=JSON)
def test_garbage_never_approves_and_never_raises(value: object) -> None:
    """Whatever JSON comes back is either understood or a problem in one sentence; by chance it is never an approval."""
    result = decode(value, action())
    assert isinstance(result, Problem)
    assert "\n" not in result.text


@given(kind=st.sampled_from(["accept", "edit", "response", "ignore"]), args=JSON)
def test_garbage_in_the_arguments_never_changes_what_is_approved(kind: str, args: object) -> None:
    """With any arguments, an accept stands for the pending action only, and an edit needs the card's own fields."""
    result = decode([{"type": kind, "args": args}], action())
    if kind == "accept" and isinstance(result, Decision):
        assert args in (None, {})
    if kind == "edit":
        assert isinstance(result, Problem)


def _every_kind() -> list[CardKind]:
    return list(declared())


@pytest.mark.parametrize("kind", _every_kind(), ids=lambda kind: kind.name)
def test_a_card_says_the_same_in_both_shapes(kind: CardKind) -> None:
    """Title, fields, answers and description, of each kind of card; whoever reads it need not know which shape it has."""
    asked = Action("t:c:1", "c", kind.name, "A title", ARGS)
    (card,) = encode(asked, "why", {"kind": kind.name})
    there = card_of(in_shape([card], "langchain"))
    assert there == card
    assert card_of([card]) == card
    assert in_shape([card], "agent_inbox") == [card]


@pytest.mark.parametrize(
    ("decision", "answer"),
    [
        (
            {"type": "reject", "message": "Ask for the width first."},
            {"type": "response", "args": "Ask for the width first."},
        ),
        ({"type": "respond", "message": "Shorter."}, {"type": "response", "args": "Shorter."}),
        (
            {"type": "edit", "edited_action": {"name": "Another", "args": ARGS}},
            {"type": "edit", "args": {"action": "Another", "args": ARGS}},
        ),
    ],
)
def test_a_decision_is_the_answer_that_it_names(
    decision: dict[str, object], answer: dict[str, object]
) -> None:
    """A rejection with words is what the words are elsewhere: they lead to another draft."""
    assert decode({"decisions": [decision]}, action()) == decode([answer], action())
