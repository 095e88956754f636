"""What is told of the rate, the cost and the time left."""

from datetime import timedelta
from decimal import Decimal

import pytest

from email_assistant.cli.progress import Pace, in_words


class Watch:
    """Seconds that the test sets."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_rate_cost_and_time_left() -> None:
    """Of what was settled since this process began, whoever did it; what was settled before does not count."""
    watch = Watch()
    pace = Pace(watch)
    assert (
        str(pace.at(2_000, 10_000, Decimal("0.5"))) == "2,000 of 10,000 mails, 0 a minute, 0.5000 US dollars"
    )
    watch.seconds += 120
    told = str(pace.at(2_800, 10_000, Decimal("0.70004")))
    assert told == "2,800 of 10,000 mails, 400 a minute, 0.7000 US dollars, 18 minutes left"


def test_the_rate_of_the_start_tells_no_time_left() -> None:
    """The first mail has waited for a model to be loaded; the fifty behind it take seconds, not eight minutes."""
    watch = Watch()
    pace = Pace(watch)
    pace.at(0, 51)
    watch.seconds += 10
    assert str(pace.at(1, 51)) == "1 of 51 mails, 6 a minute"
    watch.seconds += 20
    assert str(pace.at(41, 51)) == "41 of 51 mails, 82 a minute, 7 seconds left"


def test_without_an_end_there_is_no_time_left() -> None:
    """And what nobody asked the price of has none."""
    watch = Watch()
    pace = Pace(watch)
    watch.seconds += 30
    assert str(pace.at(8)) == "8 mails, 16 a minute"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"), (-5, "0 seconds"), (1, "1 second"), (90, "90 seconds"), (120, "2 minutes"),
        (7_100, "118 minutes"), (7_200, "2 hours"), (100_000, "28 hours"), (172_800, "2 days"), (10**8, "1157 days"),
    ],
)  # fmt: skip
def test_durations(seconds: int, words: str) -> None:
    """As a person would say it."""
    assert in_words(timedelta(seconds=seconds)) == words
