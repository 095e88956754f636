"""One reader of days: planning and checking take the same places of a text for days."""

from datetime import date

import pytest

from email_assistant.facts.times import dates
from email_assistant.language.days import find_days, named_days

FRIDAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("text", "named", "day"),
    [
        ("Let us meet on Friday the 27th.", "Friday the 27th", "2026-11-27"),
        ("Am Donnerstag, den 26. November, um 9 Uhr.", "Donnerstag, den 26. November", "2026-11-26"),
        ("Meeting Thu 26 Nov 10:00", "Thu 26 Nov", "2026-11-26"),
    ],
)
def test_planning_and_checking_read_the_same_day(text: str, named: str, day: str) -> None:
    """With the weekday that stands beside it, from the same place."""
    (found,) = named_days(text)
    assert text[found.start : found.end] == named
    ((ahead,), _) = find_days(text, FRIDAY, day_first=True)
    assert [each.isoformat() for each in ahead.days] == [day]
    (claim,) = dates(text, FRIDAY, day_first=True)
    assert ("date", day) in claim.keys


def test_a_weekday_that_does_not_fit_its_date_is_told() -> None:
    """For planning both days are possible, for checking it is a fault."""
    text = "On Monday, 26 November 2026."
    ((ahead,), _) = find_days(text, FRIDAY, day_first=True)
    assert not ahead.exact
    claim, *_ = dates(text, FRIDAY, day_first=True)
    assert claim.fault == "26 November 2026 is a Thursday"


@pytest.mark.parametrize("text", ["Version 2.15.", "40/50", "Room 12, 1st floor"])
def test_numbers_that_are_no_days(text: str) -> None:
    """No calendar has them, or nothing says that it is a day."""
    assert named_days(text) == []
