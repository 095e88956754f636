"""A series in words: by its rule, and by the days on which it really is."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from email_assistant.calendars.event import Event
from email_assistant.calendars.recurrence_rules import goes_on, rule_in_words
from email_assistant.meetings.series import occurrences_of, told_of

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


@pytest.mark.parametrize(
    ("rule", "days", "is_cut"),
    [
        ("FREQ=WEEKLY", 28, True),
        ("FREQ=WEEKLY;COUNT=5", 28, False),
        ("FREQ=WEEKLY;COUNT=200", 399, True),
        ("FREQ=WEEKLY;UNTIL=20270101T000000Z", 28, False),
        ("FREQ=YEARLY;COUNT=5", 365, True),
    ],
)
def test_a_series_may_go_on(rule: str, days: int, is_cut: bool) -> None:
    """Where it has no end, or one that is further away than its occurrences were looked at."""
    assert goes_on(f"RRULE:{rule}", timedelta(days=days)) is is_cut


@pytest.mark.parametrize(
    ("recurrence", "reason"),
    [
        (("RRULE:FREQ=WEEKLY;COUNT=5",), "Every Tuesday until 15 December, 5 times; all are free in your calendar."),
        (("RRULE:FREQ=WEEKLY",), "Every Tuesday, looked at until 15 December, 5 times; all are free in your calendar."),
        (("RDATE:20261124T090000Z",), "Until 15 December, 5 times; all are free in your calendar."),
    ],
)  # fmt: skip
def test_a_free_series_is_told_whole(recurrence: tuple[str, ...], reason: str) -> None:
    """When, how far, and how often."""
    berlin = ZoneInfo("Europe/Berlin")
    starts = [datetime(each.year, each.month, each.day, 10, tzinfo=berlin) for each in WEEKS]
    spans = [(start, start + timedelta(hours=1)) for start in starts]
    event = Event("s", "Review", *spans[0], recurrence=recurrence)
    assert told_of(occurrences_of(event, spans), [], "Europe/Berlin") == ((reason,), ())
