"""Guests of an approved meeting are mailed an invitation, once, where the calendar writes to nobody."""

from dataclasses import replace
from email.message import Message as Mail
from pathlib import Path
from typing import Any

import pytest

from email_assistant.adapters.ics_calendar import IcsCalendar
from email_assistant.mail.message import Conversation
from email_assistant.review.action import Action
from email_assistant.tools.scheduling import ScheduleMeetingArguments
from email_assistant.tools.tool import Done, Turn
from tests.graphs.test_assistant import ACCEPT, DONE, IGNORE, MEETING, begin, edit
from tests.servers.calendar_reader import understood
from tests.support.desk import desk, mail
from tests.support.scripted import Script, calls


class Cut(RuntimeError):
    """The process is lost."""


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


async def test_an_approved_meeting_is_mailed_to_its_guest(tmp_path: Path) -> None:
    """One mail in the conversation, from the user, about the event that is in the calendar; the card has said so."""
    assistant, message, card = await begin(tmp_path, meeting())
    assert "gets an invitation by mail" in card["description"]
    assert await assistant.sent() == []
    await assistant.answer(message, ACCEPT)
    (sent,) = await assistant.sent()
    assert (sent["To"], sent["From"], sent["Subject"]) == (
        "ana@example.com", "Robin Vale <robin@vale.example>", "Invitation: Shelf fitting",
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
    assert (
        "2026-11-26, 10:00–10:30 (Europe/Berlin)"
        in (sent.get_payload(0).get_payload(0).get_payload(decode=True)).decode()
    )  # type: ignore[union-attr]
    assert await assistant.drafts() == []


async def test_an_invitation_is_no_answer_by_other_means(tmp_path: Path) -> None:
    """What was mailed on approval leaves the cards open that other run threads have on the conversation."""
    assistant, message, _ = await begin(tmp_path, meeting())
    await assistant.answer(message, ACCEPT)
    mailbox = assistant.house.mailbox
    last = (await mailbox.thread(message.mail_thread_id))[-1]
    assert last.sender.email == "robin@vale.example"
    assert last.id in await assistant.house.outbox.sent_by_us([last.id])


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


async def test_nobody_is_mailed_a_meeting_that_is_not_wanted(tmp_path: Path) -> None:
    """Ignored: no event, no mail."""
    assistant, message, _ = await begin(tmp_path, meeting())
    await assistant.answer(message, IGNORE)
    assert (await assistant.sent(), await assistant.drafts()) == ([], [])


async def test_whom_the_person_invites_is_mailed(tmp_path: Path) -> None:
    """The edit's guests, in one mail, the user not among them."""
    assistant, message, card = await begin(tmp_path, meeting())
    await assistant.answer(
        message, edit(card, attendees="Bo Lee <bo@example.org>, robin@vale.example, ana@example.com")
    )
    (sent,) = await assistant.sent()
    assert "robin" not in str(sent["To"])
    people = [each["address"] for each in calendar_of(sent)["events"][0]["attendees"]]
    assert people == ["mailto:bo@example.org", "mailto:ana@example.com"]


async def test_a_calendar_that_invites_is_not_doubled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the provider writes to guests nobody else does, and the card says who will."""
    monkeypatch.setattr(IcsCalendar, "writes_to_guests", True)
    assistant, message, card = await begin(tmp_path, meeting())
    assert "gets an invitation from the calendar" in card["description"]
    await assistant.answer(message, ACCEPT)
    assert await assistant.sent() == []


async def test_a_meeting_without_guests_is_mailed_to_nobody(tmp_path: Path) -> None:
    """Nor does its card speak of a mail."""
    assistant, message, card = await begin(tmp_path, meeting(attendees=[]))
    assert "by mail" not in card["description"]
    await assistant.answer(message, ACCEPT)
    assert await assistant.sent() == []


async def test_who_has_no_address_is_told_that_nobody_is_mailed(tmp_path: Path) -> None:
    """Without an address of the user's nobody can be invited in their name."""
    assistant = desk(tmp_path, meeting(), EMAIL_ASSISTANT_EMAIL="")
    message = await assistant.receive(mail())
    card = await assistant.start(message)
    assert card is not None
    assert "no mail, because EMAIL\\_ASSISTANT\\_EMAIL does not say who you are" in card["description"]
    await assistant.answer(message, ACCEPT)
    assert await assistant.sent() == []
