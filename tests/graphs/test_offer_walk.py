"""A conversation about a meeting from its first mail to its end: offered, taken, moved, declined, called off; with a model.

After each step the mails that went out are read as their guests' programs do, by postal-mime and ical.js.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
import pytest
from langchain_core.messages import AIMessage

from email_assistant.mail.message import Message
from tests.graphs.test_assistant import ACCEPT, DONE
from tests.servers.other_readers import opened, understood
from tests.support.desk import Desk, desk, mail
from tests.support.scripted import Script, calls

BERLIN = ZoneInfo("Europe/Berlin")
SECOND = datetime(2026, 11, 25, 13, tzinfo=BERLIN)
HOUR, LENGTH = timedelta(hours=1), timedelta(minutes=30)
BOTH = ["ana@example.com", "bo@example.org"]


@dataclass(frozen=True)
class Language:
    """What Ana writes, what the model answers, and what the mails to the guests say."""

    asks: str
    offers: str
    takes: str
    moves: str
    cancels: str
    subjects: tuple[str, str, str]
    """Of the invitation, of the new time and of the end."""
    day: str
    clocks: tuple[str, str]
    """Of the hour that is taken and of the later one, as the guest reads them."""


ENGLISH = Language(
    "Robin, Bo and I would like a call. I am in London. When are you free next week?\n\nAna",
    "Hello both,\n\nwe could have the call on Monday 23 November 2026, 9:00–9:30, on Wednesday 25 November 2026, 13:00–13:30,\n"
    "or on Friday 27 November 2026, 9:00–9:30.\n\nRobin Vale",
    "The second one is good.\n\nAna", "An hour later, please.\n\nAna", "Hi Robin,\n\nI'm afraid we have to cancel our call.\n\nAna",
    ("Invitation", "New time", "Cancelled"), "Wednesday 25 November", ("12:00–12:30 your time", "13:00–13:30 your time"),
)  # fmt: skip
GERMAN = Language(
    "Hallo Robin,\n\nBo und ich würden gern mit dir telefonieren. Wann hast du nächste Woche Zeit?\n\nViele Grüße\nAna",
    "Hallo zusammen,\n\nes ginge am Montag, 23. November 2026, 9:00–9:30, am Mittwoch, 25. November 2026, 13:00–13:30,\n"
    "oder am Freitag, 27. November 2026, 9:00–9:30.\n\nRobin Vale",
    "Hallo Robin,\n\nder zweite passt uns gut.\n\nViele Grüße\nAna", "Hallo Robin,\n\nginge es eine Stunde später?\n\nViele Grüße\nAna",
    "Hallo Robin,\n\nleider müssen wir unser Telefonat absagen.\n\nViele Grüße\nAna",
    ("Einladung", "Neuer Termin", "Abgesagt"), "Mittwoch, 25. November", ("13:00–13:30", "14:00–14:30"),
)  # fmt: skip


def meeting(start: datetime) -> AIMessage:
    """A model's turn: the meeting, and nothing else."""
    args = {
        "title": "Catch up",
        "attendees": BOTH,
        "start": start.isoformat(),
        "end": (start + LENGTH).isoformat(),
    }
    return calls(("schedule_meeting", args), DONE, prefix=f"meet{start.hour}")


def turns(offers: str) -> Sequence[AIMessage]:
    """A good model's, from the first mail to the last."""
    offer = calls(("send_email", {"body": offers}), DONE, prefix="offer")
    return offer, meeting(SECOND), meeting(SECOND + HOUR), calls(DONE, prefix="off")


class Walk:
    """Robin's desk, and what Ana and Bo get to see of it."""

    def __init__(self, folder: Path, offers: str) -> None:
        self.desk: Desk = desk(folder, Script(turns=list(turns(offers))))
        self.number = 0
        self.read: set[bytes] = set()

    async def gets(self, body: str, answers: str = "") -> str:
        """Ana writes; the one card is accepted; its title."""
        self.number += 1
        raw = mail(
            body, subject="Re: Catch up" if answers else "Catch up", message_id=f"<m{self.number}@example.com>", reply_to_id=answers,
            minutes=self.number, Cc="Bo Lee <bo@example.org>",
        )  # fmt: skip
        return await self.takes_up(raw)

    async def takes_up(self, raw: bytes) -> str:
        """A mail comes in; the one card that it comes to is accepted; its title."""
        message: Message = await self.desk.receive(raw)
        card: dict[str, Any] | None = await self.desk.start(message)
        assert card is not None
        self.card = card
        assert await self.desk.answer(message, ACCEPT) is None, "one card a mail"
        assert await self.desk.drafts() == []
        return str(card["action_request"]["action"])

    @property
    def events(self) -> list[tuple[str, datetime, str]]:
        """What stands in the calendar file and is not called off: title, start and whether Ana comes."""
        path = self.desk.house.settings.calendar_path
        assert path is not None
        there = icalendar.Calendar.from_ical(path.read_bytes()).walk("VEVENT") if path.exists() else []
        return sorted(
            (str(each["SUMMARY"]), each["DTSTART"].dt.astimezone(BERLIN), _answer_of(each, "ana@example.com"))
            for each in there
            if str(each.get("STATUS", "")) != "CANCELLED"
        )

    async def news(self) -> list["Mail"]:
        """What went out since it was asked last, by whom it is to."""
        new = {bytes(each) for each in await self.desk.sent()} - self.read
        self.read |= new
        return sorted((Mail(**_told(opened(raw))) for raw in new), key=lambda each: each.to)


