"""The calendar contract on an iCalendar file, and what is particular to such files."""

import asyncio
import multiprocessing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import icalendar
import pytest

from email_assistant.adapters.ics_calendar import IcsCalendar
from email_assistant.calendars.event import Partstat
from email_assistant.errors import AccessError, ProviderError
from email_assistant.mail.address import Address
from tests.contract.calendar_contract import MEETING, CalendarContract

ME = "robin@example.com"
BERLIN = ZoneInfo("Europe/Berlin")
NOVEMBER = (datetime(2026, 11, 1, tzinfo=BERLIN), datetime(2026, 12, 1, tzinfo=BERLIN))
CUSTOM_ZONE = (
    "BEGIN:VTIMEZONE\r\nTZID:Head office\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\n"
    "TZOFFSETFROM:+{0:02}00\r\nTZOFFSETTO:+{0:02}00\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
)


def calendar_of(*lines: str, before: str = "") -> bytes:
    """A calendar file with one event made of these lines."""
    body = "".join(line + "\r\n" for line in ("BEGIN:VEVENT", "UID:one@example.com", *lines, "END:VEVENT"))
    return (
        f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//other//EN\r\n{before}{body}END:VCALENDAR\r\n".encode()
    )


def on_disk(folder: Path, raw: bytes) -> IcsCalendar:
    """A calendar whose file holds these bytes; its owner lives in Berlin."""
    path = folder / "calendar.ics"
    path.write_bytes(raw)
    return IcsCalendar(path, "Europe/Berlin")


@pytest.fixture
def calendar(tmp_path: Path) -> IcsCalendar:
    """A calendar whose file does not exist yet."""
    return IcsCalendar(tmp_path / "new" / "calendar.ics", "Europe/Berlin", own=frozenset({ME}))


@pytest.fixture
def me() -> str:
    """The owner's address."""
    return ME


class TestIcsCalendar(CalendarContract):
    """The contract."""


class TestTheFile:
    """Where the file is, and what becomes of what is in it."""

    async def test_creating_leaves_every_other_byte_alone(self, tmp_path: Path) -> None:
        """Foreign properties, components, odd order, comments and line ends of the file survive a `create`."""
        before = calendar_of(
            "DTSTART:20261120T090000Z", "X-FOREIGN;X-P=1:kept", "SUMMARY:Stand-", " up", "x-lower:yes",
            before="X-WR-CALNAME:Mine\r\nBEGIN:VTODO\r\nUID:todo\r\nEND:VTODO\r\n",
        )  # fmt: skip
        calendar = on_disk(tmp_path, before)
        await calendar.create(MEETING)
        after = (tmp_path / "calendar.ics").read_bytes()
        head = before.removesuffix(b"END:VCALENDAR\r\n")
        assert after.startswith(head)
        assert after.endswith(b"END:VCALENDAR\r\n")

    async def test_changes_by_other_programs_are_seen(self, tmp_path: Path) -> None:
        """A file that is replaced, even by one of equal size at once, is read anew."""
        calendar = on_disk(tmp_path, calendar_of("DTSTART:20261120T090000Z", "SUMMARY:One"))
        (first,) = await calendar.events(*NOVEMBER)
        on_disk(tmp_path, calendar_of("DTSTART:20261120T090000Z", "SUMMARY:Two"))
        (second,) = await calendar.events(*NOVEMBER)
        assert (first.title, second.title) == ("One", "Two")

    async def test_a_lost_file_is_an_error_and_not_an_empty_calendar(self, tmp_path: Path) -> None:
        """When the file vanishes while in use, the answer is an error, since free time would be made up."""
        calendar = on_disk(tmp_path, calendar_of("DTSTART:20261120T090000Z"))
        await calendar.events(*NOVEMBER)
        (tmp_path / "calendar.ics").unlink()
        with pytest.raises(AccessError, match="disappeared"):
            await calendar.events(*NOVEMBER)


