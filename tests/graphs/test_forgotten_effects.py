"""Effects that were begun when the process died, and that its server has forgotten all of: looked up, and never left open."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from email_assistant.adapters.ics_calendar import IcsCalendar
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.mail.message import Conversation
from email_assistant.meetings.scheduling import ScheduleMeetingArguments
from email_assistant.review.action import Action
from email_assistant.tools.mail_tools import SendEmailArguments
from email_assistant.tools.tool import Done, Turn
from tests.support.desk import Desk, desk, mail

MEETING = ScheduleMeetingArguments(
    title="Fitting", attendees=["ana@example.com"], start="2026-11-26T10:00", end="2026-11-26T10:30"
)
REPLY = SendEmailArguments(body="It is 40 euro.")
NOTHING: frozenset[str] = frozenset()


class Killed(BaseException):
    """The process died here."""


def dies(monkeypatch: pytest.MonkeyPatch, owner: type[Any], name: str, *, done: bool) -> None:
    """Let the process die when it comes to this, before it is done or after."""
    original: Callable[..., Awaitable[Any]] = getattr(owner, name)

    async def dying(*args: Any, **kwargs: Any) -> None:
        if done:
            await original(*args, **kwargs)
        raise Killed

    monkeypatch.setattr(owner, name, dying)


async def begun(
    assistant: Desk,
    kind: str,
    args: Any,
    monkeypatch: pytest.MonkeyPatch,
    owner: type[Any],
    name: str,
    *,
    done: bool,
) -> Turn:
    """Perform it and die; the turn of the run that comes next and remembers nothing."""
    message = await assistant.receive(mail())
    turn = Turn("thread", Conversation(message), assistant.house.user, "call_1")
    tool = assistant.parts.toolbox.actor(kind)
    action = await tool.prepare(args, turn)
    assert isinstance(action, Action)
    dies(monkeypatch, owner, name, done=done)
    with pytest.raises(Killed):
        await tool.perform(action, acknowledged=NOTHING)
    monkeypatch.undo()
    assert [row.kind for row in await assistant.house.outbox.pending()] == [action_kind(kind)]
    return replace(turn, tool_call_id="call_of_another_run")


def action_kind(tool: str) -> str:
    """What the outbox calls a tool's effect."""
    return {"schedule_meeting": "meeting", "send_email": "send"}[tool]


@pytest.mark.parametrize("done", [True, False])
async def test_a_meeting_is_created_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: bool) -> None:
    """It is found in the calendar under its id and is not proposed again; one that is not there is."""
    assistant = desk(tmp_path)
    turn = await begun(assistant, "schedule_meeting", MEETING, monkeypatch, IcsCalendar, "create", done=done)
    tool = assistant.parts.toolbox.actor("schedule_meeting")
    found = await tool.prepare(MEETING, turn)
    assert await assistant.house.outbox.pending() == []
    if isinstance(found, Action):
        assert isinstance(await tool.perform(found, acknowledged=NOTHING), Done)
    assert isinstance(found, Done) is done
    calendar = (assistant.house.settings.calendar_path or Path()).read_text()
    assert calendar.count("BEGIN:VEVENT") == 1


@pytest.mark.parametrize("swept", [True, False])
@pytest.mark.parametrize("done", [True, False])
async def test_a_reply_is_sent_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: bool, swept: bool
) -> None:
    """It is found among the sent ones; when its draft is still there it was not sent, though the draft be swept away."""
    assistant = desk(tmp_path)
    turn = await begun(assistant, "send_email", REPLY, monkeypatch, MaildirMailbox, "send_draft", done=done)
    if swept:
        await assistant.parts.sending.drafts.sweep(turn.run_thread_id)
    tool = assistant.parts.toolbox.actor("send_email")
    found = await tool.prepare(REPLY, turn)
    assert await assistant.house.outbox.pending() == []
    if isinstance(found, Action):
        assert isinstance(await tool.perform(found, acknowledged=NOTHING), Done)
    assert isinstance(found, Done) is done
    assert len(await assistant.sent()) == 1
