"""Names of time zones as Windows and Outlook write them, as IANA names.

A name is the identifier ("W. Europe Standard Time") or what people are shown of it, with an offset in front
("(UTC+01:00) Amsterdam, Berlin, …"); both as the Unicode CLDR lists them (windowsZones.xml).
"""

import re
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from email_assistant.calendars.event import is_zone

_SHOWN = re.compile(
    r"\((?:UTC|GMT)(?:(?P<sign>[+-])(?P<hours>\d{1,2}):?(?P<minutes>\d{2}))?\)\s*(?P<name>.*)"
)
_UTC_NAMES = frozenset({"coordinated universal time", "tzone://microsoft/utc", "utc", "gmt", "z"})
_SHOWN_NAMES = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
_WINDOWS = {shown.lower(): windows for shown, windows in tomllib.loads(_SHOWN_NAMES).items()}


def iana_name(name: str) -> str:
    """The IANA name of a time zone by any of its names; "" for one that is not known, or whose offset belies it."""
    name = name.strip().strip('"')
    if name.lower() in _UTC_NAMES:
        return "UTC"
    shown = _SHOWN.fullmatch(name)
    found = _known(shown["name"] if shown else name)
    if shown is None or not found:
        return found
    return found if _offset(shown) in _offsets(found) else ""


def _known(name: str) -> str:
    if not name or name.lower() in _UTC_NAMES:
        return "UTC"
    windows = _WINDOWS.get(name.lower(), name)
    found = WINDOWS_TO_OLSON.get(windows, windows)
    return found if is_zone(found) else ""


def _offset(shown: re.Match[str]) -> timedelta:
    if not shown["sign"]:
        return timedelta(0)
    ahead = timedelta(hours=int(shown["hours"]), minutes=int(shown["minutes"]))
    return ahead if shown["sign"] == "+" else -ahead


def _offsets(zone: str) -> set[timedelta]:
    """The zone's offsets in winter and in summer: names tell the standard one, some programs the one of the moment."""
    year = datetime(2025, 1, 15, tzinfo=UTC), datetime(2025, 7, 15, tzinfo=UTC)
    return {instant.astimezone(ZoneInfo(zone)).utcoffset() or timedelta(0) for instant in year}