BROKEN = {
    "empty": b"",
    "a web page": b"<html>\nBEGIN:x\nEND:x\n</html>",
    "cut off": calendar_of("DTSTART:20261120T090000Z")[:-20],
    "binary": bytes(range(256)) * 10,
}
UNREAD = {
    "no start": calendar_of("SUMMARY:x"),
    "two starts": calendar_of("DTSTART:20261120T090000Z", "DTSTART:20261121T090000Z"),
    "unreadable rule": calendar_of("DTSTART:20261120T090000Z", "RRULE:FREQ=NEVER"),
    "unknown zone": calendar_of("DTSTART;TZID=Mars/Phobos:20261120T090000"),
    "every second": calendar_of("DTSTART:19700101T000000Z", "RRULE:FREQ=SECONDLY"),
    "rule of nonsense": calendar_of("DTSTART:20261120T090000Z", "RRULE:FREQ=DAILY;INTERVAL=0"),
}


class TestBrokenFiles:
    """A file that cannot be read for certain is an error that names it."""

    @pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN)
    async def test_it_is_an_error_and_stays_as_it_is(self, tmp_path: Path, raw: bytes) -> None:
        """Neither reading nor creating takes a broken file for an empty calendar, and the file is left alone."""
        calendar = on_disk(tmp_path, raw)
        path = tmp_path / "calendar.ics"
        with pytest.raises(ProviderError, match=r"calendar\.ics"):
            await calendar.events(*NOVEMBER)
        with pytest.raises(ProviderError, match=r"calendar\.ics"):
            await calendar.create(MEETING)
        assert path.read_bytes() == raw

    @pytest.mark.parametrize("raw", UNREAD.values(), ids=UNREAD)
    async def test_one_bad_event_stops_nothing(self, tmp_path: Path, raw: bytes) -> None:
        """It is named whatever the period, takes no time, and all else is read and created as ever."""
        good = b"BEGIN:VEVENT\r\nUID:two@example.com\r\nDTSTART:20261120T140000Z\r\nEND:VEVENT\r\n"
        calendar = on_disk(tmp_path, raw.replace(b"END:VCALENDAR", good + b"END:VCALENDAR"))
        bad, found = await calendar.events(*NOVEMBER)
        assert (bad.id, bool(bad.unread), bad.busy, found.id) == (
            "one@example.com",
            True,
            False,
            "two@example.com",
        )
        assert (bad.start, bad.end) == (NOVEMBER[0], NOVEMBER[0])
        assert [each.id for each in await calendar.events(at(2030, 1, 1), at(2030, 1, 2))] == [bad.id]
        with pytest.raises(ProviderError, match=r"calendar\.ics"):
            await calendar.get(bad.id)
        created = await calendar.create(MEETING)
        assert {e.id for e in await calendar.events(*NOVEMBER)} == {bad.id, found.id, created.id}


def at(*when: int) -> datetime:
    """An instant in UTC."""
    return datetime(*when, tzinfo=UTC)  # type: ignore[misc,arg-type]


