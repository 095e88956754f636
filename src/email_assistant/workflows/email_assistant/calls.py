"""The two model calls of this graph, each beside the offline rule that stands in for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel, Field

from email_assistant.kit.conversations import conversation_text
from email_assistant.mail.message import Conversation
from email_assistant.meetings.own_meetings import Wished
from email_assistant.meetings.scheduling import MEETING
from email_assistant.models.call import AgentCall, ModelCall
from email_assistant.models.offline.learned import told_about
from email_assistant.models.offline.preferences import preferences
from email_assistant.models.offline.triage import triage
from email_assistant.tools.mail_tools import REPLY
from email_assistant.tools.tool import User
from email_assistant.workflows.email_assistant import rules
from email_assistant.workflows.email_assistant.transitions import said_about


class TriageVerdict(BaseModel):
    """What to do with a message."""

    reasoning: str = Field(description="Why, in one plain sentence for the person.")
    classification: Literal["ignore", "respond", "notify"]


@dataclass(frozen=True)
class TriageInput:
    """What triage reads."""

    conversation: Conversation
    preferences: str
    user: User

    def variables(self) -> Mapping[str, str]:
        """Values for triage.md."""
        return {
            "person": _person(self.user),
            "preferences": told_about(self.conversation.current.sender.key, self.preferences),
            "conversation": conversation_text(self.conversation, self.user.timezone),
        }


def _person(user: User) -> str:
    name, email = user.address.name or user.address.email or "the user", user.address.email or "unknown"
    return f"{name} <{email}>" + (f"\nBackground: {user.background}" if user.background else "")


def _triage_offline(inputs: TriageInput) -> TriageVerdict:
    user = inputs.user
    verdict = triage(inputs.conversation, preferences=inputs.preferences, own=user.own, called=user.called)
    return TriageVerdict(reasoning=verdict.reasoning, classification=verdict.classification)


TRIAGE = ModelCall(
    name="triage",
    prompt="email_assistant/triage",
    output=TriageVerdict,
    tier="fast",
    offline=_triage_offline,
    confidence=None,
)


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
            "person": _person(self.user),
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
    name="respond", prompt="email_assistant/respond", tier="strong", offline=_respond_offline
)
