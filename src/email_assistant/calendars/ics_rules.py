"""Recurrence rules of a calendar's own events (RFC 5545 §3.3.10): which are followed, and which would be for ever."""

import math
from datetime import date
from typing import Any

import icalendar

from email_assistant.errors import ProviderError

TIME_PARTS = ("BYHOUR", "BYMINUTE", "BYSECOND")
_DAY_PARTS = frozenset({"BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYMONTH"})
_TOO_OFTEN = {"SECONDLY", "MINUTELY"}
_DAYS = {"HOURLY": 1 / 24, "WEEKLY": 7.0, "MONTHLY": 30.0, "YEARLY": 365.0}
_HORIZON = 2050
_MOST_MOMENTS = 500_000
"""How often a rule may come true from the start of its event to `_HORIZON`; to go through as many takes seconds."""


def check_rule(rule: Any, start: date, where: str) -> None:
    """Refuse what is no rule, or one that takes too long to follow: to find one occurrence, all before it are gone through.

    Raises `ProviderError` that starts with `where`.
    """
    if not isinstance(rule, icalendar.vRecur) or "FREQ" not in rule:
        raise ProviderError(f"{where} has an RRULE that is no rule")
    if _TOO_OFTEN & {str(f).upper() for f in rule.get("FREQ", [])}:
        raise ProviderError(f"{where} repeats every minute or second, which is not supported")
    if any(int(interval) < 1 for interval in rule.get("INTERVAL", [])):
        raise ProviderError(f"{where} has a recurrence that never advances")
    if _moments(rule, start) > _MOST_MOMENTS:
        raise ProviderError(f"{where} repeats too often to be followed")


def is_zone_rule(rule: Any) -> bool:
    """Whether it is one as time zones have: on days of a year, at one time."""
    return rule.get("FREQ") == ["YEARLY"] and all(len(rule.get(name, [])) <= 1 for name in TIME_PARTS)


def _moments(rule: Any, start: date) -> float:
    """About how often the rule comes true, or may, from the start to `_HORIZON`."""
    frequency = str(next(iter(rule.get("FREQ", [])), "")).upper()
    last = min([_HORIZON, *(until.year for until in rule.get("UNTIL", []) if isinstance(until, date))])
    days = _DAYS.get(frequency, 1.0)
    if not _DAY_PARTS.isdisjoint(rule):  # It names days, perhaps each of them.
        days = min(1.0, days)
    each_day = [name for name in TIME_PARTS if (frequency, name) != ("HOURLY", "BYHOUR")]
    times = math.prod(max(1, len(rule.get(name, []))) for name in each_day)
    interval = max([1, *map(int, rule.get("INTERVAL", []))])
    moments = max(1, last - start.year) * 366 / days / interval * times
    return min([moments, *map(float, rule.get("COUNT", []))])
