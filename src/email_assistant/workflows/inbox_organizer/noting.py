"""Notes in the person's vault, taken by a model or by rule: one note a matter, each mail once."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from email_assistant.kit.conversations import conversation_of, conversation_text, user_values
from email_assistant.kit.senders import sender
from email_assistant.mail.conversation import base_subject
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Conversation
from email_assistant.models.call import ModelCall
from email_assistant.models.offline.reading import body_words, sentences
from email_assistant.review.action import Policy, Risk, policy_for
from email_assistant.tools.tool import User
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.importance import Level
from email_assistant.workflows.inbox_organizer.notes import Note
from email_assistant.workflows.inbox_organizer.state import OrganizerWork

NOTED_FROM = Level.NORMAL

SENTENCES = 2
POINTS = 5
MAX_POINT = 200
_NUMBER = re.compile(r"\d")


class NoteAnswer(BaseModel):
    """What is worth noting about the current message."""

    worth_noting: bool
    title: str = Field("", max_length=300, description="The matter, in a few words.")
    summary: str = Field("", max_length=4000, description="At most three sentences.")
    key_points: list[str] = Field(default_factory=list, max_length=20)


@dataclass(frozen=True)
class NoteInput:
    """The inputs of taking notes."""

    conversation: Conversation
    user: User

    def variables(self) -> Mapping[str, str]:
        """Values for note.md."""
        return {
            **user_values(self.user),
            "conversation": conversation_text(self.conversation, self.user.timezone),
        }


def _offline(inputs: NoteInput) -> NoteAnswer:
    """The first sentences that are no greeting, and those that name a number."""
    message = inputs.conversation.current
    said = sentences(body_words(message))
    opening = [each[:MAX_POINT] for each in said if len(each) > 25]
    points = dict.fromkeys(" ".join(each.split())[:MAX_POINT] for each in said if _NUMBER.search(each))
    return NoteAnswer(
        worth_noting=bool(points),
        title=base_subject(message.subject) or "Without subject",
        summary=" ".join(opening[:SENTENCES]),
        key_points=list(points)[:POINTS],
    )


NOTE = ModelCall(
    name="take_note", prompt="inbox_organizer/note", output=NoteAnswer, tier="fast", offline=_offline
)


@dataclass(frozen=True)
class NotingNodes:
    """The node that takes notes."""

    parts: OrganizerDependencies

    async def note(self, state: OrganizerWork) -> dict[str, Any]:
        """Note what is worth looking up later, when there is a vault and policy lets it happen by itself."""
        conversation, parts = conversation_of(state["email_input"]), self.parts
        automatic = policy_for(Risk.REVERSIBLE, sender(state.get("sender_warnings"))) is Policy.AUTO
        important = Level(state["importance"]["level"]).at_least(NOTED_FROM)
        if parts.vault is None or not automatic or not important or bulk_of(conversation.current).one_way:
            return {}
        answer = await parts.models.run(NOTE, NoteInput(conversation, parts.user))
        if not answer.worth_noting:
            return {}
        written = await parts.vault.write(self._note(state, conversation, answer))
        message_id = conversation.current.id or conversation.current.message_id
        done = {"id": f"note:{message_id}", "name": "note", "params": {"path": written.path}}
        return {"note": written.path, "performed": [done | {"result": written.outcome, "success": True}]}

    def _note(self, state: OrganizerWork, conversation: Conversation, answer: NoteAnswer) -> Note:
        current = conversation.current
        return Note(
            key=current.mail_thread_id or current.id,
            title=answer.title.strip() or base_subject(current.subject) or "Without subject",
            created=self.parts.now(state),
            category=state["category"],
            sender=current.sender,
            message_id=current.message_id or current.id,
            subject=current.subject,
            text=current.text,
            summary=answer.summary,
            key_points=tuple(answer.key_points),
        )
