"""Lines about meetings that rules follow, and those that they leave alone."""

from datetime import time

import pytest

from email_assistant.memory.profiles import DEFAULTS
from email_assistant.models.offline.meeting_preferences import (
    MeetingPreferences,
    is_understood,
    meeting_preferences,
)


@pytest.mark.parametrize(
    ("line", "minutes", "earliest"),
    [
        ("My meetings are 45 minutes by default.", 45, None),
        ("- Calls take 45 minutes unless somebody asks for another length.", 45, None),
        ("All my meetings should last an hour", 60, None),
        ("Meetings are half an hour long.", 30, None),
        ("Never before 10:00, please.", None, time(10)),
        ("never before ten", None, time(10)),
        ("No meetings before 9:30 am", None, time(9, 30)),
        ("Nothing before 2 pm!", None, time(14)),
        ("My calls are 20 minutes each, and never before eleven.", 20, time(11)),
    ],
)
def test_what_is_read(line: str, minutes: int | None, earliest: time | None) -> None:
    """A length, an hour, or both."""
    assert meeting_preferences([line]) == MeetingPreferences(minutes, earliest)
    assert is_understood(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "please",
        "Meetings with Ana are 45 minutes.",
        "Meetings are 45 minutes with Ana.",
        "Meetings are 45 or 60 minutes.",
        "My meetings are great.",
        "My meetings are 9 days.",
        "Never before 10:00 on Mondays.",
        "Never before breakfast.",
        "Never before ten or after six.",
        "Make it an hour, and never before eleven.",
        "Somebody met me for 45 minutes.",
        *DEFAULTS["cal_preferences"].splitlines(),
    ],
)
def test_what_is_not_read_to_its_end_says_nothing(line: str) -> None:
    """A condition that is not understood must not be left out."""
    assert meeting_preferences([line]) == MeetingPreferences()
    assert not is_understood(line)


def test_the_last_line_holds() -> None:
    """Of lines that contradict each other."""
    lines = ["Never before ten.", "My meetings are 45 minutes.", "Never before eleven."]
    assert meeting_preferences(lines) == MeetingPreferences(45, time(11))
