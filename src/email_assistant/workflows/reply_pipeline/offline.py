"""The intent of a message, by rule: the stand-in of the reply pipeline's classification."""

from dataclasses import dataclass
from typing import Literal

from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Conversation
from email_assistant.models.offline import words
from email_assistant.models.offline.injection import orders_an_assistant
from email_assistant.models.offline.reading import own_words

Intent = Literal["inquiry", "meeting_request", "complaint", "follow_up", "spam", "other"]


@dataclass(frozen=True, slots=True)
class IntentRule:
    """A class, how sure the rule is, and the rule in one sentence."""

    intent: Intent
    confidence: float
    reasoning: str


def intent_of(conversation: Conversation, *, own: frozenset[str]) -> IntentRule:
    """What the current message wants; the first rule that applies decides. `own`: the user's addresses, lower case."""
    message = conversation.current
    if orders_an_assistant(message):
        return IntentRule("spam", 0.6, "It contains instructions aimed at an assistant.")
    text, one_way = " ".join(own_words(message).split()), bulk_of(message).one_way
    took_part = any(earlier.sender.key in own for earlier in conversation.earlier)
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
