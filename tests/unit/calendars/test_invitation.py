"""Calendar parts of mails to invitations."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from email_assistant.calendars.invitation import Invitation, invitations_of
from email_assistant.calendars.proposal import EventProposal
from email_assistant.mail.address import Address
from email_assistant.mail.message import Message
from email_assistant.mail.mime import parse_message

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
BERLIN = "Europe/Berlin"
TIMES = ("DTSTART:20261201T130000Z", "DTEND:20261201T140000Z")
CUSTOM_ZONE = (
    "BEGIN:VTIMEZONE", "TZID:Head office", "BEGIN:STANDARD", "DTSTART:16010101T000000", "TZOFFSETFROM:+0500",
    "TZOFFSETTO:+0300", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10", "END:STANDARD", "BEGIN:DAYLIGHT",
    "DTSTART:16010101T000000", "TZOFFSETFROM:+0300", "TZOFFSETTO:+0500", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
    "END:DAYLIGHT", "END:VTIMEZONE",
)  # fmt: skip


def calendar(*lines: str, method: str = "REQUEST", before: tuple[str, ...] = (), uid: str = "u1") -> str:
    """A calendar part with one event made of these lines."""
    head = ("BEGIN:VCALENDAR", "VERSION:2.0", f"METHOD:{method}", *before, "BEGIN:VEVENT", f"UID:{uid}")
    return "\n".join((*head, *lines, "END:VEVENT", "END:VCALENDAR", ""))


def message(*calendars: str) -> Message:
    """A message that carries these calendar parts."""
    return Message(
        "m1", "t1", Address("ana@example.com", "Ana"), "Re: Ring fitting", "See below.", calendars=calendars
    )


def read(*calendars: str) -> Invitation:
    """The invitation in the parts, as somebody in Berlin reads it."""
    found = invitations_of(message(*calendars), zone=BERLIN, now=NOW)
    assert found is not None
    return found


def event_of(*lines: str, before: tuple[str, ...] = ()) -> EventProposal:
    """The event of a request with these lines."""
    event = read(calendar(*lines, before=before)).event
    assert event is not None
    return event


def times(event: EventProposal) -> tuple[str, str, str]:
    """Start, end and zone as texts."""
    return event.start.isoformat(), event.end.isoformat(), event.timezone


def test_a_mail_without_calendar_is_no_invitation() -> None:
    """There is nothing to read, so there is nothing to tell."""
    assert invitations_of(message(), zone=BERLIN, now=NOW) is None


def test_the_sample_is_read_whole() -> None:
    """An invitation sent as mail gives every field, and nothing to note."""
    path = Path(__file__).parents[3] / "samples/mailbox/20-invitation-ics.eml"
    found = invitations_of(parse_message(path.read_bytes(), id="20"), zone=BERLIN, now=NOW)
    assert found is not None
    assert (found.method, found.uid, found.sequence) == ("request", "permit-77@cityhall.example", 0)
    assert found.organizer == Address("petra.kunze@cityhall.example", "Petra Kunze")
    assert (found.times, found.is_over, found.notes) == ((), False, ())
    assert found.event is not None
    assert times(found.event) == ("2026-12-01T14:00:00+01:00", "2026-12-01T15:00:00+01:00", BERLIN)
    assert found.event.title == "Permit hearing: shop window"
    assert found.event.location == "City Hall, room 214"
    assert found.event.attendees == (Address("robin@vale.example", "Robin Vale"),)


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (":20261201T140000", ("2026-12-01T14:00:00+01:00", BERLIN)),
        (";TZID=Eastern Standard Time:20261201T080000", ("2026-12-01T08:00:00-05:00", "America/New_York")),
        (";TZID=Head office:20261201T160000", ("2026-12-01T14:00:00+01:00", BERLIN)),
    ],
    ids=["floating", "windows", "own"],
)
def test_every_kind_of_zone_gives_the_instant(start: str, expected: tuple[str, str]) -> None:
    """Floating times are shown in the owner's zone, others by their own clock."""
    event = event_of(f"DTSTART{start}", "DURATION:PT1H", before=CUSTOM_ZONE)
    assert (event.start.isoformat(), event.timezone) == expected


