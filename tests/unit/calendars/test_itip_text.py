"""Scheduling messages: what is written is understood by a reader that shares nothing with the writer, and nothing can be put into it."""

from dataclasses import replace
from datetime import UTC, date, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.calendars.event import Event
from email_assistant.calendars.itip_text import answer_text, organizers_text
from email_assistant.errors import InputError
from email_assistant.mail.address import Address
from email_assistant.mail.message import OutgoingMessage
from email_assistant.mail.wire import from_bytes, to_bytes
from email_assistant.tools.drafts import digest
from tests.servers.other_readers import understood

BERLIN = ZoneInfo("Europe/Berlin")
ROBIN, ANA, BO = (
    Address("robin@example.com", "Robin"),
    Address("ana@example.org", "Ana"),
    Address("bo@example.net"),
)
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
FITTING = Event(
    id="e1",
    uid="e1@x",
    title="Shelf fitting",
    start=datetime(2026, 11, 26, 10, tzinfo=BERLIN),
    end=datetime(2026, 11, 26, 10, 30, tzinfo=BERLIN),
    timezone="Europe/Berlin",
    location="Workshop",
    attendees=(ANA, BO),
)


def written(event: Event = FITTING, method: Any = "REQUEST", **changes: Any) -> str:
    """What Robin mails."""
    given: dict[str, Any] = {"organizer": ROBIN, "stamp": NOW, "owner": BERLIN}
    return organizers_text(method, event, **(given | changes))


def test_an_invitation_is_understood() -> None:
    """Title, time, place, who invites and who is asked to answer."""
    told = understood(written())
    (event,) = told["events"]
    assert (told["method"], event["uid"], event["sequence"], event["status"]) == (
        "REQUEST",
        "e1@x",
        0,
        "CONFIRMED",
    )
    assert (event["start"]["at"], event["end"]["at"]) == (
        "2026-11-26T09:00:00.000Z",
        "2026-11-26T09:30:00.000Z",
    )
    assert (event["title"], event["location"], event["stamp"]) == (
        "Shelf fitting",
        "Workshop",
        "2026-11-20T12:00:00Z",
    )
    assert (event["organizer"]["address"], event["organizer"]["name"]) == (
        "mailto:robin@example.com",
        "Robin",
    )
    assert event["organizer"]["sentBy"] == ""
    assert [(each["address"], each["partstat"], each["rsvp"]) for each in event["attendees"]] == [
        ("mailto:ana@example.org", "NEEDS-ACTION", "TRUE"),
        ("mailto:bo@example.net", "NEEDS-ACTION", "TRUE"),
    ]


def test_a_cancellation_is_understood() -> None:
    """It tells which revision is called off, and whom; nobody is asked to answer."""
    told = understood(written(replace(FITTING, sequence=3, attendees=(BO,)), "CANCEL"))
    (event,) = told["events"]
    assert (told["method"], event["sequence"], event["status"]) == ("CANCEL", 3, "CANCELLED")
    assert [(each["address"], each["rsvp"]) for each in event["attendees"]] == [("mailto:bo@example.net", "")]


def test_an_answer_is_understood() -> None:
    """The one attendee is who answers, about the revision and the occurrence that was asked about."""
    occurrence = datetime(2026, 12, 3, 10, tzinfo=BERLIN)
    text = answer_text(
        "DECLINED", uid="e1@x", sequence=2, organizer=ROBIN, guest=ANA, stamp=NOW, start=occurrence, recurrence_id=occurrence
    )  # fmt: skip
    told = understood(text)
    (event,) = told["events"]
    assert (told["method"], event["sequence"], event["occurrence"]["at"]) == (
        "REPLY",
        2,
        "2026-12-03T09:00:00.000Z",
    )
    assert [(each["address"], each["partstat"]) for each in event["attendees"]] == [
        ("mailto:ana@example.org", "DECLINED")
    ]
    day = answer_text(
        "ACCEPTED",
        uid="u",
        sequence=0,
        organizer=ROBIN,
        guest=ANA,
        stamp=NOW,
        recurrence_id=date(2026, 12, 3),
    )
    assert understood(day)["events"][0]["occurrence"]["text"] == "2026-12-03"


def test_who_writes_for_a_guest_is_named_where_it_is_somebody_else() -> None:
    """SENT-BY is there only when the mail comes from another address."""
    given: Any = {"uid": "u", "sequence": 0, "organizer": ROBIN, "guest": ANA, "stamp": NOW}
    office = answer_text("ACCEPTED", **given, sent_by=Address("office@example.com"))
    assert 'SENT-BY="mailto:office@example.com"' in office.replace("\r\n ", "")
    assert "SENT-BY" not in answer_text("ACCEPTED", **given, sent_by=Address("ANA@example.org"))