class TestTimes:
    """How times of events are read."""

    @pytest.mark.parametrize(
        ("line", "start"),
        [
            ("DTSTART:20261120T090000", at(2026, 11, 20, 8)),
            ("DTSTART;TZID=Eastern Standard Time:20261120T090000", at(2026, 11, 20, 14)),
            ("DTSTART;TZID=Head office:20261120T090000", at(2026, 11, 20, 6)),
        ],
    )
    async def test_zones(self, tmp_path: Path, line: str, start: datetime) -> None:
        """Floating times, and those of a zone of Windows or of the file's own, are the right instants."""
        (event,) = await on_disk(tmp_path, calendar_of(line, before=CUSTOM_ZONE.format(3))).events(*NOVEMBER)
        assert event.start == start

    @pytest.mark.parametrize(
        ("lines", "end"),
        [
            (("DTSTART;VALUE=DATE:20261120",), at(2026, 11, 20, 23)),
            (("DTSTART;VALUE=DATE:20261120", "DTEND;VALUE=DATE:20261122"), at(2026, 11, 21, 23)),
            (("DTSTART:20261120T090000Z",), at(2026, 11, 20, 9)),
            (("DTSTART:20261120T090000Z", "DURATION:PT45M"), at(2026, 11, 20, 9, 45)),
        ],
    )
    async def test_ends(self, tmp_path: Path, lines: tuple[str, ...], end: datetime) -> None:
        """An event ends at DTEND, after DURATION, after its day, or at once; days are those of the owner's zone."""
        (event,) = await on_disk(tmp_path, calendar_of(*lines)).events(*NOVEMBER)
        assert event.end == end
        assert event.all_day == ("VALUE=DATE" in lines[0])

    @pytest.mark.parametrize(
        ("line", "busy"),
        [("TRANSP:TRANSPARENT", False), ("STATUS:TENTATIVE", True)],
    )
    async def test_what_leaves_the_time_free(self, tmp_path: Path, line: str, busy: bool) -> None:
        """A transparent event is listed as not busy."""
        (event,) = await on_disk(tmp_path, calendar_of("DTSTART:20261120T090000Z", line)).events(*NOVEMBER)
        assert event.busy is busy


class TestSeries:
    """Recurring events."""

    async def test_exceptions_changes_and_cancellations(self, tmp_path: Path) -> None:
        """EXDATE removes an occurrence, RECURRENCE-ID moves or cancels one; ids tell occurrences apart."""
        override = (
            "BEGIN:VEVENT\r\nUID:one@example.com\r\nRECURRENCE-ID;TZID=Europe/Berlin:{0}T090000\r\n"
            "DTSTART;TZID=Europe/Berlin:{0}T{1}\r\nDURATION:PT30M\r\n{2}END:VEVENT\r\n"
        )
        raw = calendar_of(
            "DTSTART;TZID=Europe/Berlin:20261102T090000", "DTEND;TZID=Europe/Berlin:20261102T093000",
            "RRULE:FREQ=WEEKLY;COUNT=4", "EXDATE;TZID=Europe/Berlin:20261109T090000",
            before=override.format("20261116", "140000", "") + override.format("20261123", "090000", "STATUS:CANCELLED\r\n"),
        )  # fmt: skip
        events = await on_disk(tmp_path, raw).events(*NOVEMBER)
        assert [(e.start, e.busy) for e in events] == [
            (at(2026, 11, 2, 8), True), (at(2026, 11, 16, 13), True), (at(2026, 11, 23, 8), False),
        ]  # fmt: skip
        assert [e.id.rpartition("_")[2] for e in events] == [
            "20261102T080000Z",
            "20261116T080000Z",
            "20261123T080000Z",
        ]

    async def test_a_series_keeps_its_clock_time_over_a_clock_change(self, tmp_path: Path) -> None:
        """Nine o'clock every day is nine o'clock before and after the clocks go back."""
        raw = calendar_of(
            "DTSTART;TZID=Europe/Berlin:20261023T090000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=4"
        )
        events = await on_disk(tmp_path, raw).events(at(2026, 10, 20), at(2026, 10, 30))
        assert [e.start.hour for e in events] == [7, 7, 8, 8]
        assert {e.end - e.start for e in events} == {timedelta(hours=1)}


