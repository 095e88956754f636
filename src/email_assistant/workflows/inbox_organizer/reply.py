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
from email_assistant.kit.conversations import conversation_of, run_thread_id
from email_assistant.kit.reading import conversation_text
from email_assistant.kit.senders import sender
from email_assistant.mail.bulk import bulk_of
from email_assistant.mail.message import Conversation
from email_assistant.mail.text import fence
from email_assistant.mail.threading import answers, base_subject, since
from email_assistant.models.call import ModelCall
from email_assistant.models.offline.reply import reply_body
from email_assistant.review.action import Action
from email_assistant.review.risk import Sender
from email_assistant.tools.mail_tools import SendEmail, SendEmailArguments
from email_assistant.tools.tool import User
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.importance import Level
from email_assistant.workflows.inbox_organizer.reasons import importance_told
from email_assistant.workflows.inbox_organizer.state import OrganizerWork

IMPORTANT = "{who} {wants}; it is important."
NOTES = 3
"""Notes that a reply is written with."""


class ReplyAnswer(BaseModel):
    """A reply to the current message."""

    body: str = Field(
        min_length=1, max_length=20_000, description="The whole text, with greeting and sign-off."
    )


@dataclass(frozen=True)
class ReplyInput:
    """What writing a reply reads."""

    conversation: Conversation
    preferences: str
    user: User
    now: datetime
    notes: tuple[str, ...] = ()
    """What the assistant has noted about the matter before."""
    previous: str = ""
    """The draft that the person has sent back."""
    feedback: tuple[str, ...] = ()
    """What the person said about drafts, the oldest first."""

    def variables(self) -> Mapping[str, str]:
        """Values for reply.md."""
        said = [f"The person says: {each}\n" for each in self.feedback]
        if self.previous:
            said.insert(0, f"Your earlier draft was:\n{self.previous}\n\n")
        return {
            "name": self.user.address.name or self.user.address.email or "the user",
            "email": self.user.address.email or "unknown",
            "background": self.user.background or "Nothing is known.",
            "preferences": self.preferences,
            "timezone": self.user.timezone,
            "today": self.now.strftime("%A, %Y-%m-%d"),
            "feedback": "".join([*said, "\n"]) if said else "",
            "notes": f"Your notes on the matter:\n{fence(chr(10).join(self.notes), 'mail')}\n\n"
            if self.notes
            else "",
            "conversation": conversation_text(self.conversation, self.user.timezone),
        }


def _offline(inputs: ReplyInput) -> ReplyAnswer:
    body = reply_body(
        inputs.conversation,
        user_name=inputs.user.address.name,
        meeting=None,
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
        """Write a reply when the message is important, comes from a person who is not in doubt, and awaits one."""
        conversation = conversation_of(state["email_input"])
        important = Level(state["importance"]["level"]).at_least(Level.HIGH)
        doubted = sender(state.get("sender_warnings")) is Sender.IN_DOUBT
        if not important or doubted or not _awaits_reply(conversation, self.parts.user.own):
            return {}
        return await self._written(state, runtime, previous=None)

    async def reply_again(self, state: OrganizerWork, runtime: Runtime[None]) -> dict[str, Any]:
        """Write it anew with what the human said; the new draft takes the place of the old one."""
        before = Action.from_json(state["pending"] or {})
        return {"pending": None} | await self._written(state, runtime, previous=before)

    async def _written(
        self, state: OrganizerWork, runtime: Runtime[None], previous: Action | None
    ) -> dict[str, Any]:
        parts, conversation = self.parts, conversation_of(state["email_input"])
        preferences = await parts.profiles.read("response_preferences", runtime.store)
        notes = await self._notes(conversation)
        answer = await parts.models.run(
            REPLY,
            ReplyInput(
                conversation,
                preferences.content,
                parts.user,
                parts.clock.now(),
                notes,
                previous.args["body"] if previous else "",
                tuple((state.get("said") or {}).get(SendEmail.name, ())),
            ),
        )
        revision = previous.revision + 1 if previous else 1
        turn = parts.turn(state, run_thread_id(get_config()), "reply", revision)
        offline, said = parts.models.is_offline("strong"), (state.get("said") or {}).get(SendEmail.name, ())
        turn = replace(
            turn,
            previous=previous.as_json() if previous else None,
            unheeded=tuple(said) if offline else (),
            sources=tuple(
                Source("what is known", each, "ours") for each in (preferences.content, *notes, *said)
            ),
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
            reasons=(*action.reasons, importance_told(state)),
            facts={**action.facts, "offline": offline},
            headline=IMPORTANT,
        )
        return {"planned_reply": told.as_json()}

    async def _notes(self, conversation: Conversation) -> tuple[str, ...]:
        if self.parts.vault is None:
            return ()
        found = await self.parts.vault.search(base_subject(conversation.current.subject), NOTES)
        return tuple(f"{each.title}: {each.snippet}" for each in found)


def _awaits_reply(conversation: Conversation, own: frozenset[str]) -> bool:
    """Whether somebody waits for an answer that the user has not given yet."""
    current = conversation.current
    if current.sender.key in own:
        return False
    own_later = [m for m in since(current, conversation.earlier) if m.sent or m.sender.key in own]
    answered = any(answers(m, current, conversation.earlier, own) for m in own_later)
    return not answered and not bulk_of(current).one_way
