"""What waits, listed on the terminal, and one answer for many."""

from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from email_assistant.cli import console, review_list
from email_assistant.cli.review_list import bundle_choice, bundle_menu, show_bundle, tell_list
from email_assistant.kit.notifying import NOTIFY
from email_assistant.review.queue import Bundle, bundles
from email_assistant.workflows.inbox_organizer.labelling import LABEL
from tests.unit.review.test_queue import card, queue, reply


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Console:
    """A terminal of 80 columns that keeps what is printed."""
    made = Console(width=80, record=True, force_terminal=False)
    for module in (console, review_list):
        monkeypatch.setattr(module, "out", made)
    return made


def notices(number: int = 3) -> Bundle:
    """Notices that can be answered together."""
    (bundle,) = bundles(queue(*(card(NOTIFY.name, each) for each in range(1, number + 1))))
    return bundle


def labels(**more: Any) -> Bundle:
    """Two guessed labels, and a third whose sender is in doubt."""
    fields = {"args": {"category": "Personal/Family"}, "facts": {"confidence": 0.4}} | more
    doubted = card(LABEL.name, 3, doubts=("SPF failed.",), **fields)
    (bundle,) = bundles(queue(card(LABEL.name, 1, **fields), card(LABEL.name, 2, **fields), doubted))
    return bundle


def test_the_list_has_a_line_a_mail_by_section(screen: Console) -> None:
    """However narrow the terminal; nothing of a mail acts on it, and no mail has more than its line."""
    asking, notice = queue(reply(1), card(NOTIFY.name, 2))
    tell_list([replace(asking, who="Eve \x1b]0;x\x07", ask="Is [bold]it[/]\ndry? " + "very " * 100), notice])
    lines = screen.export_text().splitlines()
    assert [line.split()[0] for line in lines] == ["2", "Replies", "Eve", "In", "Person"]
    assert lines[0] == "2 mails wait: about 1 minute."
    assert "\\u001b" in lines[2]
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("d", "done"),
        ("i", "ignore"),
        (" Ignore ", "ignore"),
        ("o", "one by one"),
        ("s", "skip"),
        ("q", "quit"),
        ("a", ""),
        ("y", ""),
        ("", ""),
    ],
)
def test_an_answer_for_many_is_a_key_or_a_whole_word(typed: str, word: str) -> None:
    """Notices cannot be accepted; what is no answer turns no tick."""
    ticked = [True] * 3
    assert bundle_choice(typed, notices(), ticked) == word
    assert ticked == [True] * 3


def test_labels_can_be_accepted() -> None:
    """Those of senders in doubt are not among them."""
    bundle = labels()
    assert len(bundle.taken) == 2
    assert bundle_choice("a", bundle, [True, True]) == "accept"
    assert bundle_menu(bundle, [True, False]).startswith(
        "[a] accept – label 1 as shown   [d] done – 1 seen   [i] ignore – 1 not wanted "
    )


@pytest.mark.parametrize(
    ("typed", "ticked"),
    [
        ("x 2", [True, False, True]),
        ("X 1, 3", [False, True, False]),
        ("x 1 1", [False, True, True]),
        ("x 0", [True] * 3),
        ("x 4", [True] * 3),
        ("x", [True] * 3),
        ("x a", [True] * 3),
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


def test_nothing_ticked_is_nothing_to_answer(screen: Console) -> None:
    """It is said."""
    assert bundle_choice("i", notices(), [False] * 3) == ""
    assert "nothing is ticked" in screen.export_text()


def test_a_bundle_shows_each_of_it_and_what_would_be_done(screen: Console) -> None:
    """With its number and tick; how many are asked about by themselves."""
    show_bundle(labels(), [True, False], "1 of 2")
    shown = screen.export_text()
    assert "1 of 2 · 3 label guesses" in shown
    first, second = (line for line in shown.splitlines() if "Personal/Family (40% sure)" in line)
    assert (first.split()[:2], second.split()[:2]) == (["x", "1"], ["-", "2"])
    assert "1 more, of which the sender is in doubt" in shown
