"""What an incoming calendar message comes to, a row for each message and state of the calendar."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from email_assistant.calendars.event import Event, Partstat
from email_assistant.calendars.incoming import Assessment, SchedulingCase, assess, claimed_of
from email_assistant.calendars.invitation import Invitation, invitations_of
from email_assistant.mail.address import Address
from email_assistant.mail.message import Message

ME, ANA, BO, PA, EVE = (Address(f"{name}@example.com") for name in ("robin", "ana", "bo", "assistant", "eve"))
BERLIN = ZoneInfo("Europe/Berlin")
TEN = datetime(2026, 11, 26, 10, tzinfo=BERLIN)
STAMP = datetime(2026, 11, 20, 8, tzinfo=UTC)
HOUR = timedelta(hours=1)


def text(
    method: str = "REQUEST",
    *more: str,
    sequence: int = 2,
    stamp: str = "20261120T080000Z",
    start: str = "20261126T090000Z",
    guests: tuple[str, ...] = (
        "ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:robin@example.com",
        "ATTENDEE;PARTSTAT=ACCEPTED:mailto:bo@example.com",
    ),
    organizer: str = "ORGANIZER:mailto:ana@example.com",
) -> str:
    """A calendar part."""
    lines = (
        "BEGIN:VCALENDAR", "VERSION:2.0", f"METHOD:{method}", "BEGIN:VEVENT", "UID:u1", f"DTSTAMP:{stamp}", f"SEQUENCE:{sequence}",
        f"DTSTART:{start}", "DURATION:PT1H", "SUMMARY:Budget", organizer, *guests, *more, "END:VEVENT", "END:VCALENDAR",
    )  # fmt: skip
    return "\n".join(lines)


def read(part: str) -> Invitation:
    """The part, read."""
    message = Message(id="m", mail_thread_id="t", sender=ANA, subject="x", text="", calendars=(part,))
    found = invitations_of(message, zone="Europe/Berlin", now=STAMP)
    assert found is not None
    return found


THERE = Event(
    id="u1",
    uid="u1",
    title="Budget",
    start=TEN,
    end=TEN + HOUR,
    timezone="Europe/Berlin",
    attendees=(ME, BO),
    organizer=ANA,
    sequence=2,
    stamp=STAMP,
)
ANSWERED = THERE.answered(ME.key, Partstat.ACCEPTED)
OURS = replace(THERE, organizer=ME, attendees=(BO, ANA))
GUEST_BO = ("ATTENDEE;PARTSTAT=DECLINED:mailto:bo@example.com",)
MINE = "ORGANIZER:mailto:robin@example.com"
DEFERRED, EARLIER = "20261120T090000Z", "20261120T070000Z"
BY_PA = 'ORGANIZER;SENT-BY="mailto:assistant@example.com":mailto:ana@example.com'
ALONE = replace(THERE, organizer=None, attendees=())
NOBODY = Address("")


@pytest.mark.parametrize(
    ("part", "there", "sender", "what"),
    [
        (text(), None, EVE, SchedulingCase.FALSE_SENDER),
        (text(organizer="ORGANIZER:mailto:eve@example.com"), THERE, EVE, SchedulingCase.FALSE_SENDER),
        (text(organizer=BY_PA), None, PA, SchedulingCase.FALSE_SENDER),
        (text("CANCEL"), replace(THERE, sent_by=PA), EVE, SchedulingCase.FALSE_SENDER),
        (text("CANCEL"), ALONE, ANA, SchedulingCase.FALSE_SENDER),
        (text("PUBLISH", organizer="COMMENT:x", sequence=3), ALONE, EVE, SchedulingCase.FALSE_SENDER),
        (text("PUBLISH", organizer="COMMENT:x", stamp=DEFERRED, start="20261126T100000Z"), ALONE, ME, SchedulingCase.UPDATED),
        (text(sequence=3), ANSWERED, NOBODY, SchedulingCase.FALSE_SENDER),
        (text(sequence=3), ANSWERED, ANA, SchedulingCase.CHANGED),
        (text("REQUEST", "LOCATION:Room 6", stamp=DEFERRED), ANSWERED, ANA, SchedulingCase.UPDATED),
        (text(guests=("ATTENDEE;PARTSTAT=DELEGATED:mailto:robin@example.com",)), None, ANA, SchedulingCase.FOR_OTHERS),
        (text("CANCEL"), ANSWERED, ANA, SchedulingCase.CANCELLED),
        (text("CANCEL"), None, ANA, SchedulingCase.NOT_THERE),
        (text("CANCEL"), THERE, EVE, SchedulingCase.FALSE_SENDER),
        (text("REPLY", guests=GUEST_BO, organizer=MINE), OURS, EVE, SchedulingCase.FALSE_SENDER),
        (text("PUBLISH"), None, EVE, SchedulingCase.FALSE_SENDER),
        (text("HELLO"), None, ANA, SchedulingCase.UNREADABLE),
    ],
)  # fmt: skip
def test_what_it_is(part: str, there: Event | None, sender: Address, what: SchedulingCase) -> None:
    """Decided by the message, by what is there, and by whom it is from."""
    assert found(part, there, sender).what is what


def found(part: str, there: Event | None, sender: Address = ANA) -> Assessment:
    """What is decided."""
    return assess(read(part), there, sender=sender, own=frozenset({ME.key}), zone="Europe/Berlin")


@pytest.mark.parametrize(
    ("delegate", "vouched", "believed"),
    [
        ("pa@petrova.example", True, True),
        ("pa@office.petrova.example", True, True),
        ("pa@petrova.example", False, False),
        ("pa@evil.example", True, False),
        ("pa@gmail.com", True, False),
    ],
)
def test_a_delegate_is_believed_in_the_organizers_own_house(
    delegate: str, vouched: bool, believed: bool
) -> None:
    """And when the receiving host vouches for the address; a provider that is open to all is nobody's house."""
    boss = Address("ana@gmail.com" if delegate.endswith("gmail.com") else "ana@petrova.example")
    message = read(text(organizer=f'ORGANIZER;SENT-BY="mailto:{delegate}":mailto:{boss.email}'))
    by = claimed_of(message, None, sender=Address(delegate), own=frozenset({ME.key}), vouched=vouched)
    assert by == (None if believed else boss)


