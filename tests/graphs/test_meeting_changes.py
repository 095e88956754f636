"""A meeting that was made here is moved and called off from its conversation: one card, one event, one mail to the guests each."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from email_assistant.calendars.event import Event
from email_assistant.mail.message import Message
from tests.graphs.test_assistant import ACCEPT, IGNORE, edit
from tests.graphs.test_guests import calendar_of
from tests.support.desk import Desk, desk, mail, organizer

ASKS = "Hi Robin,\n\ncould we meet on Thursday 26 November 2026 at 10:00 in the workshop?\n\nAna"
MOVES = "Hi Robin,\n\ncan we move Thursday to Friday at 11:00?\n\nAna"
CANCELS = "Hi Robin,\n\nI'm afraid I have to cancel our meeting on Thursday.\n\nAna"
ELEVEN = "2026-11-27T11:00:00+01:00"


async def made(folder: Path, of: Any = desk) -> Desk:
    """A desk with a meeting on Thursday that a mail has led to."""
    assistant: Desk = of(folder)
    message = await assistant.receive(mail(ASKS, subject="Fitting"))
    card = await assistant.start(message)
    for _ in range(4):
        if card is None:
            break
        is_meeting = card["action_request"]["action"].startswith("Schedule meeting: ")
        card = await assistant.answer(message, ACCEPT if is_meeting or of is organizer else IGNORE)
    assert [each.title for each in await events(assistant)] == ["Fitting"]
    assert [calendar_of(each)["method"] for each in await assistant.scheduling()] == ["REQUEST"]
    return assistant


async def later(assistant: Desk, body: str, number: int = 2) -> tuple[Message, dict[str, Any] | None]:
    """Ana writes again in the conversation; the message, and the card about the meeting."""
    raw = mail(
        body,
        subject="Re: Fitting",
        message_id=f"<m{number}@example.com>",
        reply_to_id="<m1@example.com>",
        minutes=number,
    )
    message = await assistant.receive(raw)
    card = await assistant.start(message)
    while card and card["action_request"]["action"].startswith("Label as "):
        card = await assistant.answer(message, ACCEPT)
    return message, card


async def events(assistant: Desk) -> list[Event]:
    """What is in the calendar and has not been called off."""
    path = assistant.house.settings.calendar_path
    assert path is not None
    uids = [line.removeprefix("UID:") for line in path.read_text().splitlines() if line.startswith("UID:")]
    found = [await assistant.house.calendar.find(uid) for uid in uids]
    return [each for each in found if each and not each.cancelled]


async def told(assistant: Desk) -> list[tuple[str, int, str]]:
    """Method, revision and start of what guests were mailed, by revision."""
    mails = [calendar_of(each) for each in await assistant.scheduling()]
    return sorted(
        ((each["method"], each["events"][0]["sequence"], each["events"][0]["start"]["at"]) for each in mails),
        key=lambda each: each[1],
    )


@pytest.mark.parametrize("of", [desk, organizer])
async def test_a_meeting_is_moved(tmp_path: Path, of: Any) -> None:
    """One card, which says from when; one event, with its length and place; a new revision to the guest; nothing else is asked."""
    assistant = await made(tmp_path, of)
    (before,) = await events(assistant)
    message, card = await later(assistant, MOVES)
    assert card is not None
    assert card["action_request"]["action"] == "Schedule meeting: Fitting (message 2)"
    assert card["action_request"]["args"]["start"] == ELEVEN
    assert "Ana asks to move “Fitting” from Thu 26 Nov, 10:00" in card["description"]
    assert "gets the new time by mail" in card["description"]
    again = await assistant.answer(message, ACCEPT)
    assert again is None or not again["action_request"]["action"].startswith("Schedule")
    (after,) = await events(assistant)
    assert (after.uid, after.sequence, after.start.isoformat()) == (
        before.uid,
        1,
        "2026-11-27T10:00:00+00:00",
    )
    assert after.end - after.start == before.end - before.start
    assert await told(assistant) == [
        ("REQUEST", 0, "2026-11-26T09:00:00.000Z"), ("REQUEST", 1, "2026-11-27T10:00:00.000Z"),
    ]  # fmt: skip
    if of is desk:
        assert (again, await assistant.letters(), await assistant.drafts()) == (None, [], [])


@pytest.mark.parametrize("of", [desk, organizer])
async def test_a_meeting_is_called_off(tmp_path: Path, of: Any) -> None:
    """One card; the event is cancelled and leaves the time free; the guest is told, once, and no further letter is written."""
    assistant = await made(tmp_path, of)
    message, card = await later(assistant, CANCELS)
    assert card is not None
    assert card["action_request"]["action"] == "Cancel meeting: Fitting (message 2)"
    assert (card["config"]["allow_accept"], card["config"]["allow_edit"]) == (True, True)
    again = await assistant.answer(message, ACCEPT)
    assert await events(assistant) == []
    assert [each[:2] for each in await told(assistant)] == [("REQUEST", 0), ("CANCEL", 1)]
    if of is desk:
        assert (again, await assistant.letters()) == (None, [])


async def test_a_guest_who_is_dropped_hears_of_it(tmp_path: Path) -> None:
    """With the edit's guests: the new one is invited, the old one gets a cancellation."""
    assistant = await made(tmp_path)
    message, card = await later(assistant, MOVES)
    assert card is not None
    await assistant.answer(message, edit(card, attendees="bo@example.org"))
    mails = await assistant.scheduling()
    both = {
        str(each["To"]): calendar_of(each)["method"]
        for each in mails
        if "Invitation" not in str(each["Subject"])
    }
    assert both == {"bo@example.org": "REQUEST", "ana@example.com": "CANCEL"}


