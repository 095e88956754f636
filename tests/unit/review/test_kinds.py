"""Kinds of cards."""

from dataclasses import replace

import pytest

from email_assistant.kit.review_loop import NOTIFY
from email_assistant.meetings.cancelling import CANCELLATION
from email_assistant.meetings.scheduling import MEETING
from email_assistant.review.action import Action
from email_assistant.review.agent_inbox import encode
from email_assistant.review.kinds import CardKind, declare, declared, kind_of, kind_or_unknown
from email_assistant.tools.inquiries import QUESTION
from email_assistant.tools.mail_tools import NEW_MAIL, REPLY

CONTRACT = {
    NOTIFY: ("Notify: ", "ignore response"),
    REPLY: ("Send reply to ", "ignore response edit accept"),
    NEW_MAIL: ("Send email to ", "ignore response edit accept"),
    MEETING: ("Schedule meeting: ", "ignore response edit accept"),
    CANCELLATION: ("Cancel meeting: ", "ignore edit accept"),
    QUESTION: ("Question: ", "ignore response"),
}


@pytest.mark.parametrize("kind", CONTRACT, ids=lambda kind: kind.name)
def test_titles_and_answers_are_those_that_others_rely_on(kind: CardKind) -> None:
    """Scripts and pages know cards by how their titles begin, and what they may be answered with."""
    assert (kind.begins, " ".join(kind.answers)) == CONTRACT[kind]


def test_a_card_that_waits_since_before_an_update_is_answerable() -> None:
    """A checkpoint holds the name of the kind and no more."""
    waiting = Action.from_json(
        {"id": "t:c:1", "tool_call_id": "c", "kind": "send_email", "title": "Send reply to Ana", "args": {}}
    )
    assert all(encode(waiting, "", {})[0]["config"].values())
    assert waiting.headline == ""


def test_a_name_stands_for_one_kind() -> None:
    """Declared once more it is the same; another one under its name is refused."""
    assert declare(replace(REPLY)) == REPLY
    with pytest.raises(ValueError, match="two kinds of cards are called send_email"):
        declare(replace(REPLY, begins="Send "))
    assert declared().count(REPLY) == 1


def test_a_kind_that_nobody_declares_is_refused() -> None:
    """It teaches nothing either."""
    assert kind_or_unknown("check_calendar").lesson is None
    with pytest.raises(LookupError, match="no kind of card is called check_calendar"):
        kind_of("check_calendar")


def test_money_is_confirmed_twice() -> None:
    """However its kind is declared, and so is what nobody knows any more."""
    with pytest.raises(ValueError, match="pays, so it must be confirmed twice"):
        replace(REPLY, draws="money")
    assert [each.name for each in declared() if each.confirm == "twice" and " " not in each.name] == [
        "refund"
    ]
    gone = kind_or_unknown("a kind of a workflow that was taken out")
    assert (gone.confirm, gone.held, gone.answers) == ("twice", True, ())
