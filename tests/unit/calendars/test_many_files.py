"""Calendar files written to be difficult, whole and damaged: what recurs in them is what the library says."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
import pytest
import recurring_ical_events

from email_assistant.adapters.ics_calendar import IcsCalendar
from email_assistant.calendars.event import Event
from email_assistant.calendars.ics import uid_of
from email_assistant.errors import ProviderError

OWNER = "Europe/Berlin"
"""The zone of the calendar's owner, in which days and floating times are read."""
YEARS = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2028, 1, 1, tzinfo=UTC))
"""The period that is asked for."""
DAMAGE = (
    b"",
    b":",
    b";",
    b'"',
    b"\0",
    b"\xff",
    b"\r",
    b"TZID",
    b";VALUE=DATE",
    b"99999999",
    b"BYDAY=",
    b"1e9",
)
_BEGIN, _END = (re.compile(rb"^%b:" % kind, re.IGNORECASE | re.MULTILINE) for kind in (b"BEGIN", b"END"))
_FAR = timedelta(days=20)
"""More than the library needs to be asked for beyond a period, for what it gets wrong at its edges."""

pytestmark = pytest.mark.filterwarnings("ignore::icalendar.error.GloballyUniqueTZIDGuessed")

Times = tuple[datetime, datetime, str]
"""When an occurrence starts and ends, and what it is called."""


def on_disk(raw: bytes, folder: Path) -> IcsCalendar:
    """The file as a calendar."""
    path = folder / "calendar.ics"
    path.write_bytes(raw)
    return IcsCalendar(path, OWNER)


def told(events: Iterable[Event]) -> Counter[Times]:
    """When they are, as far as it is known."""
    return Counter((e.start, e.end, word(e.title)) for e in events if not e.unread)


def as_the_library_reads(raw: bytes) -> list[icalendar.Calendar]:
    """The calendars by the library alone, which knows zones by their IANA and Windows names."""
    icalendar.use_zoneinfo()  # not those that our reading has taught it
    return icalendar.Calendar.from_ical(raw, multiple=True)


def expected(calendar: icalendar.Calendar, start: datetime, end: datetime) -> Counter[Times]:
    """When events are by what the library says of a calendar that it can read."""
    found = (
        c
        for part in parts(calendar)
        for c in recurring_ical_events.of(part).between(start - _FAR, end + _FAR)
    )
    spans = ((*span(component), word(str(component.get("SUMMARY", "")))) for component in found)
    return Counter(
        each for each in spans if (each[0] < end and each[1] > start) or start <= each[0] == each[1] < end
    )


def parts(calendar: icalendar.Calendar) -> Iterator[icalendar.Calendar]:
    """The calendar with its series, and one for each single event, in which we differ from the library on purpose.

    Of two with one UID and one SEQUENCE it takes either: we tell both, since time that is taken must not seem free.
    """
    groups: dict[str, list[Any]] = {}
    for component in calendar.walk("VEVENT"):
        groups.setdefault(str(component.get("UID", id(component))), []).append(component)
    series = calendar.copy()
    for group in groups.values():
        if any(name in c for name in ("RRULE", "RDATE", "RECURRENCE-ID") for c in group):
            for component in group:
                series.add_component(component)
            continue
        newest = max(c.get("SEQUENCE", 0) for c in group)
        for component in group:
            if component.get("SEQUENCE", 0) == newest:
                yield alone(component, calendar)
    yield series


def alone(component: Any, calendar: icalendar.Calendar) -> icalendar.Calendar:
    """A calendar with this single event, in UTC where it has a zone.

    On purpose: in a zone the library counts hours by the clock on the wall, in which some come twice; for us the hours of a
    DURATION are hours (RFC 5545 §3.3.6), and instants stay what they are. Of series it is the library's to say.
    """
    single, copy = calendar.copy(), component.copy()
    start, end = (component[name].dt if name in component else None for name in ("DTSTART", "DTEND"))
    kinds = {each.tzinfo is None for each in (start, end) if isinstance(each, datetime)}
    # A floating time beside an instant is the owner's, like all of them; for the library it is in the zone of the other.
    zone = calendar.get("X-WR-TIMEZONE", OWNER if len(kinds) == 2 else None)
    start, end = zoned(start, zone), zoned(end, zone)
    if isinstance(start, datetime) and start.tzinfo:
        if "DURATION" in copy and end is None:
            length = copy.pop("DURATION").dt
            end = (start + timedelta(days=length.days)).astimezone(UTC) + timedelta(seconds=length.seconds)
        copy["DTSTART"] = icalendar.vDDDTypes(start.astimezone(UTC))
        if isinstance(end, datetime) and end.tzinfo:
            copy["DTEND"] = icalendar.vDDDTypes(end.astimezone(UTC))
        elif end is not None:  # midnight in the zone of the start
            copy["DTEND"] = icalendar.vDDDTypes(datetime.combine(end, time.min, start.tzinfo).astimezone(UTC))
        single.pop("X-WR-TIMEZONE", None)
    single.add_component(copy)
    return single


