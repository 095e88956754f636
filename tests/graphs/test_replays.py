"""Actions that come back with other content after a crash: looked up, never blindly repeated, never a dead end."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.mail.message import Conversation
from email_assistant.meetings.scheduling import ScheduleMeetingArguments
from email_assistant.review.action import Action
from email_assistant.tools.mail_tools import SendEmailArguments
from email_assistant.tools.tool import AskAgain, Done, Turn
from tests.support.desk import Desk, desk, mail

MEETING = ScheduleMeetingArguments(
    title="Fitting", attendees=["ana@example.com"], start="2026-11-26T10:00", end="2026-11-26T10:30"
)
NOTHING: frozenset[str] = frozenset()


async def turn_of(assistant: Desk) -> Turn:
    """A turn about one mail."""
    message = await assistant.receive(mail())
    return Turn("thread", Conversation(message), assistant.house.user, "call_1")


async def test_a_meeting_edited_before_a_crash_and_accepted_after_it_is_created_once(tmp_path: Path) -> None:
    """The edit was performed, its checkpoint was lost, and the card is accepted as it was first shown."""
    assistant = desk(tmp_path)
    tool = assistant.parts.toolbox.actor("schedule_meeting")
    shown = await tool.prepare(MEETING, await turn_of(assistant))
    assert isinstance(shown, Action)
    edited = await tool.revise(shown, shown.args | {"title": "Fitting, moved"})
    assert isinstance(edited, Action)
    assert isinstance(await tool.perform(edited, acknowledged=NOTHING), Done)
    again = await tool.perform(shown, acknowledged=NOTHING)
    assert isinstance(again, Done)
    assert "already" in again.text
    found = await assistant.house.calendar.get(shown.details["event_id"])
    assert found is not None
    assert found.title == "Fitting, moved"


@pytest.mark.parametrize("changed", [False, True])
async def test_a_draft_that_a_crash_left_without_a_record_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: bool
) -> None:
    """The draft was saved, the process died, and the server forgot the run: the next run takes it away, unless a
    person has written in it."""
    assistant = desk(tmp_path)
    tool, turn = assistant.parts.toolbox.actor("send_email"), await turn_of(assistant)
    saved = MaildirMailbox.save_draft

    async def dies_after(*args: Any, **kwargs: Any) -> None:
        await saved(*args, **kwargs)
        raise KeyboardInterrupt

    monkeypatch.setattr(MaildirMailbox, "save_draft", dies_after)
    with pytest.raises(KeyboardInterrupt):
        await tool.prepare(SendEmailArguments(body="First words."), turn)
    monkeypatch.undo()
    (draft,) = await assistant.drafts()
    if changed:
        found = await assistant.house.mailbox.find_draft(draft["Message-ID"])
        assert found is not None
        by_hand = replace(found.message, body="By hand.")
        await assistant.house.mailbox.save_draft(by_hand, replaces=found.id)
    await assistant.parts.sending.drafts.sweep(turn.run_thread_id)
    assert ["By hand." in str(d) for d in await assistant.drafts()] == ([True] if changed else [])


async def test_a_draft_changed_by_hand_survives_a_replay(tmp_path: Path) -> None:
    """The person's words in the mailbox are not overwritten when the turn is replayed; accepting shows them first."""
    assistant = desk(tmp_path)
    tool, turn = assistant.parts.toolbox.actor("send_email"), await turn_of(assistant)
    first = await tool.prepare(SendEmailArguments(body="First words."), turn)
    assert isinstance(first, Action)
    draft = await assistant.house.mailbox.draft(first.details["draft_id"])
    assert draft is not None
    await assistant.house.mailbox.save_draft(replace(draft.message, body="By hand."), replaces=draft.id)
    action = await tool.prepare(SendEmailArguments(body="Other words."), turn)
    assert isinstance(action, Action)
    (kept,) = await assistant.drafts()
    assert "By hand." in str(kept)
    asked = await tool.perform(action, acknowledged=NOTHING)
    assert isinstance(asked, AskAgain)
    assert asked.action.args["body"].strip() == "By hand."
    assert await assistant.sent() == []
