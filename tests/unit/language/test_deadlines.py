"""Deadlines in the texts of ordinary mail."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from email_assistant.language.deadlines import WrittenWhen, deadlines_in
from email_assistant.language.text import language_of
from email_assistant.models.offline.reading import sentences
from tests.unit.offline.building import WEDNESDAY

BERLIN = ZoneInfo("Europe/Berlin")


def days(text: str, at: datetime = WEDNESDAY) -> set[date]:
    """The deadlines in a text written at ten on Wednesday, 18 November 2026."""
    written = WrittenWhen(at.astimezone(BERLIN), BERLIN, language_of(text) in {"de", "fr", "es"})
    return {found.day for found in deadlines_in(sentences(text), written)}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Please answer by Friday.", "11-20"),
        ("Could you reply within 24 hours?", "11-19"),
        ("Please reply within five working days.", "11-23"),
        ("I need it by 5 pm.", "11-18"),
        ("I need it by 9 am.", "11-19"),
        ("Terms as usual, 14 days net.", "12-02"),
        ("Bitte bis Freitag melden.", "11-20"),
        ("Merci de répondre avant vendredi.", "11-20"),
        ("Por favor, responda antes del viernes.", "11-20"),
        ("明日までにご返信ください。", "11-19"),
    ],
)
def test_deadlines_are_found(text: str, day: str) -> None:
    """Days, times, lengths of time and terms of payment, in the languages of letters."""
    assert {f"{found:%m-%d}" for found in days(text)} == {day}


@pytest.mark.parametrize(
    "text",
    [
        "I will be back by Friday.",
        "I am on holiday until 30 November.",
        "We met on Monday.",
        "The payment will be on your card within five working days.",
    ],
)
def test_days_that_are_no_deadlines(text: str) -> None:
    """What the writer will do, what was, and when somebody is away binds nobody."""
    assert days(text) == set()


def test_the_writers_clock_counts() -> None:
    """By nine is today when written at seven, and tomorrow when written at ten."""
    assert days("I need it by 9:00.", WEDNESDAY - timedelta(hours=3)) == {date(2026, 11, 18)}
    assert days("I need it by 9:00.") == {date(2026, 11, 19)}


def test_the_users_zone_counts() -> None:
    """Late on Wednesday in UTC is Thursday in Berlin already."""
    assert days("Please answer today.", datetime(2026, 11, 18, 23, 30, tzinfo=UTC)) == {date(2026, 11, 19)}