def test_days_and_durations() -> None:
    """Whole days run from midnight to midnight of the owner; a duration counts days by the calendar."""
    day = event_of("DTSTART;VALUE=DATE:20261224")
    assert day.all_day
    assert times(day) == ("2026-12-24T00:00:00+01:00", "2026-12-25T00:00:00+01:00", BERLIN)
    days = event_of("DTSTART;VALUE=DATE:20261224", "DTEND;VALUE=DATE:20261227")
    assert days.end.isoformat() == "2026-12-27T00:00:00+01:00"
    long = event_of("DTSTART;TZID=Europe/Berlin:20270327T100000", "DURATION:P1DT2H")
    assert long.end.isoformat() == "2027-03-28T12:00:00+02:00"


def test_a_time_in_an_unknown_zone_is_no_time() -> None:
    """An event whose zone nobody knows is told, and no time is made up for it."""
    found = read(calendar("DTSTART;TZID=Nowhere:20261201T140000"))
    assert (found.event, found.uid) == (None, "u1")
    assert found.notes == (
        "The calendar part could not be read: the event names an unknown time zone in DTSTART: 'Nowhere'.",
    )


def test_without_an_end_half_an_hour_is_taken_and_said() -> None:
    """A start alone says nothing about the length; what is assumed is told."""
    event = event_of("DTSTART:20261201T130000Z")
    assert event.end.isoformat() == "2026-12-01T14:30:00+01:00"
    assert event.notes == ("It names no end; 30 minutes are taken.",)


def test_a_file_without_method_is_published_and_a_cancelled_request_cancels() -> None:
    """Ticket files have no METHOD; some programs cancel with a REQUEST whose STATUS says so."""
    ticket = read(calendar(*TIMES).replace("METHOD:REQUEST\n", ""))
    assert ticket.method == "publish"
    cancelled = read(calendar(*TIMES, "STATUS:CANCELLED"))
    assert cancelled.method == "cancel"


class TestSeries:
    """Events that repeat."""

    START = ("DTSTART;TZID=Europe/Berlin:20251007T100000", "DTEND;TZID=Europe/Berlin:20251007T110000")

    def test_the_next_occurrence_is_named(self) -> None:
        """By the clock on the wall, over a change of it, and without the dates that are excepted."""
        rule = ("RRULE:FREQ=WEEKLY;BYDAY=TU", "EXDATE;TZID=Europe/Berlin:20261124T100000")
        found = read(calendar(*self.START, *rule))
        assert len(found.times) > 1
        assert found.notes == ("It repeats; the next time is Tuesday 2026-12-01 10:00 (Europe/Berlin).",)
        assert found.event is not None
        assert times(found.event) == ("2026-12-01T10:00:00+01:00", "2026-12-01T11:00:00+01:00", BERLIN)

    def test_a_moved_occurrence_counts_as_moved(self) -> None:
        """A changed occurrence replaces the one of the rule; a cancelled one is passed over."""
        lines = [*self.START, "RRULE:FREQ=WEEKLY;COUNT=80"]
        moved = ("END:VEVENT", "BEGIN:VEVENT", "UID:u1", "RECURRENCE-ID;TZID=Europe/Berlin:20261124T100000")
        to_wednesday = ("DTSTART;TZID=Europe/Berlin:20261125T150000", "DURATION:PT1H", "SUMMARY:Later")
        event = event_of(*lines, *moved, *to_wednesday)
        assert (event.title, event.start.isoformat()) == ("Later", "2026-11-25T15:00:00+01:00")
        dropped = ("DTSTART;TZID=Europe/Berlin:20261124T100000", "STATUS:CANCELLED")
        assert event_of(*lines, *moved, *dropped).start.isoformat() == "2026-12-01T10:00:00+01:00"

    def test_revisions_are_told_apart_by_occurrence(self) -> None:
        """The later revision of the same occurrence counts, and a changed occurrence does not replace its series."""
        changed = ("END:VEVENT", "BEGIN:VEVENT", "UID:u1", "RECURRENCE-ID;TZID=Europe/Berlin:20261215T100000")
        override = ("SEQUENCE:7", "DTSTART;TZID=Europe/Berlin:20261215T160000", "DURATION:PT1H")
        found = read(calendar(*self.START, "RRULE:FREQ=WEEKLY;BYDAY=TU", *changed, *override))
        assert len(found.times) > 1
        assert found.event is not None
        assert found.event.start.isoformat() == "2026-11-24T10:00:00+01:00"
        again = (
            "END:VEVENT",
            "BEGIN:VEVENT",
            "UID:u1",
            "SEQUENCE:2",
            "DTSTART:20261203T090000Z",
            "DURATION:PT1H",
        )
        later = read(calendar(*TIMES, "SEQUENCE:1", *again))
        assert later.event is not None
        assert (later.sequence, later.event.start.isoformat()) == (2, "2026-12-03T10:00:00+01:00")

    def test_a_series_that_is_over_says_so(self) -> None:
        """Without an occurrence to come the first is shown."""
        found = read(calendar(*self.START, "RRULE:FREQ=DAILY;COUNT=3"))
        assert (found.is_over, found.times) == (True, ())
        assert "no occurrence is to come" in found.notes[0]


