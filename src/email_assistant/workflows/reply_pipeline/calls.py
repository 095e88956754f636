"""The model calls of this graph, each beside the offline rule that stands in for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from pydantic import BaseModel, Field

from email_assistant.kit.conversations import conversation_text, corrections, user_values
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Conversation
from email_assistant.mail.text import fence
from email_assistant.models.call import ModelCall
from email_assistant.models.offline import words
from email_assistant.models.offline.preferences import NONE, Preferences
from email_assistant.models.offline.reading import orders_an_assistant, own_words
from email_assistant.models.offline.reply import reply_body
from email_assistant.tools.tool import User
from email_assistant.workflows.reply_pipeline.tools import RULES

IntentClass = Literal["inquiry", "meeting_request", "complaint", "follow_up", "spam", "other"]


@dataclass(frozen=True, slots=True)
class IntentRule:
    """A class, how sure the rule is, and the rule in one sentence."""

    intent: IntentClass
    confidence: float
    reasoning: str


def intent_of(conversation: Conversation, *, own: frozenset[str]) -> IntentRule:
    """What the current message wants; the first rule that applies decides. `own`: the user's addresses, lower case."""
    message = conversation.current
    if orders_an_assistant(message):
        return IntentRule("spam", 0.6, "It contains instructions aimed at an assistant.")
    text, one_way = " ".join(own_words(message).split()), bulk_of(message).one_way
    took_part = conversation.has_part_of(own)
    return _unwanted(text, one_way=one_way) or _wanted(text, one_way=one_way, took_part=took_part)


def _unwanted(text: str, *, one_way: bool) -> IntentRule | None:
    advertising = sum(pattern.search(text) is not None for pattern in words.MARKETING)
    if advertising < 2 and not words.NEW_BANK_DETAILS.search(text):
        return None
    sure = 0.9 if one_way and advertising > 2 else 0.7
    return IntentRule("spam", sure, "It reads like advertising or a fraud.")


def _wanted(text: str, *, one_way: bool, took_part: bool) -> IntentRule:
    asks = bool(words.QUESTION.search(text) or words.REQUEST.search(text))
    rules = (
        (words.COMPLAINT.search(text), "complaint", 0.85, "It speaks of something that went wrong."),
        (asks and words.MEETING.search(text), "meeting_request", 0.85, "It asks for a meeting or an appointment."),
        (took_part, "follow_up", 0.85, "It goes on with a conversation that you have taken part in."),
        (one_way, "other", 0.7, "It was sent to many, or by a program."),
        (asks, "inquiry", 0.85, "It asks for something."),
    )  # fmt: skip
    for holds, intent, confidence, reasoning in rules:
        if holds:
            return IntentRule(intent, confidence, reasoning)  # type: ignore[arg-type]
    return IntentRule("other", 0.6, "Nothing in it says what it wants.")


CLASSES: tuple[str, ...] = get_args(IntentClass)
TONES: Mapping[str, str] = {
    "inquiry": "professional",
    "meeting_request": "professional",
    "complaint": "empathetic",
    "follow_up": "friendly",
    "spam": "professional",
    "other": "professional",
}
SURE = 0.8
"""From here on a confidence counts as high."""


class Classification(BaseModel):
    """What a message wants."""

    reasoning: str = Field(max_length=2_000, description="One plain sentence: why.")
    classification: IntentClass
    confidence: float = Field(ge=0, le=1)


class ToolChoice(BaseModel):
    """Which tools help to answer."""

    tools: list[str] = Field(max_length=20, description="Names from the list, none twice.")
    reasoning: str = Field(default="", max_length=2_000, description="One plain sentence: why these.")


class Generated(BaseModel):
    """A reply to the current message."""

    body: str = Field(
        min_length=1, max_length=20_000, description="The whole text, with greeting and sign-off."
    )
    confidence: float = Field(
        ge=0, le=1, description="How sure it is that the person would send it as it is."
    )
    tools_used: list[str] = Field(
        default_factory=list, max_length=20, description="Tools whose results stand in it."
    )


@dataclass(frozen=True)
class ClassifyInput:
    """Input of `classify`."""

    conversation: Conversation
    user: User

    def variables(self) -> Mapping[str, str]:
        """Values for classify.md."""
        return user_values(self.user) | {
            "conversation": conversation_text(self.conversation, self.user.timezone)
        }


@dataclass(frozen=True)
class DecideInput:
    """Input of `decide_tools`."""

    conversation: Conversation
    user: User
    classification: str
    context: Sequence[str]
    tools: Mapping[str, str]
    """Name → what it does."""

    def variables(self) -> Mapping[str, str]:
        """Values for decide_tools.md."""
        return user_values(self.user) | {
            "classification": self.classification,
            "tools": "\n".join(f"- {name}: {text}" for name, text in self.tools.items()),
            "context": _found(self.context),
            "conversation": conversation_text(self.conversation, self.user.timezone),
        }


@dataclass(frozen=True)
class GenerateInput:
    """Input of `generate`."""

    conversation: Conversation
    user: User
    now: datetime
    classification: str
    preferences: str
    context: Sequence[str] = ()
    tool_results: Sequence[str] = ()
    previous: str = ""
    feedback: tuple[str, ...] = ()
    """The person's words about drafts, the oldest first."""
    wanted: Preferences = NONE
    """What fixed rules follow of what the person wants."""

    def variables(self) -> Mapping[str, str]:
        """Values for generate.md."""
        results = "\n".join(self.tool_results)
        return user_values(self.user) | {
            "tone": TONES[self.classification],
            "classification": self.classification,
            "preferences": self.preferences,
            "timezone": self.user.timezone,
            "today": self.now.strftime("%A, %Y-%m-%d"),
            "feedback": corrections(self.feedback, self.previous),
            "context": _found(self.context),
            "results": f"What the tools found:\n{fence(results, 'mail')}\n\n" if results else "",
            "conversation": conversation_text(self.conversation, self.user.timezone),
        }


def _found(context: Sequence[str]) -> str:
    return f"What was found:\n{fence(chr(10).join(context), 'mail')}\n\n" if context else ""


def _classify_offline(inputs: ClassifyInput) -> Classification:
    ruled = intent_of(inputs.conversation, own=inputs.user.own)
    return Classification(reasoning=ruled.reasoning, classification=ruled.intent, confidence=ruled.confidence)


def _decide_offline(inputs: DecideInput) -> ToolChoice:
    rule = RULES[inputs.classification]
    return ToolChoice(
        tools=[*rule.required, *rule.optional], reasoning="What the rules give this kind of mail."
    )


def _generate_offline(inputs: GenerateInput) -> Generated:
    body = reply_body(
        inputs.conversation,
        user_name=inputs.user.address.name,
        timezone=inputs.user.timezone,
        wanted=inputs.wanted,
    )
    # A rule writes an acknowledgement with gaps; that is never to be sent unread.
    return Generated(body=body, confidence=0.5)


CLASSIFY = ModelCall(
    name="classify",
    prompt="reply_pipeline/classify",
    output=Classification,
    tier="fast",
    offline=_classify_offline,
)
DECIDE = ModelCall(
    name="decide_tools",
    prompt="reply_pipeline/decide_tools",
    output=ToolChoice,
    tier="fast",
    offline=_decide_offline,
)
GENERATE = ModelCall(
    name="generate",
    prompt="reply_pipeline/generate",
    output=Generated,
    tier="strong",
    offline=_generate_offline,
)