async def test_what_is_gone_meanwhile_is_asked_about(tmp_path: Path) -> None:
    """A meeting that was cancelled elsewhere is not moved; accepted once more it is made anew."""
    assistant = await made(tmp_path)
    (event,) = await events(assistant)
    message, _ = await later(assistant, MOVES)
    await assistant.house.calendar.cancel(event.uid)
    again = await assistant.answer(message, ACCEPT)
    assert again is not None
    assert again["description"].startswith("The meeting is no longer in your calendar.")
    await assistant.answer(message, ACCEPT)
    (new,) = await events(assistant)
    assert (new.uid != event.uid, new.sequence) == (True, 0)


async def test_without_a_meeting_nothing_is_cancelled(tmp_path: Path) -> None:
    """The words alone are no reason: what nobody has made here is not called off."""
    assistant = desk(tmp_path)
    message = await assistant.receive(mail(CANCELS))
    card = await assistant.start(message)
    assert card is None or not card["action_request"]["action"].startswith("Cancel")


async def test_a_meeting_is_moved_by_what_the_mail_says(tmp_path: Path) -> None:
    """The card has the new time and no doubts about it, and there is one meeting in the end."""
    assistant = await made(tmp_path)
    message, card = await later(assistant, "Hi Robin,\n\nCould we move Thursday to Friday?\n\nAna")
    assert card is not None
    assert card["action_request"]["args"]["start"] == (start := "2026-11-27T10:00:00+01:00")
    assert "The mail names" not in card["description"]
    await assistant.answer(message, ACCEPT)
    assert [each.start for each in await events(assistant)] == [datetime.fromisoformat(start)]


@pytest.mark.parametrize("wish", ["could we move our meeting to Wednesday?", "could we meet an hour later?"])
async def test_a_new_time_that_is_not_understood_makes_no_second_meeting(tmp_path: Path, wish: str) -> None:
    """Of a meeting on Thursday "Wednesday" may be the day before, or a week on: a reply waits for the user's words."""
    _, card = await later(await made(tmp_path), f"Hi Robin,\n\n{wish}\n\nAna")
    assert card is not None
    assert "body" in card["action_request"]["args"]