class TestCreating:
    """What is written."""

    async def test_guests_are_asked_to_answer_and_no_organiser_is_named(self, tmp_path: Path) -> None:
        """Every guest gets an ATTENDEE line with ROLE, PARTSTAT and RSVP; there is no ORGANIZER."""
        calendar = IcsCalendar(tmp_path, "Europe/Berlin")
        await calendar.create(replace(MEETING, attendees=(Address("ana@example.com", 'Ana "A" Petrova; x'),)))
        (event,) = icalendar.Calendar.from_ical((tmp_path / "calendar.ics").read_bytes()).events
        guest = event["ATTENDEE"]
        assert str(guest) == "mailto:ana@example.com"
        assert (guest.params["ROLE"], guest.params["PARTSTAT"], guest.params["RSVP"]) == (
            "REQ-PARTICIPANT",
            "NEEDS-ACTION",
            "TRUE",
        )
        assert "ORGANIZER" not in event

    async def test_text_cannot_become_lines_of_the_file(self, tmp_path: Path) -> None:
        """Line breaks in title, place or a guest's name do not add properties or events."""
        attack = "x\r\nEND:VEVENT\r\nBEGIN:VEVENT\nATTENDEE:mailto:eve@evil.example\r\nX: \0\u2028y"
        calendar = IcsCalendar(tmp_path, "Europe/Berlin")
        await calendar.create(
            replace(
                MEETING,
                title=attack,
                location=attack,
                description=attack,
                attendees=(Address("a@example.com", attack),),
            )
        )
        events = icalendar.Calendar.from_ical((tmp_path / "calendar.ics").read_bytes()).events
        assert len(events) == 1
        assert str(events[0]["ATTENDEE"]) == "mailto:a@example.com"

    async def test_the_hour_that_comes_twice_is_told_apart(self, calendar: IcsCalendar) -> None:
        """Both half past twos of the night the clocks go back are kept as the instants they are."""
        for fold in (0, 1):
            start = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=fold).astimezone(UTC)
            created = await calendar.create(
                replace(MEETING, id=f"fold{fold}", start=start, end=start + timedelta(minutes=15))
            )
            assert created.start == start

    async def test_the_written_zone_is_right_for_those_who_do_not_know_the_name(self, tmp_path: Path) -> None:
        """The VTIMEZONE in the file gives the same offsets as the IANA zone when used by its rules alone."""
        await IcsCalendar(tmp_path, "UTC").create(replace(MEETING, timezone="America/New_York"))
        raw = (tmp_path / "calendar.ics").read_bytes()
        zone = icalendar.Calendar.from_ical(raw).timezones[0].to_tz(lookup_tzid=False)
        real = ZoneInfo("America/New_York")
        for hours in range(0, 24 * 365, 7):
            wall = datetime(2026, 1, 1) + timedelta(hours=hours)
            assert wall.replace(tzinfo=zone).utcoffset() == wall.replace(tzinfo=real).utcoffset(), wall


