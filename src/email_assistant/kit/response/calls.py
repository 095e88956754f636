"""The model's turn of the response agent, beside the offline rules that stand in for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from langchain_core.messages import AIMessage, BaseMessage

from email_assistant.kit.response import rules
from email_assistant.kit.response.transitions import said_about
from email_assistant.mail.message import Conversation
from email_assistant.meetings.own_meetings import Wished
from email_assistant.meetings.scheduling import MEETING
from email_assistant.models.call import AgentCall
from email_assistant.models.offline.preferences import preferences
from email_assistant.tools.mail_tools import REPLY
from email_assistant.tools.tool import User


def person(user: User) -> str:
    """The user, as prompts name them."""
    name, email = user.address.name or user.address.email or "the user", user.address.email or "unknown"
    return f"{name} <{email}>" + (f"\nBackground: {user.background}" if user.background else "")


@dataclass(frozen=True)
class RespondInput:
    """What the response agent knows besides its messages."""

    conversation: Conversation
    response_preferences: str
    cal_preferences: str
    user: User
    now: datetime
    wished: Wished | None = None
    """A change of a meeting of this conversation, where fixed rules find that the mail wishes one."""

    def variables(self) -> Mapping[str, str]:
        """Values for respond.md: the most stable ones come first there, so that the prefix can be cached."""
        return {
            "person": person(self.user),
            "response_preferences": self.response_preferences,
            "cal_preferences": self.cal_preferences,
            "timezone": self.user.timezone,
            "today": self.now.strftime("%A, %Y-%m-%d"),
        }


def _respond_offline(inputs: RespondInput, messages: Sequence[BaseMessage]) -> AIMessage:
    known = f"{inputs.response_preferences}\n{inputs.cal_preferences}".splitlines()
    return rules.respond(
        inputs.conversation,
        messages,
        user=inputs.user,
        now=inputs.now,
        wanted=preferences([*known, *said_about(REPLY.name, messages), *said_about(MEETING.name, messages)]),
        wished=inputs.wished,
    )


RESPOND: AgentCall[RespondInput] = AgentCall(
    name="respond", prompt="respond", tier="strong", offline=_respond_offline
)
