"""A reply to an important mail: written by a model or by rule, a draft in the mailbox and a card, never a send without approval."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from langgraph.config import get_config
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from email_assistant.errors import ConfigError, InputError
from email_assistant.facts.fact import Source
from email_assistant.kit.conversations import (
    conversation_of,
    conversation_text,
    corrections,
    run_thread_id,
    user_values,
)
from email_assistant.kit.senders import sender
from email_assistant.mail.conversation import answers, since
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Conversation
from email_assistant.meetings.answers import INVITATION
from email_assistant.meetings.cancelling import CANCELLATION
from email_assistant.meetings.scheduling import MEETING
from email_assistant.models.call import ModelCall
from email_assistant.models.offline.gaps import besides_meeting
from email_assistant.models.offline.preferences import NONE, Preferences, is_about_letters
from email_assistant.models.offline.reply import reply_body
from email_assistant.models.offline.triage import not_drafted
from email_assistant.review.action import Action
from email_assistant.review.risk import Sender
from email_assistant.tools.mail_tools import SendEmail, SendEmailArguments
from email_assistant.tools.tool import User
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.importance import Level
from email_assistant.workflows.inbox_organizer.sorting import importance_reason
from email_assistant.workflows.inbox_organizer.state import OrganizerWork

IMPORTANT = "{who} {wants}; it is important."
MET = "An invitation has answered the meeting: answer what else is asked, without a word about the time.\n\n"


class ReplyAnswer(BaseModel):
    """A reply to the current message."""

    body: str = Field(
        min_length=1, max_length=20_000, description="The whole text, with greeting and sign-off."
    )


@dataclass(frozen=True)
class ReplyInput:
    """The inputs of writing a reply."""

    conversation: Conversation
    preferences: str
    user: User
    now: datetime
    previous: str = ""
    """The draft that the person has sent back."""
    feedback: tuple[str, ...] = ()
    """The person's words about drafts, the oldest first."""
    besides_meeting: bool = False
    """Whether an invitation has answered when to meet, so that only the rest is left."""
    wanted: Preferences = NONE
    """What fixed rules follow of what the person wants."""

    def variables(self) -> Mapping[str, str]:
        """Values for reply.md."""
        return {
            **user_values(self.user),
            "preferences": self.preferences,
            "timezone": self.user.timezone,
            "today": self.now.strftime("%A, %Y-%m-%d"),
            "feedback": (MET if self.besides_meeting else "") + corrections(self.feedback, self.previous),
            "conversation": conversation_text(self.conversation, self.user.timezone),
        }


def _offline(inputs: ReplyInput) -> ReplyAnswer:
    body = reply_body(
        inputs.conversation,
        user_name=inputs.user.address.name,
        timezone=inputs.user.timezone,
        besides_meeting=inputs.besides_meeting,
        wanted=inputs.wanted,
    )
    return ReplyAnswer(body=body)


REPLY = ModelCall(
    name="write_reply", prompt="inbox_organizer/reply", output=ReplyAnswer, tier="strong", offline=_offline
)


@dataclass(frozen=True)
class ReplyNodes:
    """The nodes that write replies."""

    parts: OrganizerDependencies

    async def plan_reply(self, state: OrganizerWork, runtime: Runtime[None]) -> dict[str, Any]:
        """Write a reply when the message is important, comes from a person who is not in doubt, and awaits one.

        Not before its event was decided: who is told of a meeting has an answer.
        """
        conversation = conversation_of(state["email_input"])
        important = Level(state["importance"]["level"]).at_least(Level.HIGH)
        doubted = sender(state.get("sender_warnings")) is Sender.IN_DOUBT
        if not important or doubted or not _awaits_reply(conversation, self.parts.user.own):
            return {}
        event = state.get("planned_event")
        if event and tells_sender(Action.from_json(event), conversation):
            return {"reply_waits": True}
        return await self._written(state, runtime, previous=None)

    async def reply_after_event(self, state: OrganizerWork, runtime: Runtime[None]) -> dict[str, Any]:
        """Write the reply that waited for the event: when that was approved, to what else the mail asks, if anything."""
        asks_more = besides_meeting(conversation_of(state["email_input"]).current)
        written = not state.get("is_met") or asks_more
        return {"reply_waits": False} | (await self._written(state, runtime, None) if written else {})

    async def reply_again(self, state: OrganizerWork, runtime: Runtime[None]) -> dict[str, Any]:
        """Write it anew with what the human said; the new draft takes the place of the old one."""
        before = Action.from_json(state["pending"] or {})
        return {"pending": None} | await self._written(state, runtime, previous=before)

    async def _written(
        self, state: OrganizerWork, runtime: Runtime[None], previous: Action | None
    ) -> dict[str, Any]:
        parts, conversation = self.parts, conversation_of(state["email_input"])
        (preferences,) = await parts.profiles.recent(("response_preferences",), runtime.store)
        said_before = await parts.said_before(state)
        said = tuple((state.get("said") or {}).get(SendEmail.name, ()))
        answer = await parts.models.run(
            REPLY,
            ReplyInput(
                conversation,
                preferences.content + said_before,
                parts.user,
                parts.now(state),
                previous.args["body"] if previous else "",
                said,
                state.get("is_met") or False,
                await parts.profiles.wanted(runtime.store, said),
            ),
        )
        revision = previous.revision + 1 if previous else 1
        turn = parts.turn(state, run_thread_id(get_config()), "reply", revision)
        offline = parts.models.is_offline("strong")
        turn = replace(
            turn,
            previous=previous.as_json() if previous else None,
            ignored_words=tuple(each for each in said if offline and not is_about_letters(each)),
            sources=tuple(Source("what is known", each, "ours") for each in (preferences.content, *said)),
        )
        try:
            action = await parts.toolbox.actor(SendEmail.name).prepare(
                SendEmailArguments(body=answer.body), turn
            )
        except (ConfigError, InputError):
            return {}  # There is nobody to reply to, or in whose name.
        if not isinstance(action, Action):
            return {}  # It was answered already, approved earlier.
        told = replace(
            action,
            reasons=(*action.reasons, importance_reason(state)),
            facts={**action.facts, "offline": offline},
            headline=IMPORTANT,
        )
        return {"planned_reply": told.as_json()}


def tells_sender(event: Action, conversation: Conversation) -> bool:
    """Whether approving the event answers its mail: whoever wrote it gets the calendar's own."""
    if event.kind == MEETING.name:
        return conversation.current.sender.key in event.args["attendees"].lower()
    return event.kind in {INVITATION.name, CANCELLATION.name}


def _awaits_reply(conversation: Conversation, own: frozenset[str]) -> bool:
    """Whether somebody waits for an answer that the user has not given yet."""
    current = conversation.current
    if current.sender.key in own:
        return False
    own_later = [m for m in since(current, conversation.earlier) if m.sent or m.sender.key in own]
    answered = any(answers(m, current, conversation.earlier, own) for m in own_later)
    return not (answered or bulk_of(current).one_way or not_drafted(current, in_doubt=False))