def test_texts_become_plain() -> None:
    """HTML, scripts, control and invisible characters are gone; escapes are undone; folded lines are joined."""
    event = event_of(
        *TIMES, "SUMMARY:Ring\\, fit", " ting\u200b\x07\\nnow", "LOCATION:Room\\; 2",
        'DESCRIPTION:<html><b>Hi</b><script>alert(1)</script> <p style="display:none">obey</p>there</html>',
    )  # fmt: skip
    assert (event.title, event.location) == ("Ring, fitting now", "Room; 2")
    assert event.description.split() == ["Hi", "there"]


@pytest.mark.parametrize(
    ("line", "link"),
    [
        ("CONFERENCE;VALUE=URI;FEATURE=VIDEO:https://call.example/1", "https://call.example/1"),
        ("DESCRIPTION:Join at https://meet.example.com/abc?x=1.", "https://meet.example.com/abc?x=1"),
        ("DESCRIPTION:Map: https://maps.example.com/abc", ""),
        ("CONFERENCE;VALUE=URI:javascript:alert(1)", ""),
        ("DESCRIPTION:https://meet.example.com@evil.example/", ""),
    ],
)
def test_video_links_are_https_or_nothing(line: str, link: str) -> None:
    """Made-for-it properties come first, then addresses whose host is one for calls."""
    assert event_of(*TIMES, line).video_link == link


def test_people_are_people() -> None:
    """Rooms are no guests, a guest counts once, and what is no address is left out."""
    found = read(
        calendar(
            *TIMES, 'ORGANIZER;CN="Lee, Bo":MAILTO:bo@Example.ORG', "ATTENDEE;CUTYPE=ROOM:mailto:room@example.org",
            "ATTENDEE;CN=Ana:mailto:ana@example.com", "ATTENDEE:mailto:ANA@example.com", "ATTENDEE:urn:uuid:1",
            "ATTENDEE:mailto:not an address",
        )
    )  # fmt: skip
    assert found.organizer == Address("bo@example.org", "Lee, Bo")
    assert found.event is not None
    assert found.event.attendees == (Address("ana@example.com", "Ana"),)


def test_several_events_and_parts() -> None:
    """The next event is shown and the others are mentioned; the same calendar sent twice is one."""
    two = calendar(
        *TIMES, "END:VEVENT", "BEGIN:VEVENT", "UID:u2", "DTSTART:20261125T130000Z", "DURATION:PT1H"
    )
    found = read(two)
    assert (found.uid, found.notes) == (
        "u2",
        ("The calendar part holds 2 events; only one of them is shown.",),
    )
    first = calendar(*TIMES)
    assert read(first, first + "\n").notes == ()
    other = read("broken", first, calendar(*TIMES, uid="u9"))
    assert other.uid == "u1"
    assert other.notes == ("The mail brings another calendar part about something else, which is not shown.",)
