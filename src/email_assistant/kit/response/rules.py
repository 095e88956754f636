"""The offline stand-in for the response agent: fixed rules that choose tool calls, and say so on every card."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from email_assistant.calendars.free_time import is_told_free
from email_assistant.kit.response.transitions import since_mail
from email_assistant.mail.address import Address
from email_assistant.mail.email_input import OWN_STYLE
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import one_line
from email_assistant.meetings.cancelling import CANCELLATION
from email_assistant.meetings.free_hours import days_asked_about
from email_assistant.meetings.guest_letter import LetterWriter
from email_assistant.meetings.guests import guests_wanted
from email_assistant.meetings.own_meetings import Wished
from email_assistant.meetings.scheduling import MEETING
from email_assistant.models.offline.courtesy import Courtesy, courtesy_of, first_name, person_named
from email_assistant.models.offline.meeting import MeetingRequest
from email_assistant.models.offline.meeting_change import CANCEL, MOVE
from email_assistant.models.offline.offers import meeting_request, not_understood
from email_assistant.models.offline.preferences import NONE, Preferences
from email_assistant.models.offline.reply import has_something_to_answer, reply_body
from email_assistant.models.offline.wanted import points_besides_meeting, points_of
from email_assistant.tools.inquiries import ANSWERED, Question
from email_assistant.tools.mail_tools import REPLY
from email_assistant.tools.outgoing import addressees, day_written
from email_assistant.tools.own_style import STYLE
from email_assistant.tools.tool import User

_CHANGED = ((MEETING.name, "Moved"), (CANCELLATION.name, "Cancelled"))
"""Tools, and how they begin to tell that a meeting was changed."""
WHAT_TO_SAY = "The mail asks nothing that rules could answer. What is the letter to say, word for word? Greeting and closing are added."


def respond(
    conversation: Conversation,
    messages: Sequence[BaseMessage],
    *,
    user: User,
    now: datetime,
    wanted: Preferences = NONE,
    wished: Wished | None = None,
) -> AIMessage:
    """The next turn: the meeting at the first time that is proposed, else a reply; always ends with `Done`.

    `wished` is a change of a meeting, about which the mail to its guests says all.
    """
    turn = since_mail(messages)
    if conversation.current.sender.key in user.own:
        return _reminding(conversation, turn, user, wanted, now)
    if changing := _changing(conversation, turn, wished, user, wanted, now):
        return changing
    request, said = meeting_request(conversation, now=now, timezone=user.timezone), _answer_in(turn)
    open_question = WHAT_TO_SAY if not (request or has_something_to_answer(conversation)) else ""
    if request and request.leaves_open:
        open_question = not_understood(conversation, now=now, timezone=user.timezone)
        # What the user answers is read as the mail's answer would be.
        answer = replace(conversation, current=replace(conversation.current, subject="", text=said))
        text = meeting_request(answer, now=now, timezone=user.timezone)
        request = text if text and text.proposed else None
    if request is None:
        if open_question and not (said or _has_words(turn)):
            return _calls(turn, [(Question.name, {"question": open_question}), ("Done", {})])
        return _calls(turn, [_reply(conversation, user, wanted, said=said), ("Done", {})])
    if (request.unread or request.over) and not (request.proposed or request.windows):
        # Another time than the mail means would be a guess; what was not understood is told on the reply's card.
        return _calls(turn, [_reply(conversation, user, wanted), ("Done", {})])
    if wanted.minutes and not request.names_length:
        request = replace(request, duration_minutes=wanted.minutes)
    return _calls(turn, _with_a_time(conversation, turn, request, user, wanted, now))


def _reminding(
    conversation: Conversation, turn: Sequence[BaseMessage], user: User, wanted: Preferences, now: datetime
) -> AIMessage:
    """The user's own letter is followed up."""
    body = reminder(conversation.current, user=user, wanted=wanted, now=now)
    return _calls(turn, [(REPLY.name, {"body": body}), ("Done", {})])


def _with_a_time(
    conversation: Conversation,
    turn: Sequence[BaseMessage],
    request: MeetingRequest,
    user: User,
    wanted: Preferences,
    now: datetime,
) -> list[tuple[str, dict[str, object]]]:
    """The meeting at the first time that the mail, else the user, has named, of several at the first free one; without one a reply, whose
    card tells what is free."""
    named, told = request.proposed or request.offered, _tool_text(turn, "check_calendar")
    coming = [] if request.asks_when else [start for start in named if start > now]
    if told is None and len(coming) != 1:
        days = days_asked_about(request, now, ZoneInfo(user.timezone))
        return [("check_calendar", {"days": [d.isoformat() for d in days]})]
    if not coming:
        return [_reply(conversation, user, wanted), ("Done", {})]
    length = timedelta(minutes=request.duration_minutes)
    free = (each for each in coming if told and is_told_free(told, each, each + length, user.timezone))
    meeting = _meeting(conversation, request, next(free, coming[0]), user)
    return [meeting, *_besides_meeting(conversation, user, wanted), ("Done", {})]