def test_the_organizer_is_no_guest_of_their_own() -> None:
    """Whoever calls the meeting is not asked; with nobody else there is nothing to mail."""
    assert (
        "robin@example.com" not in written(replace(FITTING, attendees=(ANA, ROBIN))).partition("ATTENDEE")[2]
    )
    with pytest.raises(InputError, match="'attendees' names nobody"):
        written(replace(FITTING, attendees=(ROBIN,)))


@pytest.mark.parametrize("uid", ["", "a\r\nb"])
def test_what_cannot_be_written_is_refused(uid: str) -> None:
    """One clear error that names the field."""
    with pytest.raises(InputError, match="uid"):
        written(replace(FITTING, uid=uid))
    with pytest.raises(InputError, match="stamp"):
        written(stamp=datetime(2026, 1, 1))
    with pytest.raises(InputError, match="organizer"):
        written(organizer=Address("robin@example.com\r\nMETHOD:CANCEL"))
    with pytest.raises(InputError, match="partstat"):
        answer_text("YES\r\nX:Y", uid="u", sequence=0, organizer=ROBIN, guest=ANA, stamp=NOW)


HOSTILE = st.text(
    st.one_of(st.sampled_from('\r\n\t";:,\\^=\x00\x85\u2028 '), st.characters(codec="utf-8")), max_size=120
)
NAMES = {
    "attendee",
    "description",
    "dtend",
    "dtstamp",
    "dtstart",
    "location",
    "organizer",
    "sequence",
    "status",
    "summary",
}


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_nothing_can_be_put_into_it(title: str, place: str, name: str, about: str) -> None:
    """Whatever a title or a name holds, the lines are those of the writer, whole and no longer than 75 octets."""
    event = replace(
        FITTING, title=title, location=place, description=about, attendees=(Address("ana@example.org", name),)
    )
    text = written(event, organizer=Address("robin@example.com", name))
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    assert not {"\n", "\r"} & set(text.replace("\r\n", ""))
    lines = text.replace("\r\n ", "").split("\r\n")
    assert [each for each in lines if each.startswith(("BEGIN:", "END:", "METHOD:"))] == [
        "BEGIN:VCALENDAR", "METHOD:REQUEST", "BEGIN:VEVENT", "END:VEVENT", "END:VCALENDAR",
    ]  # fmt: skip
    found = {each.partition(":")[0].partition(";")[0].lower() for each in lines[6:-3]}
    assert found <= NAMES | {"uid", "transp"}


def mailed(**changes: Any) -> OutgoingMessage:
    """The invitation as a mail."""
    mail = OutgoingMessage(
        ROBIN, (ANA,), "Re: Fitting", "Hi Ana,\n\nsee you äh then.", "<i@example.com>", calendar=written()
    )
    return replace(mail, **changes)


def test_the_mail_has_both_forms() -> None:
    """Text and calendar beside each other, the method in both places, and the same calendar as a file."""
    whole = message_from_bytes(to_bytes(mailed(), date=NOW), policy=policy.default)
    assert isinstance(whole, EmailMessage)
    either, file = whole.iter_parts()
    text, calendar = either.iter_parts()
    kinds = [each.get_content_type() for each in (whole, either, text, calendar, file)]
    assert kinds == [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "text/calendar",
        "application/ics",
    ]
    assert (calendar["Content-Type"].params["method"], calendar["Content-Type"].params["charset"]) == (
        "REQUEST",
        "utf-8",
    )
    assert (file.get_filename(), file.get_content_disposition()) == ("invite.ics", "attachment")
    raw = calendar.get_payload(decode=True)
    assert raw == file.get_payload(decode=True) == mailed().calendar.encode()
    assert understood(raw.decode())["method"] == "REQUEST"
    assert text.get_content().split() == mailed().body.split()


def test_a_draft_with_a_calendar_is_read_back() -> None:
    """By CRLF and by the line ends of a mailbox of files; what differs in its calendar is another draft."""
    raw = to_bytes(mailed(), date=NOW)
    assert from_bytes(raw) == from_bytes(raw.replace(b"\r\n", b"\n")) == mailed()
    other = mailed(calendar=written(replace(FITTING, sequence=1)))
    assert len({digest(each) for each in (mailed(), other, mailed(calendar=""))}) == 3
    with pytest.raises(InputError, match="calendar has no METHOD"):
        to_bytes(mailed(calendar="BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"), date=NOW)


def test_a_calendar_that_somebody_attached_is_a_file() -> None:
    """A person who attaches one to a draft has not turned it into an invitation."""
    mail = EmailMessage()
    mail.set_content("see the file")
    mail.add_attachment(
        written().encode(), "text", "calendar", filename="x.ics", params={"method": "REQUEST"}
    )
    assert from_bytes(mail.as_bytes()).calendar == ""