@dataclass(frozen=True)
class Mail:
    """What a guest's program makes of a mail."""

    to: list[str]
    id: str
    subject: str
    text: str
    method: str = ""
    revision: int = 0
    start: datetime | None = None

    @property
    def invites(self) -> tuple[str, str, int, datetime | None]:
        """Whom, the calendar's method, revision and start."""
        return ", ".join(self.to), self.method, self.revision, self.start


def _told(mail: dict[str, Any]) -> dict[str, Any]:
    read = {"to": mail["to"] + mail["cc"], "id": mail["id"], "subject": mail["subject"], "text": mail["text"]}
    if not mail["calendar"]:
        return read
    calendar = understood(mail["calendar"])
    (event,) = calendar["events"]
    start = datetime.fromisoformat(event["start"]["at"]).astimezone(BERLIN)
    return read | {"method": calendar["method"], "revision": event["sequence"], "start": start}


def _answer_of(event: Any, address: str) -> str:
    found = event.get("ATTENDEE", [])
    for each in found if isinstance(found, list) else [found]:
        if str(each).lower() == f"mailto:{address}":
            return str(each.params.get("PARTSTAT", "NEEDS-ACTION"))
    return ""


def declined(uid: str, revision: int) -> bytes:
    """What Ana's calendar program sends when she declines, with her words."""
    message = EmailMessage()
    message["From"], message["To"] = "Ana Petrova <ana@example.com>", "robin@vale.example"
    message["Subject"], message["Message-ID"] = "Declined: Catch up", "<no@example.com>"
    message["Date"] = "Thu, 19 Nov 2026 12:00:00 +0000"
    message.set_content("Ana has declined.")
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//ana//EN", "METHOD:REPLY", "BEGIN:VEVENT", f"UID:{uid}", f"SEQUENCE:{revision}",
        "DTSTAMP:20261120T100000Z", "DTSTART:20261125T130000Z", "DTEND:20261125T133000Z", "ORGANIZER:mailto:robin@vale.example",
        "ATTENDEE;PARTSTAT=DECLINED:mailto:ana@example.com", "COMMENT:I am in Oslo that day.", "END:VEVENT", "END:VCALENDAR", "",
    ]  # fmt: skip
    message.add_alternative("\r\n".join(lines), subtype="calendar", params={"method": "REPLY"})
    return bytes(message)


@pytest.mark.parametrize("written", [ENGLISH, GERMAN], ids=["en", "de"])
async def test_from_the_first_mail_to_the_end(written: Language, tmp_path: Path) -> None:
    """One card a mail; the calendar and the guests know the same after each step, in their language and by their clock; nothing twice."""
    at = Walk(tmp_path, written.offers)
    assert (await at.gets(written.asks)).startswith("Send reply to Ana")
    assert at.events == []
    (letter,) = await at.news()
    assert letter.invites == ("ana@example.com, bo@example.org", "", 0, None)

    assert await at.gets(written.takes, letter.id) == "Schedule meeting: Catch up (message 2)"
    assert at.card["action_request"]["args"]["start"] == SECOND.isoformat()
    assert "The mail names" not in at.card["description"]
    assert at.events == [("Catch up", SECOND, "NEEDS-ACTION")]
    invited = await at.news()
    assert [each.invites for each in invited] == [(each, "REQUEST", 0, SECOND) for each in BOTH]
    assert_read(invited[0], written, 0)

    assert await at.gets(written.moves, letter.id) == "Schedule meeting: Catch up (message 3)"
    assert at.events == [("Catch up", SECOND + HOUR, "NEEDS-ACTION")]
    moved = await at.news()
    assert [each.invites for each in moved] == [(each, "REQUEST", 1, SECOND + HOUR) for each in BOTH]
    assert_read(moved[0], written, 1)
    assert written.clocks[0] in moved[0].text, "the old time, too"

    there = await at.desk.house.calendar.events(SECOND, SECOND + 2 * HOUR)
    (event,) = (each for each in there if each.title == "Catch up")
    assert await at.takes_up(declined(event.uid, 1)) == "Note in calendar: Catch up"
    assert "I am in Oslo that day." in at.card["description"]
    assert at.events == [("Catch up", SECOND + HOUR, "DECLINED")]
    assert await at.news() == []

    assert await at.gets(written.cancels, letter.id) == "Cancel meeting: Catch up (message 4)"
    assert at.events == []
    ended = await at.news()
    assert [each.invites for each in ended] == [(each, "CANCEL", 2, SECOND + HOUR) for each in BOTH]
    assert_read(ended[0], written, 2)
    assert len(at.read) == 7


def assert_read(mail: Mail, written: Language, step: int) -> None:
    """In Ana's language: what it is about, the weekday and the hours by her clock."""
    assert mail.subject.startswith(written.subjects[step])
    assert written.day in mail.text
    assert written.clocks[min(step, 1)] in mail.text