def _meeting(
    conversation: Conversation, request: MeetingRequest, start: datetime, user: User
) -> tuple[str, dict[str, object]]:
    """The call for the meeting, whose invitation is the answer."""
    return MEETING.name, {
        "title": request.title,
        "attendees": [each.email for each in guests_wanted(conversation, user.own)],
        "start": start.isoformat(),
        "end": (start + timedelta(minutes=request.duration_minutes)).isoformat(),
        "timezone": user.timezone,
        "location": request.location,
    }


def _besides_meeting(
    conversation: Conversation, user: User, wanted: Preferences
) -> list[tuple[str, dict[str, object]]]:
    """The reply to what the mail asks besides its meeting, if it does."""
    asks_more = bool(points_besides_meeting(conversation.current))
    return [_reply(conversation, user, wanted, besides_meeting=True)] if asks_more else []


def calling_off(wished: Wished | None, messages: Sequence[BaseMessage]) -> AIMessage | None:
    """The call that proposes to cancel the meeting which the mail calls off, once; whoever writes the reply goes on from there."""
    turn = since_mail(messages)
    if wished is None or wished.wish != CANCEL or wished.meeting is None:
        return None
    return None if _tool_text(turn, CANCELLATION.name) else _calls(turn, [(CANCELLATION.name, {})])


def own_style(email_input: Mapping[str, Any], messages: Sequence[BaseMessage]) -> AIMessage | None:
    """The call that proposes what was counted in the user's letters, then the end; None of any mail."""
    turn, given = since_mail(messages), email_input.get(OWN_STYLE)
    if not isinstance(given, Mapping):
        return None
    is_asked = _tool_text(turn, STYLE.name) is not None
    return _calls(turn, [("Done", {})] if is_asked else [(STYLE.name, dict(given))])


def _changing(
    conversation: Conversation,
    turn: Sequence[BaseMessage],
    wished: Wished | None,
    user: User,
    wanted: Preferences,
    now: datetime,
) -> AIMessage | None:
    """The call that moves the meeting to the time the mail names, or what is left to do when it was made, moved or cancelled."""
    if _was_called(turn, MEETING.name, "Created"):
        return _calls(turn, [*_besides_meeting(conversation, user, wanted), ("Done", {})])
    if any(_was_called(turn, tool, text) for tool, text in _CHANGED):
        return _calls(turn, [("Done", {})])
    if wished is None or wished.wish != MOVE:
        return None
    # Where its new time, or which meeting is meant, was not understood, no second meeting is made in its place.
    meeting = wished.moved(user.timezone, now)
    return _calls(
        turn, [(MEETING.name, meeting)] if meeting else [_reply(conversation, user, wanted), ("Done", {})]
    )


def _reply(
    conversation: Conversation, user: User, wanted: Preferences, **letter: Any
) -> tuple[str, dict[str, object]]:
    name, zone = user.address.name, user.timezone
    body = reply_body(conversation, user_name=name, timezone=zone, wanted=wanted, **letter)
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


def _answer_in(turn: Sequence[BaseMessage]) -> str:
    """What the user answered to the question of these rules, word for word; "" before."""
    text = _tool_text(turn, Question.name) or ""
    return text.removeprefix(ANSWERED) if text.startswith(ANSWERED) else ""


def _has_words(turn: Sequence[BaseMessage]) -> bool:
    """Whether the user has said what is to be written: what of it belongs into a letter no rule can tell."""
    return any("feedback" in message.additional_kwargs for message in turn)


def _was_called(turn: Sequence[BaseMessage], name: str, beginning: str) -> bool:
    return (_tool_text(turn, name) or "").startswith(beginning)


def reminder(letter: Message, *, user: User, wanted: Preferences, now: datetime) -> str:
    """The reminder by rules: what was asked, in the letter's own words, and when."""
    courtesy = courtesy_of(letter, wanted) or Courtesy("en")
    people = addressees(letter, user.own)
    name = people[0] if len(people) == 1 else Address("")
    written = day_written(letter, user.timezone)
    day = LetterWriter(courtesy, ZoneInfo(user.timezone), None, now.year).day(written) if written else ""
    asked = [f"> {each.asked}" for each in points_of(letter)]
    parts = (
        courtesy.greeting(first_name(name), person_named(name.name)),
        courtesy.says("reminder", day),
        "\n".join(asked),
        courtesy.closing(one_line(wanted.sign_off or user.address.name)),
    )
    return "\n\n".join(filter(None, parts))
