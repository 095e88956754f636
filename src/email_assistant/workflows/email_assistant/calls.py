"""The model call that triages, beside the offline rule that stands in for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from email_assistant.kit.conversations import conversation_text
from email_assistant.kit.response.calls import person
from email_assistant.mail.message import Conversation
from email_assistant.models.call import ModelCall
from email_assistant.models.offline.learned import preferences_about
from email_assistant.models.offline.triage import triage
from email_assistant.tools.tool import User


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
            "person": person(self.user),
            "preferences": preferences_about(self.conversation.current.sender.key, self.preferences),
            "conversation": conversation_text(self.conversation, self.user.timezone),
        }


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