def zoned(value: Any, zone: str | None) -> Any:
    """A floating time in the zone that its calendar names."""
    is_floating = isinstance(value, datetime) and value.tzinfo is None
    return value.replace(tzinfo=ZoneInfo(zone)) if zone and is_floating else value


def span(component: Any) -> tuple[datetime, datetime]:
    """Where an occurrence starts and ends, in UTC."""
    start, end = component["DTSTART"].dt, component["DTEND"].dt
    if start == end and not isinstance(start, datetime):
        # On purpose: the library has it end at once, but some programs name the last day.
        end = start + timedelta(days=1)
    first, last = sorted((in_utc(start), in_utc(end)))
    return first, last


def in_utc(value: date) -> datetime:
    """Days and floating times are the owner's."""
    moment = value if isinstance(value, datetime) else datetime.combine(value, time.min)
    return (moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(OWNER))).astimezone(UTC)


def word(title: str) -> str:
    """The first word of a title, which tells the events of a file apart."""
    return next(iter(title.split()), "")


def fixtures() -> list[Path]:
    """The calendars that the libraries bring for their own tests, and those of a folder of one's own."""
    folders = [Path(str(module.__file__)).parent for module in (icalendar, recurring_ical_events)]
    folders += [Path(folder) for folder in [os.environ.get("ODD_CALENDARS_FOLDER", "")] if folder]
    return sorted(path for folder in folders for path in folder.rglob("*.ics"))


def whole(raw: bytes) -> bytes:
    """The calendar; around what stands alone in a file one is put."""
    raw = raw.removeprefix(b"\xef\xbb\xbf").strip() + b"\r\n"
    return (
        raw
        if b"BEGIN:VCALENDAR" in raw
        else b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + raw + b"END:VCALENDAR\r\n"
    )


async def test_the_libraries_own_calendars_are_read_as_they_read_them(tmp_path: Path) -> None:
    """Of those files, written to be difficult, none raises that is whole, and what can be read is when the library says."""
    counts: Counter[str] = Counter()
    for path in fixtures():
        raw = whole(path.read_bytes())
        calendar = on_disk(raw, tmp_path)
        if len(_BEGIN.findall(raw)) != len(_END.findall(raw)):
            with pytest.raises(ProviderError, match="whole"):
                await calendar.events(*YEARS)
            continue
        unread = {e.id for e in await calendar.events(*YEARS) if e.unread}
        calendars = readable(raw, unread)
        start, end = years_of(calendars)
        found = await calendar.events(start, end)
        assert {e.id for e in found if e.unread} == unread, path
        if calendars is not None:
            assert told(found) == sum((expected(each, start, end) for each in calendars), Counter()), path
            counts.update(compared=1)
        counts.update(
            files=1,
            events=raw.count(b"BEGIN:VEVENT"),
            broken=len(unread),
            occurrences=sum(told(found).values()),
        )
    print(dict(counts))
    assert counts["files"] - counts["compared"] <= 3
    assert counts["broken"] < counts["events"] / 8


def readable(raw: bytes, unread: set[str]) -> list[icalendar.Calendar] | None:
    """The calendars as the library reads them, without the events that nobody can read; None when it refuses the file."""
    try:
        calendars = as_the_library_reads(raw)
    except ValueError:  # a line or a zone that makes no sense, which costs us nothing but what it says
        return None
    for calendar in calendars:
        calendar.subcomponents = [
            c for c in calendar.subcomponents if c.name != "VEVENT" or uid_of(c) not in unread
        ]
    return calendars


def years_of(calendars: list[icalendar.Calendar] | None) -> tuple[datetime, datetime]:
    """Two years from the one in which the first event begins."""
    starts = [in_utc(c["DTSTART"].dt) for each in calendars or () for c in each.walk("VEVENT")]
    first = min(starts, default=YEARS[0]).year
    return datetime(first, 1, 1, tzinfo=UTC), datetime(first + 2, 1, 1, tzinfo=UTC)


async def test_damage_makes_a_file_unreadable_and_nothing_worse(tmp_path: Path) -> None:
    """A file with some bytes lost is read, or the error names it: that it is not whole, or no calendar."""
    refusals = []
    for path in fixtures():
        rng, raw = Random(path.name), bytearray(whole(path.read_bytes()))
        for _ in range(rng.choice([1, 2, 4])):
            at = rng.randrange(len(raw))
            raw[at : at + rng.choice([0, 1, 3, 8])] = rng.choice(DAMAGE)
        try:
            await on_disk(bytes(raw), tmp_path).events(*YEARS)
        except ProviderError as error:
            refusals.append(str(error))
    told = re.compile(r"calendar\.ics: not (a whole|an) iCalendar file")
    assert [each for each in refusals if not told.search(each)] == []
    assert 0 < len(refusals) < len(fixtures()) / 2
