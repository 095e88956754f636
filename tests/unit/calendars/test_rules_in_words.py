"""A series in words: by its rule, and by the days on which it really is."""

from datetime import date, timedelta

import pytest

from email_assistant.calendars.recurrence_rules import rule_in_words

TUESDAY = date(2026, 11, 17)
WEEKS = [TUESDAY + timedelta(weeks=number) for number in range(5)]
WORKING = [TUESDAY + timedelta(days=number) for number in (0, 1, 2, 3, 6)]
MONTHS = [TUESDAY, date(2026, 12, 17), date(2027, 1, 17)]


@pytest.mark.parametrize(
    ("rule", "days", "told"),
    [
        ("FREQ=WEEKLY;COUNT=5", WEEKS, "every Tuesday"),
        ("FREQ=WEEKLY;INTERVAL=2", WEEKS, "every second Tuesday"),
        ("FREQ=WEEKLY;INTERVAL=9", WEEKS, ""),
        ("FREQ=WEEKLY;BYDAY=TU,WE", WORKING[:2], "every Tuesday and Wednesday"),
        ("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", WORKING, "every working day"),
        ("FREQ=MONTHLY;BYDAY=3TU", WEEKS[:1], "every month on the third Tuesday"),
        ("FREQ=MONTHLY;BYDAY=-1TU", WEEKS[:1], "every month on the last Tuesday"),
        ("FREQ=MONTHLY", MONTHS, "every month on day 17"),
        ("FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=17", WEEKS[:1], "every year"),
    ],
)
def test_a_rule_in_words(rule: str, days: list[date], told: str) -> None:
    """Nothing is said of what a few words cannot tell."""
    assert rule_in_words(f"RRULE:{rule}", days) == told