def test_an_occurrence_that_is_not_there_belongs_to_the_organizer_of_its_series() -> None:
    """Whoever names another one claims to be somebody else."""
    part = text("REQUEST", "RECURRENCE-ID:20301126T090000Z", organizer="ORGANIZER:mailto:eve@example.com")
    told = assess(read(part), None, sender=EVE, own=frozenset({ME.key}), zone="Europe/Berlin", rest=THERE)
    assert (told.what, told.claimed) == (SchedulingCase.FALSE_SENDER, ANA)


def test_differences_are_told_by_the_users_clock() -> None:
    """Time, place, title and guests, before and after."""
    part = text("REQUEST", "LOCATION:Room 6", sequence=3, start="20261127T100000Z", guests=GUEST_BO)
    part = part.replace("DECLINED", "ACCEPTED").replace(
        "SUMMARY:Budget",
        "SUMMARY:Money\nATTENDEE:mailto:robin@example.com\nATTENDEE;CN=Cy:mailto:cy@example.com",
    )
    there = replace(ANSWERED, location="Room 5", attendees=(*ANSWERED.attendees, EVE))
    assert found(part, there).differences == (
        "The time was Thursday 2026-11-26 10:00 to 11:00; it is now Friday 2026-11-27 11:00 to 12:00.",
        "The title was “Budget”; it is now “Money”.",
        "The place was “Room 5”; it is now “Room 6”.",
        "Invited by now: Cy.",
        "Not invited any more: eve@example.com.",
    )


@pytest.mark.parametrize(
    ("zone", "definition"),
    [
        (
            "(UTC-05:00) Eastern Time (US & Canada)",
            "BEGIN:VTIMEZONE\nTZID:(UTC-05:00) Eastern Time (US & Canada)\nBEGIN:STANDARD\nDTSTART:16010101T020000\n"
            "TZOFFSETFROM:-0400\nTZOFFSETTO:-0500\nRRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11\nEND:STANDARD\nBEGIN:DAYLIGHT\n"
            "DTSTART:16010101T020000\nTZOFFSETFROM:-0500\nTZOFFSETTO:-0400\nRRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3\nEND:DAYLIGHT\n"
            "END:VTIMEZONE\n",
        ),
    ],
)
def test_outlooks_zones(zone: str, definition: str) -> None:
    """Their names are understood as they are shown, with and without quotes and definition."""
    part = text("REQUEST", "RRULE:FREQ=WEEKLY;COUNT=4").replace(
        "DTSTART:20261126T090000Z", f"DTSTART;TZID={zone}:20261126T100000"
    )
    (event,) = read(part.replace("BEGIN:VEVENT", f"{definition}BEGIN:VEVENT")).entries
    assert (event.start, event.timezone) == (datetime(2026, 11, 26, 15, tzinfo=UTC), "America/New_York")
    assert event.recurrence == ("RRULE:FREQ=WEEKLY;COUNT=4",)


def test_a_zone_whose_offset_belies_its_name_is_not_guessed() -> None:
    """A time in it is no time that can be told."""
    part = (
        text()
        .replace("DTSTART:", 'DTSTART;TZID="(UTC+09:00) Eastern Time (US & Canada)":')
        .replace("090000Z", "090000")
    )
    assert read(part).entries == ()