class TestChanging:
    """What becomes of an event's lines."""

    KEPT = (
        "X-MOZ-GENERATION:4", "CATEGORIES:Work,Money", "BEGIN:VALARM", "TRIGGER:-PT15M", "ACTION:DISPLAY",
        "DESCRIPTION:Reminder", "END:VALARM",
    )  # fmt: skip

    def invited(self, *more: str) -> bytes:
        """A calendar with Ana's meeting and what other programs keep beside it."""
        return calendar_of(
            "DTSTAMP:20261101T080000Z", "DTSTART;TZID=Europe/Berlin:20261120T100000",
            "DTEND;TZID=Europe/Berlin:20261120T110000", "SEQUENCE:1", "SUMMARY;LANGUAGE=en:Budget",
            'ORGANIZER;SENT-BY="mailto:pa@example.com":mailto:ana@example.com',
            "ATTENDEE;X-NUM-GUESTS=0;CUTYPE=INDIVIDUAL;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=R", " obin:mailto:Robin@example.com",
            "ATTENDEE;PARTSTAT=ACCEPTED:mailto:bo@example.org", *more, *self.KEPT,
        )  # fmt: skip

    def calendar(self, folder: Path, raw: bytes) -> IcsCalendar:
        """The same, with Robin as its owner."""
        on_disk(folder, raw)
        return IcsCalendar(folder / "calendar.ics", "Europe/Berlin", own=frozenset({ME}))

    async def test_an_answer_changes_its_parameter_alone(self, tmp_path: Path) -> None:
        """Every other line of the file is what it was, and where it was."""
        before = self.invited()
        calendar = self.calendar(tmp_path, before)
        await calendar.answer("one@example.com", Partstat.ACCEPTED)
        after = (tmp_path / "calendar.ics").read_bytes().decode()
        mine = "PARTSTAT=ACCEPTED;RSVP=TRUE;CN=Robin:mailto:Robin@example.com"
        assert mine in after.replace("\r\n ", "")
        old, new = (
            [line for line in text.replace("\r\n ", "").splitlines() if "Robin" not in line]
            for text in (before.decode(), after)
        )
        assert old == new
        raw = (tmp_path / "calendar.ics").read_bytes()
        await calendar.answer("one@example.com", Partstat.ACCEPTED)
        assert (tmp_path / "calendar.ics").read_bytes() == raw

    async def test_what_no_event_says_is_kept_when_it_moves(self, tmp_path: Path) -> None:
        """Alarms, categories and other programs' own properties stay; a guest who is gone is gone."""
        calendar = self.calendar(tmp_path, self.invited("X-ALT-DESC;FMTTYPE=text/html:<b>old</b>"))
        found = await calendar.find("one@example.com")
        assert found is not None
        start = found.start + timedelta(hours=2)
        moved = replace(
            found, start=start, end=start + timedelta(hours=1), sequence=2, attendees=found.attendees[:1],
            description="New",
        )  # fmt: skip
        told = await calendar.put(moved)
        after = (tmp_path / "calendar.ics").read_text()
        assert all(line in after.splitlines() for line in self.KEPT)
        assert "old</b>" not in after
        assert "bo@example.org" not in after
        assert (told.start, told.sequence, [a.email for a in told.attendees]) == (
            start,
            2,
            ["Robin@example.com"],
        )
        assert "SUMMARY;LANGUAGE=en:Budget" in after

    async def test_an_event_that_cannot_be_read_is_not_written_over(self, tmp_path: Path) -> None:
        """Its times are not understood: that is said, and the file stays."""
        raw = calendar_of("DTSTART;TZID=Nowhere:20261120T100000", "SEQUENCE:1")
        calendar = self.calendar(tmp_path, raw)
        for change in (
            calendar.put(replace(MEETING, uid="one@example.com", sequence=5)),
            calendar.answer("one@example.com", Partstat.ACCEPTED),
            calendar.cancel("one@example.com"),
        ):
            with pytest.raises(ProviderError, match="time zone"):
                await change
        assert (tmp_path / "calendar.ics").read_bytes() == raw

    async def test_line_ends_stay_those_of_the_file(self, tmp_path: Path) -> None:
        """Also where lines are written anew."""
        calendar = self.calendar(tmp_path, self.invited().replace(b"\r\n", b"\n"))
        await calendar.answer("one@example.com", Partstat.TENTATIVE)
        await calendar.cancel("one@example.com")
        raw = (tmp_path / "calendar.ics").read_bytes()
        assert b"\r" not in raw
        assert b"PARTSTAT=TENTATIVE" in raw


def _create_in_process(path: str, numbers: list[int]) -> None:
    """Create one event for each number; run in a process of its own."""
    calendar = IcsCalendar(Path(path), "UTC")
    for number in numbers:
        asyncio.run(calendar.create(replace(MEETING, id=f"{number:032x}")))


async def test_processes_that_create_at_once_lose_nothing(tmp_path: Path) -> None:
    """Three processes that create different and equal ids in one file leave each id once."""
    context = multiprocessing.get_context("spawn")
    work = [[1, 2, 3, 4], [3, 4, 5, 6], [5, 6, 7, 8]]
    processes = [
        context.Process(target=_create_in_process, args=(str(tmp_path), numbers)) for numbers in work
    ]
    for process in processes:
        process.start()
    for process in processes:
        await asyncio.to_thread(process.join, 60)
        assert process.exitcode == 0
    raw = (tmp_path / "calendar.ics").read_text()
    assert sorted(int(line[4:], 16) for line in raw.splitlines() if line.startswith("UID:")) == list(
        range(1, 9)
    )
