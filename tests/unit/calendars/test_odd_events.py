"""What is odd about a calendar file costs no more than it must: each of these once stopped a file, hid an event or moved one."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from email_assistant.calendars.event import Event
from tests.contract.test_ics_calendar import NOVEMBER, at, calendar_of, on_disk

TEN = at(2026, 11, 20, 10)
ZONE = (
    "BEGIN:VTIMEZONE\r\nTZID:Mine\r\nBEGIN:STANDARD\r\nDTSTART:{}\r\nTZOFFSETFROM:{}\r\nTZOFFSETTO:+0300\r\n{}"
    "END:STANDARD\r\nEND:VTIMEZONE\r\n"
)


async def told(folder: Path, *lines: str, before: str = "") -> list[Event]:
    """What a calendar with this event holds in November."""
    return await on_disk(folder, calendar_of(*lines, before=before)).events(*NOVEMBER)


@pytest.mark.parametrize(
    "lines",
    [
        ["DTSTART;TZID=America:20261120T100000"],
        ["DTSTART:20261120T100000Z", "RECURRENCE-ID:100000"],
        ["DTSTART:20261120T100000Z", "RRULE:garbage"],
        ["DTSTART:19000101T100000Z", "RRULE:FREQ=HOURLY"],
        ["DTSTART:20200101T100000Z", f"RRULE:FREQ=DAILY;BYMINUTE={','.join(map(str, range(60)))};BYSECOND=0,30"],
    ],
)  # fmt: skip
async def test_an_event_that_cannot_be_read_is_named(tmp_path: Path, lines: list[str]) -> None:
    """Names of zones that are folders or too long, values of another kind, and rules that nobody can follow raise nothing."""
    (event,) = await told(tmp_path, *lines, "SUMMARY:Odd")
    assert (event.title, event.unread.startswith("event 'one@example.com' ")) == ("Odd", True)


@pytest.mark.parametrize(
    "rest",
    [
        ZONE.format("once", "+0200", ""),
        "a line of nonsense\r\n",
        "X-WR-TIMEZONE:W. Europe Standard Time\r\n",
        "X-WR-TIMEZONE:America\r\n",
    ],
)
async def test_nonsense_beside_an_event_is_nothing_to_it(tmp_path: Path, rest: str) -> None:
    """A task, a zone or a line that makes no sense, and what else a calendar says of itself, leave series and events as they are."""
    found = await told(tmp_path, "DTSTART:20261120T100000Z", "RRULE:FREQ=DAILY;COUNT=2", before=rest)
    assert [(e.start, e.unread) for e in found] == [(TEN, ""), (TEN + timedelta(days=1), "")]


@pytest.mark.parametrize(
    "line", ["DTSTAMP:just now", "SEQUENCE:many", "SEQUENCE:1\r\nSEQUENCE:2", "UID:two@example.com"]
)
async def test_nonsense_that_tells_no_time_is_nothing_to_its_event(tmp_path: Path, line: str) -> None:
    """A stamp or a count of revisions that cannot be read, and a second UID, leave the event's times as they are."""
    alarm = ["BEGIN:VALARM", "TRIGGER:early", "nonsense", "END:VALARM"]
    found = await told(tmp_path, "DTSTART:20261120T100000Z", "RRULE:FREQ=DAILY;COUNT=2", line, *alarm)
    assert [(e.start, e.uid) for e in found] == [
        (TEN, "one@example.com"),
        (TEN + timedelta(days=1), "one@example.com"),
    ]


@pytest.mark.parametrize("rule", [[], ["RRULE:FREQ=WEEKLY;COUNT=1"]])
async def test_floating_times_are_those_of_the_zone_that_the_calendar_names(
    tmp_path: Path, rule: list[str]
) -> None:
    """A single event and a series at one hour are at one hour."""
    (event,) = await told(
        tmp_path, "DTSTART:20261120T100000", *rule, before="X-WR-TIMEZONE:America/New_York\r\n"
    )
    assert event.start == at(2026, 11, 20, 15)


async def test_a_byte_order_mark_and_blanks_behind_names_hide_nothing(tmp_path: Path) -> None:
    """A file as Windows saves it is read, and an event whose BEGIN ends in a blank is one."""
    raw = b"\xef\xbb\xbf" + calendar_of("DTSTART:20261120T100000Z").replace(b"BEGIN:VEVENT", b"BEGIN:VEVENT ")
    (event,) = await on_disk(tmp_path, raw).events(*NOVEMBER)
    assert event.start == TEN


async def test_a_series_without_uid_is_one(tmp_path: Path) -> None:
    """Its occurrences have one UID, by which they are found again."""
    raw = calendar_of("DTSTART:20261120T100000Z", "RRULE:FREQ=DAILY;COUNT=2").replace(
        b"UID:one@example.com\r\n", b""
    )
    calendar = on_disk(tmp_path, raw)
    first, second = await calendar.events(*NOVEMBER)
    assert (first.uid, first.id == second.id) == (second.uid, False)
    found = await calendar.find(second.uid, second.start)
    assert found is not None
    assert found.start == second.start


@pytest.mark.parametrize("rule", [[], ["RRULE:FREQ=YEARLY;COUNT=1"]])
@pytest.mark.parametrize(
    ("start", "end", "times"),
    [
        ("DTSTART;VALUE=DATE:20261120", "DTEND:20261121T120000", (at(2026, 11, 19, 23), at(2026, 11, 21, 11))),
        ("DTSTART;VALUE=DATE:20261120", "DURATION:PT5H", (at(2026, 11, 19, 23), at(2026, 11, 20, 4))),
        ("DTSTART;TZID=Asia/Tokyo:20261120T090000", "DTEND;VALUE=DATE:20261121", (at(2026, 11, 20), at(2026, 11, 20, 15))),
    ],
)  # fmt: skip
async def test_of_a_day_and_a_time_no_hour_is_lost(
    tmp_path: Path, rule: list[str], start: str, end: str, times: tuple[datetime, datetime]
) -> None:
    """The day counts from its midnight, for a single event as for a series."""
    (event,) = await told(tmp_path, start, end, *rule)
    assert (event.start, event.end) == times
