"""Answers of the page are read, and count for the card that was shown."""

from dataclasses import replace
from typing import Any

import pytest

from email_assistant.errors import InputError
from email_assistant.page.answers import (
    MAX_ANSWERS,
    GivenAnswer,
    as_agent_inbox,
    read_answers,
    refusal,
)
from email_assistant.review.waiting import WaitingCard

EVERY = {"allow_accept": True, "allow_edit": True, "allow_respond": True, "allow_ignore": True}
GIVEN = {"id": "a" * 32, "thread": "t", "interrupt": "i", "digest": "d", "type": "accept"}


def card(body: str = "Yes.", kind: str = "send_email", **changes: Any) -> WaitingCard:
    """A card that waits."""
    view = VIEW | {"kind": kind, "args": {"to": "ana@example.com", "body": body}}
    made = WaitingCard("t", "email_assistant", "Send reply", view["args"], EVERY, "", view, "i", "")
    return replace(made, **changes)


VIEW: dict[str, Any] = {
    "kind": "", "title": "Send reply", "ask": "", "summary": "", "problem": "", "doubts": [], "warnings": [], "gaps": [],
    "args": {}, "answers": [], "options": [], "sender": "Ana", "address": "ana@example.com", "verified": "", "subject": "",
    "received": "", "timezone": "Europe/Berlin", "facts": [], "attachments": [], "message": "", "quoted": "", "earlier": [],
    "earlier_count": 0, "reasons": [], "offline": "", "importance": "", "message_key": "", "sections": [],
}  # fmt: skip


def given(of: WaitingCard, kind: str = "accept", **more: Any) -> GivenAnswer:
    """An answer to what the card shows."""
    return GivenAnswer("a" * 32, of.thread_id, of.interrupt_id, of.digest, kind, **more)


def state(answer: GivenAnswer, of: WaitingCard | None) -> str:
    """What becomes of the answer."""
    told = refusal(answer, of)
    return str(told["state"]) if told else "taken"


@pytest.mark.parametrize(
    "body",
    [
        None, {}, [], [{}] * (MAX_ANSWERS + 1), [None], ["accept"], [GIVEN | {"type": "send"}], [GIVEN | {"thread": 7}],
        [GIVEN | {"digest": ""}],
        [GIVEN | {"id": "a b"}], [GIVEN | {"args": ["body"]}], [GIVEN | {"args": {"body": 7}}], [GIVEN | {"text": 7}],
        [GIVEN | {"sure": "yes"}], [GIVEN | {"text": "x" * 200_001}], [{"type": "accept"}],
    ],
)  # fmt: skip
def test_a_wrong_request_is_refused_as_a_whole(body: Any) -> None:
    """Nothing of it is done."""
    with pytest.raises(InputError):
        read_answers(body)


@pytest.mark.parametrize(
    "changes",
    [
        {"description": "Somebody else writes."}, {"title": "Send reply (draft 2)"}, {"interrupt_id": "j"},
        {"args": {"to": "eve@example.com", "body": "Yes."}}, {"config": EVERY | {"allow_edit": False}}, {"view": VIEW},
    ],
)  # fmt: skip
def test_an_answer_counts_for_all_that_was_shown(changes: dict[str, Any]) -> None:
    """Whatever differs, the card is shown anew."""
    seen = card()
    assert state(given(seen), seen) == "taken"
    assert state(given(seen), replace(seen, **changes)) == "changed"
    assert state(given(seen), None) == "elsewhere"


@pytest.mark.parametrize("gap", ["[confirm: price]", "[CONFIRM]", "[ confirm the day"])
def test_a_gap_is_no_answer(gap: str) -> None:
    """Neither accepted nor in any field of an edit, however sure somebody is; words about it are one."""
    open_card = card(f"It is {gap} euro.")
    assert state(given(open_card, sure=True), open_card) == "gap"
    assert state(given(open_card, "edit", args={"to": "bo@example.com"}), open_card) == "gap"
    assert state(given(card(), "edit", args={"to": gap}), card()) == "gap"
    assert state(given(open_card, "edit", args={"body": "It is 120 euro."}), open_card) == "taken"
    assert state(given(open_card, "response", text=f"What is {gap}?"), open_card) == "taken"


def test_a_refund_is_approved_twice() -> None:
    """Other cards are not."""
    refund = card(kind="refund")
    assert state(given(refund), refund) == "not_taken"
    assert state(given(refund, sure=True), refund) == "taken"
    assert state(given(refund, "ignore"), refund) == "taken"


def test_a_card_that_nobody_knows_any_more_is_approved_twice() -> None:
    """Its workflow was taken out, or its facts cannot be read: what it would do is not known either."""
    for gone in (card(kind="taken_out"), card(view={})):
        assert state(given(gone), gone) == "not_taken"
        assert state(given(gone, "edit", args={"body": "No."}), gone) == "not_taken"
        assert state(given(gone, sure=True), gone) == "taken"
        assert state(given(gone, "response", text="Why?"), gone) == "taken"


@pytest.mark.parametrize(
    ("kind", "more"),
    [("accept", {}), ("edit", {"args": {"bcc": "eve@example.com"}}), ("response", {"text": "  "})],
)
def test_what_the_card_does_not_take_is_not_taken(kind: str, more: dict[str, Any]) -> None:
    """An answer it does not allow, a field it does not have, words that are none."""
    shown = card(config={**EVERY, "allow_accept": False})
    assert state(given(shown, kind, **more), shown) == "not_taken"


def test_the_graph_is_told_which_card_it_was() -> None:
    """With all fields, the edited ones in place of the card's."""
    of = card()
    edit = as_agent_inbox(given(of, "edit", args={"body": "No."}), of)
    assert edit == {
        "type": "edit",
        "args": {"action": "Send reply", "args": {"to": "ana@example.com", "body": "No."}},
        "id": "a" * 32,
    }
    assert as_agent_inbox(given(of), of)["args"] == {"action": "Send reply", "args": of.args}
