"""Guests of an approved meeting are mailed an invitation, once, where the calendar writes to nobody."""

import email.policy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import Message as Mail
from pathlib import Path
from typing import Any

import pytest

from email_assistant.adapters.ics_calendar import IcsCalendar
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.mail.message import Conversation
from email_assistant.meetings.scheduling import ScheduleMeetingArguments
from email_assistant.review.action import Action
from email_assistant.tools.tool import Done, Turn
from tests.graphs.test_assistant import ACCEPT, DONE, MEETING, begin
from tests.servers.other_readers import understood
from tests.support.desk import desk, mail
from tests.support.scripted import Script, calls


def meeting(**changes: Any) -> Script:
    """A model that proposes the meeting and is done."""
    return Script(turns=[calls((MEETING[0], MEETING[1] | changes)), calls(DONE, prefix="then")])


def calendar_of(sent: Mail) -> dict[str, Any]:
    """What a reader of another house understands of a mail's calendar part."""
    (part,) = (each for each in sent.walk() if each.get_content_type() == "text/calendar")
    text = part.get_payload(decode=True)
    assert isinstance(text, bytes)
    told = understood(text.decode())
    assert told["method"] == part.get_param("method")
    return told


def text_of(sent: Mail) -> str:
    """The text that a reader sees."""
    whole = message_from_bytes(bytes(sent), policy=email.policy.default)
    body = whole.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


async def test_an_approved_meeting_is_mailed_to_its_guest(tmp_path: Path) -> None:
    """One mail in the conversation, from the user, about the event that is in the calendar; the card has said so."""
    assistant, message, card = await begin(tmp_path, meeting())
    assert "gets an invitation by mail" in card["description"]
    assert await assistant.sent() == []
    await assistant.answer(message, ACCEPT)
    (sent,) = await assistant.sent()
    assert (sent["To"], sent["From"], sent["Subject"]) == (
        "ana@example.com", "Robin Vale <robin@vale.example>", "Invitation: Shelf fitting, Thu 26 Nov 10:00",
    )  # fmt: skip
    assert (sent["References"], sent["In-Reply-To"]) == (message.message_id, None)
    told = calendar_of(sent)
    (event,) = told["events"]
    (there,) = (await assistant.house.calendar.find(event["uid"]),)
    assert there is not None
    assert there.organizer is not None
    assert (there.title, there.sequence, there.organizer.email) == ("Shelf fitting", 0, "robin@vale.example")
    assert (told["method"], event["organizer"]["address"]) == ("REQUEST", "mailto:robin@vale.example")
    assert event["start"]["at"] == "2026-11-26T09:00:00.000Z"
    assert "Thursday 26 November, 10:00–10:30 (Europe/Berlin; 09:00–09:30 UTC)" in text_of(sent)
    assert await assistant.drafts() == []


async def test_a_server_that_forgot_its_last_seconds_still_invites(tmp_path: Path) -> None:
    """The event is there, and the run knows nothing of it: the guests are written to as it was approved, and no second card is made."""
    assistant, message, _ = await begin(tmp_path, meeting())
    tool = assistant.parts.toolbox.actor("schedule_meeting")
    turn = Turn("t", Conversation(message), assistant.house.user, "call", graph="email_assistant")
    args = ScheduleMeetingArguments.model_validate(MEETING[1])
    action = await tool.prepare(args, turn)
    assert isinstance(action, Action)
    await replace(tool, guests=None).perform(action, acknowledged=frozenset())  # type: ignore[type-var]
    assert await assistant.sent() == []
    assert isinstance(await tool.prepare(args, turn), Done)
    assert isinstance(await tool.prepare(args, turn), Done)
    assert [each["To"] for each in await assistant.sent()] == ["ana@example.com"]


async def test_a_calendar_that_invites_is_not_doubled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the provider writes to guests nobody else does, and the card says who will."""
    monkeypatch.setattr(IcsCalendar, "writes_to_guests", True)
    assistant, message, card = await begin(tmp_path, meeting())
    assert "gets an invitation from the calendar" in card["description"]
    await assistant.answer(message, ACCEPT)
    assert await assistant.sent() == []


async def test_where_nothing_is_sent_nobody_is_invited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From an account of drafts alone the meeting is made, and the card says that its guest gets no mail."""
    monkeypatch.setattr(MaildirMailbox, "sends", False)
    assistant, message, card = await begin(tmp_path, meeting())
    assert "gets no mail, because the account has no server to send over" in card["description"]
    await assistant.answer(message, ACCEPT)
    day = datetime(2026, 11, 26, tzinfo=UTC)
    made = await assistant.house.calendar.events(day, day + timedelta(days=1))
    assert ([each.title for each in made], await assistant.sent()) == (["Shelf fitting"], [])


BERG, TOM = "Ines Berg <ines@berg.example>", "Tom Berg <tom@berg.example>"
ASKED = (
    "Dear Mr Vale,\n\ncould we meet on Thursday 26 November 2026 at 10:00 your time for the fitting?\n"
    "Tom will come, too. I am in London.\n\nYours sincerely\nInes Berg"
)


async def test_whose_hour_is_another_is_asked_whether_it_suits(tmp_path: Path) -> None:
    """The invitation says which one is not possible; what stands in its way is the user's own."""
    assistant = desk(tmp_path, meeting(start="2026-11-26T11:30:00+01:00", end="2026-11-26T12:00:00+01:00"))
    message = await assistant.receive(
        mail("Robin, could we meet on Thursday 26 November at 10:00 CET for the fitting?")
    )
    await assistant.start(message)
    await assistant.answer(message, ACCEPT)
    (sent,) = await assistant.sent()
    said = text_of(sent).partition("\n\n")[2]
    assert said.startswith("Thursday 26 November, 10:00–10:30 (Europe/Berlin")
    assert (
        "is not possible on my side. Would this suit you: “Shelf fitting”, Thursday 26 November, 11:30"
        in said
    )


async def test_whom_the_mail_names_is_a_guest_and_who_is_left_out_is_told(tmp_path: Path) -> None:
    """By rules: Tom, who has the mail and comes along, is invited; Lea, who only has it, is on the card."""
    assistant = desk(tmp_path)
    message = await assistant.receive(
        mail(ASKED, sender=BERG, subject="Fitting", Cc=f"{TOM}, Lea Kurz <lea@kurz.example>")
    )
    card = await assistant.start(message)
    assert card is not None
    assert card["action_request"]["args"]["attendees"] == "ines@berg.example, tom@berg.example"
    assert "Not invited, and has this mail, too: Lea Kurz" in card["description"]


@pytest.mark.parametrize(
    ("date", "clock"),
    [
        ("Thu, 19 Nov 2026 09:00:00 +0100", "(Europe/Berlin)"),
        ("Thu, 19 Nov 2026 09:00:00 +0900", "(18:00–18:30 your time)"),
        ("Thu, 19 Nov 2026 09:00:00 +0000", "(Europe/Berlin; 09:00–09:30 UTC)"),
    ],
)
async def test_a_clock_is_told_where_the_date_of_the_mail_says_which(
    tmp_path: Path, date: str, clock: str
) -> None:
    """By its offset; where that says nothing, the user's clock has its name."""
    assistant = desk(tmp_path, meeting())
    raw = mail().replace(b"Thu, 19 Nov 2026 09:00:00 +0000", date.encode())
    message = await assistant.receive(raw)
    await assistant.start(message)
    await assistant.answer(message, ACCEPT)
    (sent,) = await assistant.sent()
    assert f"Thursday 26 November, 10:00–10:30 {clock}" in text_of(sent)
