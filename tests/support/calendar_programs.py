"""What calendar programs send: written by us after the forms of eight of them, none is a mail that was received.

Each program's invitation, change and cancellation for the user, and its guest's answer to a meeting of the user's own: with its PRODID, its
way of naming people and zones, its From, Sender and Reply-To, and its parts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage

from eval.mails import vouching
from tests.support.calendar_mail import MINE
from tests.support.desk import ME

METHODS = ("REQUEST", "moved", "CANCEL", "REPLY")
_ALTERNATIVE, _BOTH, _ATTACHED = "alternative", "both", "attached"


@dataclass(frozen=True)
class Program:
    """One program and somebody who uses it."""

    name: str
    prodid: str
    sender: str
    person: str
    """The address that stands in ORGANIZER, and in ATTENDEE of an answer."""
    params: str = ""
    """What else ORGANIZER and ATTENDEE say of the person, like ";CN=Ana"."""
    headers: Mapping[str, str] = field(default_factory=dict)
    parts: str = _BOTH
    """Where the calendar is: in the alternatives of the text, attached, or both."""
    zone: str = "Z"
    """How times are given: "Z", or a TZID that the program writes."""
    more: tuple[str, ...] = ()
    """Further lines of its events."""
    names_organizer_in_answers: bool = True
    answers: bool = True
    """Whether guests answer with it."""


PROGRAMS = (
    Program(
        "Google Calendar", "-//Google Inc//Google Calendar 70.9054//EN", "Ana Petrova <ana.petrova@gmail.com>", "ana.petrova@gmail.com",
        ";CN=Ana Petrova", {
            "Sender": "Google Calendar <calendar-notification@google.com>", "Reply-To": "Ana Petrova <ana.petrova@gmail.com>",
        },
        more=("X-GOOGLE-CONFERENCE:https://meet.google.com/abc-defg-hij", "STATUS:CONFIRMED", "TRANSP:OPAQUE"),
    ),
    Program(
        "Outlook", "Microsoft Exchange Server 2010", "Ana Petrova <ana@petrova.example>", "ana@petrova.example", ";CN=Ana Petrova",
        {"Thread-Index": "AdpX0w==", "X-MS-Has-Attach": ""}, _ALTERNATIVE, "W. Europe Standard Time",
        ("CLASS:PUBLIC", "PRIORITY:5", "X-MICROSOFT-CDO-APPT-SEQUENCE:0", "X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE"),
        names_organizer_in_answers=False,
    ),
    Program(
        "iCloud", "-//Apple Inc.//iCloud Calendar//EN", "Ana Petrova <noreply@email.apple.com>", "2_gezdgnbvgy3tqoi@imip.me.com",
        ";CN=Ana Petrova;EMAIL=ana@icloud.com", {"Reply-To": "Ana Petrova <2_gezdgnbvgy3tqoi@imip.me.com>"}, zone="Europe/Berlin",
        more=("X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC",),
    ),
    Program(
        "Apple Calendar", "-//Apple Inc.//macOS 14.4//EN", "Ana Petrova <ana@petrova.example>", "ana@petrova.example",
        ';CN="Ana Petrova"', parts=_ATTACHED, zone="Europe/Berlin",
    ),
    Program(
        "Thunderbird", "-//Mozilla.org/NONSGML Mozilla Calendar V1.1//EN", "Ana Petrova <ana@petrova.example>", "ana@petrova.example",
        ";CN=Ana Petrova;PARTSTAT=ACCEPTED;ROLE=CHAIR", zone="Europe/Berlin", more=("X-MOZ-GENERATION:1",),
    ),
    Program(
        "Zoom", "-//zoom.us//iCalendar Event//EN", "Ana Petrova <no-reply@zoom.us>", "no-reply@zoom.us", ";CN=Ana Petrova",
        parts=_ATTACHED, answers=False, more=("LOCATION:https://us02web.zoom.us/j/1234567890",),
    ),
    Program(
        "Nextcloud", "-//IDN nextcloud.com//Calendar app 4.7.1//EN", "Ana via Nextcloud <invitations-noreply@cloud.petrova.example>",
        "ana@petrova.example", ";CN=Ana Petrova", {"Reply-To": "Ana Petrova <ana@petrova.example>"}, _ALTERNATIVE, "Europe/Berlin",
    ),
    Program(
        "Fastmail", "-//CyrusIMAP.org/Cyrus 3.11//EN", "Ana Petrova <ana.petrova@fastmail.com>", "ana.petrova@fastmail.com",
        ";CN=Ana Petrova;X-JMAP-ID=1", zone="Europe/Berlin", more=("X-JMAP-SENT-BY:ana.petrova@fastmail.com",),
    ),
)  # fmt: skip
DELEGATES = (
    Program(
        "a delegate of one house", "Microsoft Exchange Server 2010", "Pat Aide <pat@petrova.example>", "ana@petrova.example",
        ';CN=Ana Petrova;SENT-BY="mailto:pat@petrova.example"', {}, _ALTERNATIVE, answers=False,
    ),
)  # fmt: skip


def mail_of(program: Program, method: str, uid: str) -> bytes:
    """Its mail: one of `METHODS`, about the meeting of this UID; the receiving host vouches for its sender."""
    message = EmailMessage()
    message["Authentication-Results"] = vouching(program.sender)
    message["From"], message["To"], message["Subject"] = program.sender, ME, f"{method}: Budget"
    message["Message-ID"] = f"<{method}.{uid}>"
    message["Date"] = "Thu, 19 Nov 2026 09:00:00 +0000"
    for name, value in program.headers.items():
        message[name] = value
    message.set_content("You find the meeting in the calendar part.")
    named = "REQUEST" if method == "moved" else method
    text = _calendar(program, method, named, uid).encode()
    if program.parts != _ATTACHED:
        message.add_alternative(
            text, maintype="text", subtype="calendar", params={"method": named, "charset": "UTF-8"}
        )
    if program.parts != _ALTERNATIVE:
        message.add_attachment(text, maintype="application", subtype="ics", filename="invite.ics")
    return bytes(message)


def _calendar(program: Program, method: str, named: str, uid: str) -> str:
    hour = 11 if method == "moved" else 10
    in_utc = f":20261126T{hour - 1:02}0000Z"
    start = in_utc if program.zone == "Z" else f";TZID={program.zone}:20261126T{hour}0000"
    organizer = f"ORGANIZER{program.params}:mailto:{program.person}"
    guests = [f"ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=Robin:mailto:{MINE}"]
    if method == "REPLY":
        shown = program.params.replace(";PARTSTAT=ACCEPTED;ROLE=CHAIR", "")
        organizer = f"ORGANIZER;CN=Robin:mailto:{MINE}" if program.names_organizer_in_answers else "COMMENT:"
        guests = [f"ATTENDEE;PARTSTAT=ACCEPTED{shown}:mailto:{program.person}"]
    sequence = {"REQUEST": 0, "moved": 1, "CANCEL": 2, "REPLY": 1}[method]
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:{program.prodid}", "CALSCALE:GREGORIAN", f"METHOD:{named}", "BEGIN:VEVENT",
        f"UID:{uid}", f"DTSTAMP:20261119T09000{sequence}Z", f"SEQUENCE:{sequence}", f"DTSTART{start}", "DURATION:PT1H",
        "SUMMARY:Budget", organizer, *guests, *program.more, *(["STATUS:CANCELLED"] if method == "CANCEL" else []),
        "END:VEVENT", "END:VCALENDAR", "",
    ]  # fmt: skip
    return "\r\n".join(lines)
