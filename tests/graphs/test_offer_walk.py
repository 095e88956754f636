"""A conversation about a meeting from its first mail to its end: offered, taken, moved, declined, called off; with a model.

After each step the calendar and Sent are read by others' parsers: `icalendar`, and Python's `email`.
"""

import email.policy
from collections.abc import Sequence
from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
from langchain_core.messages import AIMessage

from email_assistant.mail.message import Message
from tests.graphs.test_assistant import ACCEPT, DONE
from tests.support.desk import Desk, desk, mail
from tests.support.scripted import Script, calls

BERLIN = ZoneInfo("Europe/Berlin")
SECOND = datetime(2026, 11, 25, 13, tzinfo=BERLIN)
HOUR, LENGTH = timedelta(hours=1), timedelta(minutes=30)
BOTH = ["ana@example.com", "bo@example.org"]
OFFER = """Hello both,

we could have the call on Monday 23 November 2026, 9:00–9:30, on Wednesday 25 November 2026, 13:00–13:30,
or on Friday 27 November 2026, 9:00–9:30.

Robin Vale"""


def meeting(start: datetime) -> AIMessage:
    """A model's turn: the meeting, and nothing else."""
    args = {
        "title": "Catch up",
        "attendees": BOTH,
        "start": start.isoformat(),
        "end": (start + LENGTH).isoformat(),
    }
    return calls(("schedule_meeting", args), DONE, prefix=f"meet{start.hour}")


MODEL: Sequence[AIMessage] = (
    calls(("send_email", {"body": OFFER}), DONE, prefix="offer"), meeting(SECOND), meeting(SECOND + HOUR), calls(DONE, prefix="off"),
)  # fmt: skip


class Walk:
    """Robin's desk, and what Ana and Bo get to see of it."""

    def __init__(self, folder: Path) -> None:
        self.desk: Desk = desk(folder, Script(turns=list(MODEL)))
        self.number, self.read = 0, 0

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

    async def news(self) -> list[tuple[str, str, int, datetime | None]]:
        """What went out since it was asked last: to whom, the calendar's method, revision and start."""
        sent = [
            message_from_bytes(bytes(each), policy=email.policy.default) for each in await self.desk.sent()
        ]
        sent.sort(key=lambda each: str(each["Message-ID"]))
        new, self.known = [each for each in sent if str(each["Message-ID"]) not in self.ids], sent
        return sorted(_told(each) for each in new)

    known: Sequence[Any] = ()

    @property
    def ids(self) -> set[str]:
        """Of the mails that were read."""
        return {str(each["Message-ID"]) for each in self.known}


def _told(sent: Any) -> tuple[str, str, int, datetime | None]:
    to = ", ".join(each.addr_spec for name in ("To", "Cc") if sent[name] for each in sent[name].addresses)
    for part in sent.walk():
        if part.get_content_type() == "text/calendar":
            calendar = icalendar.Calendar.from_ical(part.get_content())
            (event,) = calendar.walk("VEVENT")
            return to, str(calendar["METHOD"]), int(event["SEQUENCE"]), event["DTSTART"].dt.astimezone(BERLIN)
    return to, "", 0, None


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


async def test_from_the_first_mail_to_the_end(tmp_path: Path) -> None:
    """One card a mail; the calendar and the guests know the same after each step; nothing twice."""
    at = Walk(tmp_path)
    assert (await at.gets("Robin, Bo and I would like a call. When are you free next week?")).startswith(
        "Send reply to Ana"
    )
    assert at.events == []
    assert await at.news() == [("ana@example.com, bo@example.org", "", 0, None)]
    (letter,) = at.ids

    assert await at.gets("The second one is good.\n\nAna", letter) == "Schedule meeting: Catch up (message 2)"
    assert at.card["action_request"]["args"]["start"] == SECOND.isoformat()
    assert "The mail names" not in at.card["description"]
    assert at.events == [("Catch up", SECOND, "NEEDS-ACTION")]
    assert await at.news() == [(each, "REQUEST", 0, SECOND) for each in BOTH]

    assert (
        await at.gets("An hour later, please.\n\nAna", letter)
    ) == "Schedule meeting: Catch up (message 3)"
    assert at.events == [("Catch up", SECOND + HOUR, "NEEDS-ACTION")]
    assert await at.news() == [(each, "REQUEST", 1, SECOND + HOUR) for each in BOTH]

    there = await at.desk.house.calendar.events(SECOND, SECOND + 2 * HOUR)
    (event,) = (each for each in there if each.title == "Catch up")
    assert await at.takes_up(declined(event.uid, 1)) == "Note in calendar: Catch up"
    assert "I am in Oslo that day." in at.card["description"]
    assert at.events == [("Catch up", SECOND + HOUR, "DECLINED")]
    assert await at.news() == []

    cancels = "Hi Robin,\n\nI'm afraid we have to cancel our call.\n\nAna"
    assert await at.gets(cancels, letter) == "Cancel meeting: Catch up (message 4)"
    assert at.events == []
    assert await at.news() == [(each, "CANCEL", 2, SECOND + HOUR) for each in BOTH]
    assert len(at.ids) == 7
