"""What is said of answers while they are held, and once something has come of them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from email_assistant.journal.traces import GivenEntry
from email_assistant.kit.review_loop import NOTIFY
from email_assistant.meetings.scheduling import MEETING
from email_assistant.page.answers import AnsweredRow, NamedAnswer, answered_rows, sentences
from email_assistant.tools.mail_tools import REPLY
from email_assistant.workflows.inbox_organizer.labelling import LABEL

NOON = datetime(2026, 11, 20, 11, tzinfo=UTC)


def given(number: int, kind: str, decision: str = "accept") -> GivenEntry:
    """An answer of so many seconds before noon in Berlin."""
    named = {"kind": kind, "who": "Gordon Pryce", "subject": f"Mail {number}"}
    at = NOON - timedelta(seconds=number)
    return GivenEntry(
        f"r{number}", f"t{number}", f"{kind} {number}", named, f"a{number}", decision, {}, {}, at
    )


def listed(*answers: GivenEntry) -> list[AnsweredRow]:
    """Their rows."""
    return answered_rows(answers, "Europe/Berlin")


@pytest.mark.parametrize(
    ("kind", "answer", "is_redrawn", "soon", "past"),
    [
        (REPLY.name, "accept", False, "Reply to Gordon Pryce goes out", "Reply to Gordon Pryce: sent"),
        (REPLY.name, "edit", False, "Reply to Gordon Pryce goes out", "Reply to Gordon Pryce: sent"),
        (MEETING.name, "accept", False, "Gordon Pryce: the meeting is made", "Gordon Pryce: invited"),
        (NOTIFY.name, "ignore", False, "Gordon Pryce: counts as not wanted", "Gordon Pryce: not wanted"),
        (NOTIFY.name, "seen", False, "Gordon Pryce: counts as seen", "Gordon Pryce: seen"),
        (REPLY.name, "response", False, "Gordon Pryce: the assistant is told", "Gordon Pryce: told the assistant"),
        (
            REPLY.name, "response", True,
            "Gordon Pryce: the assistant is told", "Gordon Pryce: told the assistant; a new draft comes",
        ),
    ],
)  # fmt: skip
def test_what_is_said_is_what_is_done(kind: str, answer: str, is_redrawn: bool, soon: str, past: str) -> None:
    """Nobody is answered by words to the assistant, and a new draft is promised where there is one."""
    title = "Send reply to Gordon Pryce" if kind == REPLY.name else kind
    named = NamedAnswer(answer, kind, title, "Gordon Pryce", "Mail", {})
    assert sentences(named, is_redrawn=is_redrawn) == (soon, past)


def test_what_failed_is_told_and_what_is_open_again_is_not_there() -> None:
    """Taken back, or asked once more: it is a card again."""
    rows = listed(
        given(1, REPLY.name),
        replace(given(2, REPLY.name), failure="the mailbox is full"),
        replace(given(3, LABEL.name), is_undone=True),
        given(4, REPLY.name, "not taken"),
    )
    assert [(row.state, row.what, row.tone) for row in rows] == [
        ("sent", "Mail 1", ""),
        ("failed", "the mailbox is full", "warn"),
    ]


def test_what_was_given_together_is_one_row() -> None:
    """Labels and notices; a reply between them stands alone."""
    rows = listed(
        *(given(number, LABEL.name) for number in range(3)), given(3, REPLY.name), given(4, LABEL.name)
    )
    assert [(row.who, row.number) for row in rows] == [
        ("3 labels", 3),
        ("Gordon Pryce", 1),
        ("Gordon Pryce", 1),
    ]
