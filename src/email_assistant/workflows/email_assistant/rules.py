"""The offline stand-in for the response agent: fixed rules that choose tool calls, and say so on every card."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from email_assistant.mail.message import Conversation
from email_assistant.models.offline.meeting import MeetingRequest, meeting_request
from email_assistant.models.offline.meeting_change import CANCEL, MOVE
from email_assistant.models.offline.meeting_preferences import meeting_preferences
from email_assistant.models.offline.reply import reply_body
from email_assistant.tools.cancelling import CANCELLATION
from email_assistant.tools.mail_tools import REPLY
from email_assistant.tools.own_meetings import Wished
from email_assistant.tools.scheduling import MEETING
from email_assistant.tools.tool import User
from email_assistant.workflows.email_assistant.choosing_times import Hours, free_start, offered_times
from email_assistant.workflows.email_assistant.transitions import since_mail

_CHANGED = ((MEETING.name, "Moved"), (CANCELLATION.name, "Cancelled"))
"""Tools, and how they begin to tell that a meeting was changed."""


def respond(
    conversation: Conversation,
    messages: Sequence[BaseMessage],
    *,
    user: User,
    now: datetime,
    preferences: Sequence[str] = (),
    wished: Wished | None = None,
) -> AIMessage:
    """The next turn: look into the calendar for a meeting request, else reply; always ends with `Done`.

    `preferences` are lines about meetings, the latest last, that are followed as far as rules can read them; `wished` is a change of
    a meeting, about which the mail to its guests says all.
    """
    turn = since_mail(messages)
    if changing := _changing(turn, wished, user, now):
        return changing
    request = meeting_request(conversation, now=now, timezone=user.timezone)
    if request is None or _was_called(turn, MEETING.name, "Created"):
        when = _created_at(turn)
        return _calls(turn, [_reply(conversation, user, when), ("Done", {})])
    if request.unread and not (request.proposed or request.windows):
        # Another time than the mail means would be a guess; what was not understood is told on the reply's card.
        return _calls(turn, [_reply(conversation, user, None), ("Done", {})])
    calendar = _tool_text(turn, "check_calendar")
    if calendar is None:
        named = (*request.proposed, *(start for start, _ in request.windows))
        days = sorted({*(s.astimezone(ZoneInfo(user.timezone)).date() for s in named), *request.day_hints})
        days = days or [
            now.astimezone(ZoneInfo(user.timezone)).date() + timedelta(days=d) for d in range(1, 6)
        ]
        return _calls(turn, [("check_calendar", {"days": [d.isoformat() for d in days[:7]]})])
    wanted = meeting_preferences(preferences)
    if wanted.minutes and not request.names_length:
        request = replace(request, duration_minutes=wanted.minutes)
    hours = Hours(ZoneInfo(user.timezone), now, wanted, user.working_hours)
    return _calls(turn, [*_with_a_time(conversation, request, calendar, hours, user), ("Done", {})])


def _with_a_time(
    conversation: Conversation, request: MeetingRequest, calendar: str, hours: Hours, user: User
) -> list[tuple[str, dict[str, object]]]:
    """What to call once the calendar was looked at: a meeting with its reply, or a reply that offers times or names none."""
    if request.asks_when:
        return [_reply(conversation, user, None, offered_times(request, calendar, hours, conversation))]
    start = free_start(request, calendar, hours)
    if start is None:
        return [_reply(conversation, user, None)]
    end = start + timedelta(minutes=request.duration_minutes)
    local = start.astimezone(ZoneInfo(user.timezone)).strftime("%A %d %B %Y, %H:%M %Z")
    meeting: dict[str, object] = {
        "title": request.title,
        "attendees": [conversation.current.sender.email],
        "start": start.isoformat(),
        "end": end.isoformat(),
        "timezone": user.timezone,
        "location": request.location,
    }
    return [(MEETING.name, meeting), _reply(conversation, user, local)]


def calling_off(wished: Wished | None, messages: Sequence[BaseMessage]) -> AIMessage | None:
    """The call that proposes to cancel the meeting which the mail calls off, once; whoever writes the reply goes on from there."""
    turn = since_mail(messages)
    if wished is None or wished.wish != CANCEL or wished.meeting is None:
        return None
    return None if _tool_text(turn, CANCELLATION.name) else _calls(turn, [(CANCELLATION.name, {})])


def _changing(
    turn: Sequence[BaseMessage], wished: Wished | None, user: User, now: datetime
) -> AIMessage | None:
    """The call that moves the meeting to the time the mail names, or the end of the work when it was moved or cancelled."""
    if any(_was_called(turn, tool, told) for tool, told in _CHANGED):
        return _calls(turn, [("Done", {})])
    meeting = wished.moved(user.timezone, now) if wished and wished.wish == MOVE else None
    return _calls(turn, [(MEETING.name, meeting)]) if meeting else None


def _reply(
    conversation: Conversation, user: User, meeting: str | None, offered: Sequence[str] = ()
) -> tuple[str, dict[str, object]]:
    body = reply_body(conversation, user_name=user.address.name, meeting=meeting, offered=offered)
    return REPLY.name, {"body": body}


def _calls(turn: Sequence[BaseMessage], calls: list[tuple[str, dict[str, object]]]) -> AIMessage:
    """Tool calls with ids that differ from turn to turn but not from replay to replay."""
    seed = hashlib.sha256("\0".join(str(m.id or m.text) for m in turn).encode()).hexdigest()[:16]
    tool_calls = [
        {"name": name, "args": args, "id": f"rule_{seed}_{len(turn)}_{index}"}
        for index, (name, args) in enumerate(calls)
    ]
    return AIMessage("", tool_calls=tool_calls)


def _tool_text(turn: Sequence[BaseMessage], name: str) -> str | None:
    texts = [str(m.text) for m in turn if isinstance(m, ToolMessage) and m.name == name]
    return texts[-1] if texts else None


def _was_called(turn: Sequence[BaseMessage], name: str, beginning: str) -> bool:
    return (_tool_text(turn, name) or "").startswith(beginning)


def _created_at(turn: Sequence[BaseMessage]) -> str | None:
    """The time of a meeting that was created, as the reply names it."""
    found = re.search(r"(\d{4}-\d\d-\d\dT\d\d:\d\d)", _tool_text(turn, MEETING.name) or "")
    return datetime.fromisoformat(found.group(1)).strftime("%A %d %B %Y, %H:%M") if found else None
