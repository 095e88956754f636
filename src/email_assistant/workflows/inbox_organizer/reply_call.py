"""The model call that writes a reply to an important mail, beside the rule that stands in for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, Field

from email_assistant.mail.message import Conversation
from email_assistant.mail.text import fence
from email_assistant.models.call import ModelCall
from email_assistant.models.offline.reply import reply_body
from email_assistant.tools.tool import User
from email_assistant.workflows.kit.reading import conversation_text


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
