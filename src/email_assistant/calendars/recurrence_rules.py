"""Recurrence rules (RFC 5545 §3.3.10) that are safe to follow: libraries follow each, and some for ever.

`event_rule` and `is_zone_rule_line` are for calendars from outside, by lines, before a library sees them: coarse, short, and with an end.
`check_rule` and `is_zone_rule` are for the owner's own calendar, which may repeat as it likes as long as it can be followed.
"""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import icalendar

from email_assistant.errors import ProviderError

MAX_DATES = 1_000
"""Most single dates (RDATE, EXDATE) of a series that are read."""
_MAX_VALUES = 100
_NUMBER = re.compile(r"\d{1,4}")
_LISTED = frozenset({"BYDAY", "BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS"})
_TIME_PARTS = ("BYHOUR", "BYMINUTE", "BYSECOND")
_VALUE = re.compile(r"[+-]?\d{1,3}|[+-]?\d{0,2}(?:MO|TU|WE|TH|FR|SA|SU)")
_WEEKDAY = re.compile("MO|TU|WE|TH|FR|SA|SU")
_NTH_WEEKDAY = re.compile(r"[+-]?[1-5](?:MO|TU|WE|TH|FR|SA|SU)")
_UNTIL = re.compile(r"(?P<year>\d{4})\d{4}(?:T\d{6}Z?)?")
_FREQUENCIES = frozenset({"DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
_FINE = frozenset({"DAILY", "WEEKLY"})
_LATEST_MONTH_DAY = 28
YEARS_AHEAD = 5
"""How many years of a series are looked at from now on, or from its start when that is later."""
FIRST_YEAR, LAST_YEAR = 1900, 9900
"""Years in which an event can be."""

LOOKED_AHEAD = timedelta(days=400)
"""So far ahead the occurrences of a series are held against the calendar."""
_MOST_OFTEN = 5
_NTH = frozenset({"1", "2", "3", "4", "5", "+1", "+2", "+3", "+4", "-1"})
_ORDINALS = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last"}
_LONGEST = {"DAILY": 1, "WEEKLY": 7, "MONTHLY": 31}
"""Days from one time of a rule to the next."""

_DAY_PARTS = frozenset({"BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYMONTH"})
_TOO_OFTEN = {"SECONDLY", "MINUTELY"}
_DAYS = {"HOURLY": 1 / 24, "WEEKLY": 7.0, "MONTHLY": 30.0, "YEARLY": 365.0}
_HORIZON = 2050
_MOST_MOMENTS = 500_000
"""How often a rule may come true from the start of its event to `_HORIZON`; to go through as many takes seconds."""


def event_rule(line: str, start: int, year: int) -> str | None:
    """The RRULE line of an event that starts in the year `start`, ending some years after that and `year`.

    None when it is not one to follow. Besides rules that are too fine, that is a daily or weekly one which may
    never come true, like each day that is the 30th of February: it would be looked for to the end of time.
    """
    parts = _parts(line)
    if parts is None or parts.get("FREQ") not in _FREQUENCIES or not _is_coarse(parts):
        return None
    if parts["FREQ"] in _FINE and parts.keys() & (_LISTED - {"BYDAY", "BYMONTH"}):
        return None
    last = max(start, year) + YEARS_AHEAD
    until = _UNTIL.fullmatch(parts.get("UNTIL", "99991231"))
    if until is None or start < FIRST_YEAR or last > LAST_YEAR:
        return None
    if int(until["year"]) > last:
        parts["UNTIL"] = f"{last:04}1231T000000Z"
    names = sorted(parts, key=lambda name: name != "FREQ")
    return "RRULE:" + ";".join(f"{name}={parts[name]}" for name in names)


def is_zone_rule_line(line: str) -> bool:
    """Whether an RRULE of a time zone is one as zones have: once a year, on one day of one month."""
    parts = _parts(line)
    if parts is None or parts.get("FREQ") != "YEARLY" or not _is_coarse(parts):
        return False
    named = parts.keys() - {"FREQ", "INTERVAL", "UNTIL", "WKST"}
    if not named:
        return True
    if "BYMONTH" not in named or named - {"BYMONTH", "BYDAY", "BYMONTHDAY"} or "," in parts["BYMONTH"]:
        return False
    days = parts.get("BYMONTHDAY", "1").split(",")
    possible = len(days) <= 7 and all(day.isdigit() and int(day) <= _LATEST_MONTH_DAY for day in days)
    weekday = _WEEKDAY if "BYMONTHDAY" in parts else _NTH_WEEKDAY
    return possible and (
        weekday.fullmatch(parts["BYDAY"]) is not None if "BYDAY" in parts else len(days) == 1
    )


def _parts(line: str) -> dict[str, str] | None:
    """The rule's parts by their names in upper case; None when one occurs twice or has no value."""
    pieces = [piece.partition("=") for piece in line.partition(":")[2].strip().upper().split(";") if piece]
    parts = {name.strip(): value.strip() for name, _, value in pieces}
    return parts if len(parts) == len(pieces) and all(parts.values()) else None


def _is_coarse(parts: dict[str, str]) -> bool:
    """Whether following the rule takes little work however long it goes on."""
    values = 0
    for name, value in parts.items():
        pieces = value.split(",")
        if name in _LISTED or name in _TIME_PARTS:
            values += len(pieces)
            if not all(map(_VALUE.fullmatch, pieces)) or (name in _TIME_PARTS and len(pieces) > 1):
                return False
        elif name in {"INTERVAL", "COUNT"}:
            if not _NUMBER.fullmatch(value) or int(value) < 1:
                return False
        elif name not in {"FREQ", "UNTIL", "WKST"}:
            return False
    return values <= _MAX_VALUES


def rule_in_words(line: str, days: Sequence[date]) -> str:
    """ "every Tuesday", of an RRULE line that comes true on these days; "" for what is not told in a few words."""
    parts = _parts(line) or {}
    frequency, number = parts.get("FREQ", ""), _interval(parts)
    by = frozenset(name for name in parts if name.startswith("BY"))
    named, nth = _weekdays(days), parts.get("BYDAY", "")[:-2]
    is_one_day = len({(each.day, each.month if frequency == "YEARLY" else 0) for each in days}) == 1
    text = ""
    if by <= {"BYDAY"} and (frequency == "WEEKLY" or (frequency == "DAILY" and by and number == 1)):
        text = named
    elif frequency == "DAILY" and not by:
        text = "day"
    elif frequency == "MONTHLY" and by == {"BYDAY"} and nth in _NTH and " " not in named:
        text = f"month on the {_ORDINALS[int(nth)]} {named}"
    elif frequency == "MONTHLY" and by <= {"BYMONTHDAY"} and is_one_day:
        text = f"month on day {days[0].day}"
    elif frequency == "YEARLY" and by <= {"BYMONTH", "BYMONTHDAY"} and is_one_day:
        text = "year"
    if not text or number > _MOST_OFTEN:
        return ""
    return f"every {text}" if number == 1 else f"every {_ORDINALS[number]} {text}"


def _weekdays(days: Sequence[date]) -> str:
    """The days of the week that these are, each once."""
    found = dict(sorted((each.weekday(), f"{each:%A}") for each in days))
    if [*found] == [0, 1, 2, 3, 4]:
        return "working day"
    *others, last = found.values()
    return f"{', '.join(others)} and {last}" if others else last


def goes_on(line: str, looked_at: timedelta) -> bool:
    """Whether a series may go on behind the time from its first day to its last that was looked at."""
    parts = _parts(line) or {}
    if not line or parts.keys() & {"COUNT", "UNTIL"} == set():
        return bool(line)
    return looked_at > LOOKED_AHEAD - 2 * timedelta(
        days=_interval(parts) * _LONGEST.get(parts.get("FREQ", ""), 366)
    )


def _interval(parts: Mapping[str, str]) -> int:
    return int(parts["INTERVAL"]) if _NUMBER.fullmatch(parts.get("INTERVAL", "")) else 1


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
    return rule.get("FREQ") == ["YEARLY"] and all(len(rule.get(name, [])) <= 1 for name in _TIME_PARTS)


def _moments(rule: Any, start: date) -> float:
    """About how often the rule comes true, or may, from the start to `_HORIZON`."""
    frequency = str(next(iter(rule.get("FREQ", [])), "")).upper()
    last = min([_HORIZON, *(until.year for until in rule.get("UNTIL", []) if isinstance(until, date))])
    days = _DAYS.get(frequency, 1.0)
    if not _DAY_PARTS.isdisjoint(rule):  # It names days, perhaps each of them.
        days = min(1.0, days)
    each_day = [name for name in _TIME_PARTS if (frequency, name) != ("HOURLY", "BYHOUR")]
    times = math.prod(max(1, len(rule.get(name, []))) for name in each_day)
    interval = max([1, *map(int, rule.get("INTERVAL", []))])
    moments = max(1, last - start.year) * 366 / days / interval * times
    return min([moments, *map(float, rule.get("COUNT", []))])
