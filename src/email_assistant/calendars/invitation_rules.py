"""Recurrence rules (RFC 5545 §3.3.10) that are safe to follow: coarse, short, and with an end."""

import re

MAX_DATES = 1_000
"""Most single dates (RDATE, EXDATE) of a series that are read."""
_MAX_VALUES = 100
_NUMBER = re.compile(r"\d{1,4}")
_LISTED = frozenset({"BYDAY", "BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS"})
_SINGLE = frozenset({"BYHOUR", "BYMINUTE", "BYSECOND"})
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


def is_zone_rule(line: str) -> bool:
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
        if name in _LISTED or name in _SINGLE:
            values += len(pieces)
            if not all(map(_VALUE.fullmatch, pieces)) or (name in _SINGLE and len(pieces) > 1):
                return False
        elif name in {"INTERVAL", "COUNT"}:
            if not _NUMBER.fullmatch(value) or int(value) < 1:
                return False
        elif name not in {"FREQ", "UNTIL", "WKST"}:
            return False
    return values <= _MAX_VALUES
