"""Lines of a profile that rules follow, and those that they leave to a model."""

from dataclasses import replace
from datetime import UTC, datetime, time

import pytest

from email_assistant.memory.profiles import DEFAULTS
from email_assistant.models.offline.preferences import NONE, preferences, wishes_in


@pytest.mark.parametrize(
    ("line", "minutes", "earliest"),
    [
        ("My meetings are 45 minutes by default.", 45, time.min),
        ("Never before 10:00, please.", 0, time(10)),
        ("No meetings before 9:30 am", 0, time(9, 30)),
        ("My calls are 20 minutes each, and never before eleven.", 20, time(11)),
    ],
)
def test_what_is_read(line: str, minutes: int, earliest: time) -> None:
    """A length, an hour, or both."""
    assert preferences([line]) == replace(NONE, minutes=minutes, earliest=earliest)
    assert wishes_in(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Meetings with Ana are 45 minutes.",
        "Meetings are 45 or 60 minutes.",
        "Meetings are 45 minutes unless it is Ana and she brings nobody.",
        "Never before 10:00 on Mondays.",
        "Never before breakfast.",
        "Never before ten or after six.",
        "Not on Friday",
        "Never write in verse.",
        "Not on Fridays, " * 20,
        *DEFAULTS["cal_preferences"].splitlines(),
        *DEFAULTS["response_preferences"].splitlines(),
    ],
)
def test_what_is_not_read_to_its_end_says_nothing(line: str) -> None:
    """A condition that is not understood must not be left out; "not on Friday" may mean the one that comes."""
    assert preferences([line]) == NONE
    assert wishes_in(line) is None


def test_the_last_line_holds() -> None:
    """Of lines that contradict each other; of the others nobody says that they are followed."""
    lines = ["Never before ten.", "My meetings are 45 minutes.", "Never before eleven.", "Not on Fridays."]
    wanted = preferences(lines)
    assert wanted == replace(NONE, minutes=45, earliest=time(11), days_off=frozenset({4}))
    assert [wishes_in(line, wanted) for line in lines[:2]] == [
        [],
        ["meetings of 45 minutes where nobody names a length"],
    ]
    assert preferences(["Fridays until 1 pm", "Fridays until 2 pm"]).by_day == ((4, time.min, time(14)),)


@pytest.mark.parametrize(
    ("start", "end", "broken"),
    [
        ("2026-11-26T15:30", "2026-11-26T16:00", []),
        ("2026-11-26T15:31", "2026-11-26T16:01", ["no meetings that end after 16:00"]),
        ("2026-11-26T11:30", "2026-11-26T12:00", []),
        ("2026-11-26T12:59", "2026-11-26T13:29", ["no meetings at lunch, 12:00–13:00"]),
        ("2026-11-26T10:15", "2026-11-26T10:45", []),
        ("2026-11-26T10:14", "2026-11-26T10:44", ["15 minutes between meetings"]),
        ("2026-11-26T08:30", "2026-11-26T08:50", ["15 minutes between meetings"]),
        ("2026-11-26T08:30", "2026-11-26T08:45", []),
        ("2026-11-26T15:00", "2026-11-27T00:30", ["no meetings that end after 16:00"]),
    ],
)
def test_the_edges(start: str, end: str, broken: list[str]) -> None:
    """Ends that touch break nothing, and a night is no way around."""
    wanted = preferences(["lunch 12-1", "15 minutes between meetings", "not after 4 pm"])
    busy = (datetime(2026, 11, 26, 9, tzinfo=UTC), datetime(2026, 11, 26, 10, tzinfo=UTC))
    times = (datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (start, end))
    assert wanted.broken_by(*times, [busy]) == broken
