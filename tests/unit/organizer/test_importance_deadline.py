"""How much deadlines count."""

from datetime import UTC, datetime, timedelta

import pytest

from email_assistant.mail.address import Address
from tests.unit.offline.building import ROBIN, WEDNESDAY
from tests.unit.organizer.test_importance import factor, weigh


@pytest.mark.parametrize(
    ("ahead", "value", "reason"),
    [
        (0, 1.0, "The deadline is today."),
        (1, 0.9, "The deadline is tomorrow."),
        (2, 0.8, "The deadline is on Friday 20 November 2026."),
        (7, 0.6, "The deadline is on Wednesday 25 November 2026."),
        (15, 0.2, "The deadline is on Thursday 3 December 2026."),
        (-1, 0.9, "The deadline was on Tuesday 17 November 2026."),
        (-8, 0.0, "The deadline was on Tuesday 10 November 2026."),
    ],
)
def test_value_falls_with_distance(ahead: int, value: float, reason: str) -> None:
    """Today counts most, more than two weeks little, a deadline long over nothing."""
    day = WEDNESDAY.date() + timedelta(days=ahead)
    found = factor(weigh(f"The deadline is {day.isoformat()}."), "deadline")
    assert (found.value, found.reason) == (value, reason)


def test_a_date_that_cannot_be_is_not_believed() -> None:
    """A message from the future, or from long ago, was written now."""
    for date_header in (datetime(2126, 1, 1, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC), None):
        found = factor(weigh("Please answer by tomorrow.", date=date_header), "deadline")
        assert found.value == 0.9


def test_what_is_put_to_others_counts_half() -> None:
    """A deadline in a message the user is only copied in on is somebody else's, unless it calls the user by name."""
    lucy = Address("lucy@example.org", "Lucy")
    copied = {"to": (lucy,), "cc": (ROBIN,)}
    assert factor(weigh("Lucy, please answer today.", **copied), "deadline").value == 0.5
    assert factor(weigh("Robin, please answer today.", **copied), "deadline").value == 1.0
