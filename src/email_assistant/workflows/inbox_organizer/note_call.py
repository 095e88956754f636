"""The model call that takes notes, beside the rule that stands in for it."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, Field

from email_assistant.mail.message import Conversation
from email_assistant.mail.threading import base_subject
from email_assistant.models.call import ModelCall
from email_assistant.tools.tool import User
from email_assistant.workflows.inbox_organizer.offline import noting
from email_assistant.workflows.kit.reading import conversation_text


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
    points = noting.key_points(message)
    return NoteAnswer(
        worth_noting=bool(points),
        title=base_subject(message.subject) or "Without subject",
        summary=noting.summary(message),
        key_points=list(points),
        links=list(noting.links(message)),
    )


NOTE = ModelCall(
    name="take_note", prompt="inbox_organizer/note", output=NoteAnswer, tier="fast", offline=_offline
)
