"""What is said of answers while they are held, and once something has come of them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from email_assistant.journal.held_answers import AnswerState, HeldAnswer
from email_assistant.kit.notifying import NOTIFY
from email_assistant.meetings.scheduling import MEETING
from email_assistant.page.answers import AnsweredRow, answered_rows, sentences
from email_assistant.tools.mail_tools import REPLY
from email_assistant.workflows.inbox_organizer.labelling import LABEL

NOON = datetime(2026, 11, 20, 11, tzinfo=UTC)
REPLY_TITLE = "Send reply to Gordon Pryce"


def given(
    number: int, kind: str, answer: str = "accept", state: AnswerState = AnswerState.done, **more: Any
) -> HeldAnswer:
    """An answer that was due so many seconds after noon in Berlin."""
    due = NOON + timedelta(seconds=number)
    title = REPLY_TITLE if kind == REPLY.name else f"{kind} {number}"
    shown = {"type": answer, "kind": kind, "title": title, "who": "Gordon Pryce", "subject": f"Mail {number}"}
    ended = None if state in {AnswerState.held, AnswerState.working} else due
    fields = {"why": "", "following": {}, "begun_at": None, "run_id": ""} | more
    return HeldAnswer(
        id=str(number), run_thread_id=f"t{number}", interrupt_id="i", digest="d", answer={}, shown=shown, due=due,
        state=state, given_at=NOON, ended_at=ended, **fields,
    )  # fmt: skip


def listed(*answers: HeldAnswer) -> list[AnsweredRow]:
    """Their rows."""
    return answered_rows(answers, "Europe/Berlin")


@pytest.mark.parametrize(
    ("kind", "answer", "more", "soon", "past"),
    [
        (REPLY.name, "accept", {}, "Reply to Gordon Pryce goes out", "Reply to Gordon Pryce: sent"),
        (REPLY.name, "edit", {}, "Reply to Gordon Pryce goes out", "Reply to Gordon Pryce: sent"),
        (MEETING.name, "accept", {}, "Gordon Pryce: the meeting is made", "Gordon Pryce: invited"),
        (NOTIFY.name, "ignore", {}, "Gordon Pryce: counts as not wanted", "Gordon Pryce: not wanted"),
        (NOTIFY.name, "seen", {}, "Gordon Pryce: counts as seen", "Gordon Pryce: seen"),
        (REPLY.name, "response", {}, "Gordon Pryce: the assistant is told", "Gordon Pryce: told the assistant"),
        (
            REPLY.name, "response", {"following": {"thread": "t"}},
            "Gordon Pryce: the assistant is told", "Gordon Pryce: told the assistant; a new draft comes",
        ),
    ],
)  # fmt: skip
def test_what_is_said_is_what_is_done(
    kind: str, answer: str, more: dict[str, Any], soon: str, past: str
) -> None:
    """Nobody is answered by words to the assistant, and a new draft is promised where there is one."""
    assert sentences(given(1, kind, answer, **more)) == (soon, past)


def test_what_is_on_its_way_stands_first_and_is_not_said_to_be_done() -> None:
    """With when it is due; what was taken back, or came back as a card, is not there at all."""
    rows = listed(
        given(1, REPLY.name),
        given(2, REPLY.name, state=AnswerState.held),
        given(3, REPLY.name, state=AnswerState.undone),
        given(4, REPLY.name, state=AnswerState.not_taken),
        given(5, REPLY.name, "response", AnswerState.working),
    )
    assert [(row.id, row.state, bool(row.due), row.number) for row in rows] == [
        ("5", "the assistant is told", True, 1),
        ("2", "goes out", True, 1),
        ("1", "sent", False, 1),
    ]


def test_what_was_given_together_is_one_row_while_it_is_held_and_after() -> None:
    """Labels and notices; those that are done are not counted among those that are held."""
    held = [given(number, LABEL.name, state=AnswerState.held) for number in range(4)]
    done = [given(number, LABEL.name) for number in range(4, 7)]
    assert [(row.who, row.number, bool(row.due)) for row in listed(*held, *done)] == [
        ("4 labels", 4, True),
        ("3 labels", 3, False),
    ]
