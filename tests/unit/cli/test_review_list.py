"""What waits, listed on the terminal, and one answer for many."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from rich.console import Console

from email_assistant.cli import answering, console
from email_assistant.cli.answering import bundle_choice, print_queue
from email_assistant.cli.review import Session
from email_assistant.clock import FixedClock
from email_assistant.kit.review_loop import NOTIFY
from email_assistant.review.queue import Bundle, bundles
from tests.support.desk import house_in
from tests.unit.review.test_queue import FRIDAY, card, meeting, queue, reply


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Console:
    """A terminal of 80 columns that keeps what is printed."""
    made = Console(width=80, record=True, force_terminal=False)
    for module in (console, answering):
        monkeypatch.setattr(module, "out", made)
    return made


def notices() -> Bundle:
    """Notices that can be answered together."""
    (bundle,) = bundles(queue(*(card(NOTIFY.name, each) for each in (1, 2, 3))))
    return bundle


def test_the_list_has_a_line_a_mail_by_section(screen: Console) -> None:
    """However narrow the terminal; nothing of a mail acts on it, and no mail has more than its line."""
    asking, notice = queue(reply(1), card(NOTIFY.name, 2))
    print_queue(
        [replace(asking, who="Eve \x1b]0;x\x07", ask="Is [bold]it[/]\ndry? " + "very " * 100), notice]
    )
    lines = screen.export_text().splitlines()
    assert [line.split()[0] for line in lines] == ["2", "Replies", "Eve", "In", "Person"]
    assert lines[0] == "2 mails wait: about 1 minute."
    assert "\\u001b" in lines[2]
    assert all(len(line) <= 80 for line in lines)


def test_the_list_counts_from_the_day_that_mail_is_read_by(tmp_path: Path) -> None:
    """The samples' own, as on the page: whenever they are tried, what they ask for is not over."""
    lobby = meeting(1, "2026-11-26T10:30:00+00:00", "2026-11-26T12:00:00+00:00")
    at = {"2026-11-20T16:45:00+00:00": "free", "2026-12-20T16:45:00+00:00": "is over"}
    shown = {}
    for now in at:
        built = replace(
            house_in(tmp_path, EMAIL_ASSISTANT_NOW=now), clock=FixedClock(FRIDAY + timedelta(999))
        )
        (row,) = Session(built, None).rows_of([lobby])
        shown[now] = row.catch[0]
    assert shown == at


@pytest.mark.parametrize(
    ("typed", "word"),
    [("d", "done"), (" Ignore ", "ignore"), ("a", ""), ("y", "")],
)
def test_an_answer_for_many_is_a_key_or_a_whole_word(typed: str, word: str) -> None:
    """Notices cannot be accepted; what is no answer turns no tick."""
    ticked = [True] * 3
    assert bundle_choice(typed, notices(), ticked) == word
    assert ticked == [True] * 3


@pytest.mark.parametrize(
    ("typed", "ticked"),
    [
        ("x 2", [True, False, True]),
        ("X 1, 3", [False, True, False]),
        ("x 0", [True] * 3),
        ("x ²", [True] * 3),
    ],
)
def test_numbers_leave_out_and_take_in(typed: str, ticked: list[bool]) -> None:
    """Only numbers that stand there; nothing is answered by it."""
    found = [True] * 3
    assert bundle_choice(typed, notices(), found) == ""
    assert found == ticked
    bundle_choice(typed, notices(), found)
    assert found == [True] * 3
