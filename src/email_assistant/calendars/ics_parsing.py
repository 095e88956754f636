"""An iCalendar file as components (RFC 5545): what makes no sense costs what it says itself, and nothing beside it.

Zones are known by any of their names (`iana_name`): IANA's, the identifiers of Windows ("W. Europe Standard Time"), and what people
are shown of those, with an offset in front ("(UTC+01:00) Amsterdam, Berlin, …"); both as the Unicode CLDR lists them (windowsZones.xml).
"""

import re
import threading
import tomllib
import warnings
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import icalendar
from icalendar.parser import Contentline, Parameters
from icalendar.parser.ical.calendar import CalendarIcalParser
from icalendar.timezone import tzp
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON
from icalendar.timezone.zoneinfo import ZONEINFO

from email_assistant.calendars.event import is_zone
from email_assistant.calendars.recurrence_rules import is_zone_rule
from email_assistant.errors import ProviderError

UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, AssertionError)
"""What the iCalendar libraries raise on values they cannot make sense of."""

# Empty lines within a fold are nobody's; the library passes them over as well.
_FOLD = re.compile(rb"(?:(?<!\n)\r\n|(?<![\r\n])\n)(?:\r?\n)*[ \t]")
_BOUNDARY = re.compile(rb"^(BEGIN|END):(VEVENT(?=\r?$))?", re.IGNORECASE | re.MULTILINE)
_PADDED = re.compile(rb"^((?:BEGIN|END):[A-Z0-9-]+)[ \t]+(?=\r?$)", re.IGNORECASE | re.MULTILINE)
# Some programs forget the quotes about a name with a colon in it.
_UNQUOTED = re.compile(
    rb"^((?:DTSTART|DTEND|RECURRENCE-ID|RDATE|EXDATE)(?:;[A-Z-]+=[^;:\"\r\n]*)*?;TZID=)"
    rb"(\((?:UTC|GMT)[^)\r\n]{0,20}\)[^:;\"\r\n]*|tzone://Microsoft/[A-Z]+)(?=[;:])",
    re.IGNORECASE | re.MULTILINE,
)

# The library remembers custom zones by name for the whole process; two files may use one name differently.
_parsing = threading.Lock()

_SHOWN = re.compile(
    r"\((?:UTC|GMT)(?:(?P<sign>[+-])(?P<hours>\d{1,2}):?(?P<minutes>\d{2}))?\)\s*(?P<name>.*)"
)
_UTC_NAMES = frozenset({"coordinated universal time", "tzone://microsoft/utc", "utc", "gmt", "z"})
_SHOWN_NAMES = Path(__file__).with_name("windows_zones.toml").read_text(encoding="utf-8")
_WINDOWS = {shown.lower(): windows for shown, windows in tomllib.loads(_SHOWN_NAMES).items()}

_ONCE = frozenset(("DTSTART", "DTEND", "DURATION", "RECURRENCE-ID"))
"""What an event has at most once (RFC 5545 §3.6.1)."""


def parse(raw: bytes, source: str) -> list[icalendar.Calendar]:
    """The calendars of a file; raises `ProviderError` that starts with `source` when it is not whole.

    What cannot be read of a component is noted among its `errors`.
    """
    lines = _lines(raw)
    if not _is_whole(lines):
        raise ProviderError(f"{source}: not a whole iCalendar file")
    try:
        with _parsing, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # zone names guessed from their end are what is wanted
            tzp.use(_Zones())  # forgets custom zones read before
            calendars = _Parser(lines, _Tolerant(), icalendar.Calendar.types_factory).parse()
    except UNREADABLE as error:
        raise ProviderError(f"{source}: not an iCalendar file: {error}") from error
    found = [each for each in calendars if isinstance(each, icalendar.Calendar)]
    if not found or len(found) < len(calendars):
        raise ProviderError(f"{source}: not an iCalendar file")
    for calendar in found:
        _settle(calendar)
    return found


def floating_zone(calendar: icalendar.Calendar) -> ZoneInfo | None:
    """The zone that floating times of the calendar are meant in (X-WR-TIMEZONE); None when it names none that is known."""
    name = str(calendar.get("X-WR-TIMEZONE", ""))
    return ZoneInfo(name) if name else None


def _lines(raw: bytes) -> bytes:
    """The file with lines unfolded (RFC 5545 §3.1), names of components and of zones as they are meant."""
    return _UNQUOTED.sub(rb'\1"\2"', _PADDED.sub(rb"\1", _FOLD.sub(b"", raw.removeprefix(b"\xef\xbb\xbf"))))


def _is_whole(lines: bytes) -> bool:
    """Whether all components close, and events as events: one that was opened as something else would be overlooked."""
    counts = Counter((kind.upper(), bool(event)) for kind, event in _BOUNDARY.findall(lines))
    begun, ended = ([counts[kind, event] for event in (False, True)] for kind in (b"BEGIN", b"END"))
    return begun == ended and any(begun)


def _settle(calendar: icalendar.Calendar) -> None:
    """What the calendar says of all its events, in words that the expansion of series knows; else none of them is expanded."""
    if str(calendar.get("CALSCALE", "")).strip().upper() == "GREGORIAN":
        del calendar["CALSCALE"]
    named = calendar.pop("X-WR-TIMEZONE", "")
    name = str(named[0] if isinstance(named, list) else named).strip()
    if known := name and iana_name(name):
        calendar["X-WR-TIMEZONE"] = icalendar.vText(known)


class _Parser(CalendarIcalParser):
    """The library's, which takes what it did not foresee for the end of the file."""

    def handle_property(self, name: str, params: Parameters, vals: str, line: Contentline) -> None:
        """A line of a component, or a note that it cannot be read."""
        if self.component is not None and name.upper() in _ONCE and name in self.component:
            self.component.errors.append((name, "it stands there more than once"))
            return
        try:
            super().handle_property(name, params, vals, line)
        except UNREADABLE as error:
            if self.component is None:
                raise
            self.component.errors.append((name, str(error)))

    def handle_end_component(self, vals: str) -> None:
        """The end of a component; a time zone that is none, or has two names, is no zone then."""
        with suppress(AttributeError):
            super().handle_end_component(vals)


class _Tolerant(icalendar.ComponentFactory):
    """Components that note what they cannot read: by itself the library does so for events alone and refuses else the file."""

    def get_component_class(self, name: str) -> type[icalendar.Component]:
        """The class for components of this name."""
        known = super().get_component_class(name)
        if not known.ignore_exceptions:
            known = type(known.__name__, (known,), {"name": known.name, "ignore_exceptions": True})
            self.add_component_class(known)
        return known


class _Zones(ZONEINFO):
    """Time zones by any of their names; a name or a definition that makes no sense is an unknown zone."""

    def timezone(self, name: str) -> tzinfo | None:
        """The zone of this name, or None."""
        try:
            found = super().timezone(name)
        except OSError:  # the name of a folder of zones, or longer than that of a file may be
            found = None
        known = "" if found or not name.strip() else iana_name(name)
        return ZoneInfo(known) if known else found

    def create_timezone(self, tz: icalendar.Timezone) -> tzinfo | None:  # type: ignore[override]  # None is "unknown"
        """The zone that a VTIMEZONE defines, or None; one that changes its clocks every second would be followed for ever."""
        try:
            rules = [each["RRULE"] for each in tz.subcomponents if "RRULE" in each]
            return super().create_timezone(tz) if all(map(is_zone_rule, rules)) else None
        except UNREADABLE:
            return None


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
