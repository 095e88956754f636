"""The hours in which the user has meetings."""

from datetime import datetime, time
from zoneinfo import ZoneInfo

import pytest

from email_assistant.errors import ConfigError, InputError
from email_assistant.settings import load_settings
from email_assistant.working_hours import USUAL, WorkingHours

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "days", "start", "end", "written"),
    [
        ("Mon-Fri 09:00-17:00", {0, 1, 2, 3, 4}, time(9), time(17), "Mon-Fri 09:00-17:00"),
        (" monday-wed, Sat 10:00 – 18:00 ", {0, 1, 2, 5}, time(10), time(18), "Mon-Wed, Sat 10:00-18:00"),
    ],
)
def test_they_are_read_and_written(text: str, days: set[int], start: time, end: time, written: str) -> None:
    """What is written is read as the same again."""
    hours = WorkingHours.parse(text)
    assert hours == WorkingHours(frozenset(days), start, end)
    assert str(hours) == written
    assert WorkingHours.parse(written) == hours


@pytest.mark.parametrize(
    "text",
    ["", "Mon-Fry 09:00-17:00", "17:00-09:00"],
)
def test_what_cannot_be_read_names_the_setting(text: str) -> None:
    """One line, with the form."""
    with pytest.raises(InputError):
        WorkingHours.parse(text)
    with pytest.raises(ConfigError, match=r"EMAIL_ASSISTANT_WORKING_HOURS.* like Mon-Fri 09:00-17:00"):
        load_settings({"EMAIL_ASSISTANT_WORKING_HOURS": text or "-"}, None)


def test_what_lies_within() -> None:
    """By the clock on the wall, of one day, ends included."""
    friday = datetime(2026, 11, 27, tzinfo=BERLIN)
    assert USUAL.hold(friday.replace(hour=9), friday.replace(hour=17))
    assert not USUAL.hold(friday.replace(hour=8, minute=59), friday.replace(hour=10))
    assert not USUAL.hold(friday.replace(hour=16), friday.replace(hour=17, minute=1))
    assert not USUAL.hold(friday.replace(day=28, hour=10), friday.replace(day=28, hour=11))
    assert not USUAL.hold(friday.replace(day=26, hour=16), friday.replace(hour=10))
