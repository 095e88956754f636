"""Notes in the person's vault, taken by a model or by rule: one note a matter, each mail once."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from email_assistant.errors import InputError
from email_assistant.kit.conversations import conversation_of
from email_assistant.kit.reading import conversation_text
from email_assistant.kit.senders import sender
from email_assistant.mail.bulk import bulk_of
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.threading import base_subject
from email_assistant.models.call import ModelCall
from email_assistant.models.offline.reading import body_words, sentences
from email_assistant.review.risk import Policy, Risk, policy_for
from email_assistant.tools.tool import User
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.importance import Level
from email_assistant.workflows.inbox_organizer.notes.note import Note
from email_assistant.workflows.inbox_organizer.state import OrganizerWork

NOTED_FROM = Level.NORMAL

SENTENCES = 2
POINTS = 5
MAX_POINT = 200
_NUMBER = re.compile(r"\d")
_LINK = re.compile(r"https://[^\s<>\"')\]]{4,500}")


def _key_points(message: Message) -> tuple[str, ...]:
    """The sentences of the message that name a number, bounded."""
    found = [" ".join(each.split()) for each in sentences(body_words(message)) if _NUMBER.search(each)]
    return tuple(dict.fromkeys(each[:MAX_POINT] for each in found))[:POINTS]


def _summary(message: Message) -> str:
    """The beginning of the message, without a greeting."""
    found = [each for each in sentences(body_words(message)) if len(each) > 25]
    return " ".join(each[:MAX_POINT] for each in found[:SENTENCES])


def _links(message: Message) -> tuple[str, ...]:
    """The https addresses that stand in the message, the first few."""
    return tuple(dict.fromkeys(match.group() for match in _LINK.finditer(message.text[:60_000])))[:POINTS]


class NoteAnswer(BaseModel):
    """What is worth noting about the current message."""

    worth_noting: bool
    title: str = Field("", max_length=300, description="The matter, in a few words.")
    summary: str = Field("", max_length=4000, description="At most three sentences.")
    key_points: list[str] = Field(default_factory=list, max_length=20)
    links: list[str] = Field(default_factory=list, max_length=20)


@dataclass(frozen=True)
class NoteInput:
    """What taking notes reads."""

    conversation: Conversation
    user: User

    def variables(self) -> Mapping[str, str]:
        """Values for note.md."""
        return {
            "name": self.user.address.name or self.user.address.email or "the user",
            "email": self.user.address.email or "unknown",
            "background": self.user.background or "Nothing is known.",
            "conversation": conversation_text(self.conversation, self.user.timezone),
        }


def _offline(inputs: NoteInput) -> NoteAnswer:
    message = inputs.conversation.current
    points = _key_points(message)
    return NoteAnswer(
        worth_noting=bool(points),
        title=base_subject(message.subject) or "Without subject",
        summary=_summary(message),
        key_points=list(points),
        links=list(_links(message)),
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
        try:
            written = await parts.vault.write(
                self._note(state, conversation, answer.title, answer.summary, answer.key_points, answer.links)
            )
        except InputError:
            return {}  # Nothing that could be noted was left of the answer.
        message_id = conversation.current.id or conversation.current.message_id
        done = {"id": f"note:{message_id}", "name": "note", "params": {"path": written.path}}
        return {"note": written.path, "performed": [done | {"result": written.outcome, "success": True}]}

    def _note(
        self,
        state: OrganizerWork,
        conversation: Conversation,
        title: str,
        summary: str,
        points: list[str],
        links: list[str],
    ) -> Note:
        current = conversation.current
        standing = [link for link in links if link in current.text]
        return Note(
            key=current.mail_thread_id or current.id,
            title=title.strip() or base_subject(current.subject) or "Without subject",
            created=self.parts.clock.now(),
            category=state["category"],
            sender=current.sender,
            message_id=current.message_id or current.id,
            subject=current.subject,
            summary=summary,
            key_points=tuple(points),
            links=tuple(standing),
        )
