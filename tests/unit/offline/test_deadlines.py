"""Deadlines in the texts of ordinary mail."""

from datetime import date

import pytest

from email_assistant.language.text import language_of
from email_assistant.models.offline.reading import sentences
from email_assistant.models.offline.wanted import deadlines_in


def days(text: str) -> set[date]:
    """The deadlines in a text of Wednesday, 18 November 2026."""
    day_first = language_of(text) in {"de", "fr", "es"}
    return set(deadlines_in(sentences(text), date(2026, 11, 18), day_first=day_first))


@pytest.mark.parametrize(
    "text",
    [
        "Please answer by Friday.",
        "The report is due on Friday.",
        "Bitte bis Freitag melden.",
        "Merci de répondre avant vendredi.",
        "Por favor, responda antes del viernes.",
    ],
)
def test_deadlines_are_found(text: str) -> None:
    """A day behind a word for a deadline, in the languages of letters."""
    assert days(text) == {date(2026, 11, 20)}


@pytest.mark.parametrize(
    "text",
    [
        "I will be back by Friday.",
        "I am on holiday until 30 November.",
        "We met on Monday.",
        "Could you call me on Friday?",
    ],
)
def test_days_that_are_no_deadlines(text: str) -> None:
    """What the writer will do, what was, when somebody is away, and when something is to be done bind nobody."""
    assert days(text) == set()
