"""The model call that finds a mail's category and importance, beside the rules that stand in for it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import lru_cache, partial
from typing import Annotated, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from email_assistant.kit.conversations import user_values
from email_assistant.mail.address import format_addresses
from email_assistant.mail.headers import Bulk, bulk_of
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import fence, one_line
from email_assistant.models.call import ModelCall
from email_assistant.models.offline.offers import meeting_request
from email_assistant.tools.tool import User
from email_assistant.workflows.inbox_organizer.importance import Relation, importance_by_rule
from email_assistant.workflows.inbox_organizer.offline.categories import categorize
from email_assistant.workflows.inbox_organizer.offline.category import (
    CATEGORIES,
    MAX_PHRASE,
    MAX_PHRASES,
    MEANINGS,
    named_in,
)

ESCALATE_BELOW = 0.7
"""Below this confidence of the fast tier the strong one is asked."""
ASK_BELOW = 0.8
"""Below this a person is asked."""
SAID = 0.95
"""Confidence of the rule in a category that the person has named."""
MAX_TEXT = 3_000
MAX_FILE = 500
"""Of what stands in each file: it tells where the mail belongs."""
MAX_EARLIER = 2
MAX_EARLIER_TEXT = 400
_MAX_ADDRESSES = 400


def _bounded_phrases(value: object) -> object:
    """Long or many phrases are cut rather than asked for again: they only explain."""
    if not isinstance(value, list | tuple):
        return value
    return [one_line(v, limit=MAX_PHRASE) if isinstance(v, str) else v for v in value[:MAX_PHRASES]]


class CategoryAnswer(BaseModel):
    """The category and the importance of a message."""

    model_config = ConfigDict(frozen=True)

    reasoning: str = Field(description="One sentence for the user: why.")
    key_phrases: Annotated[tuple[str, ...], BeforeValidator(_bounded_phrases)] = Field(
        description=f"At most {MAX_PHRASES} phrases that decided it, exactly as they stand in the message."
    )
    category: str = Field(description="One of the categories, exactly as it is written.")
    confidence: float = Field(ge=0, le=1, description="How sure of the category, 0 to 1.")
    importance: float = Field(ge=0, le=1, description="How important for the user, 0 to 1.")
    wants_meeting: bool = Field(
        False, description="Whether it sets or proposes an appointment with a day and a time that is to come."
    )
    wants_reply: bool = Field(True, description="Whether somebody waits for an answer in words.")
    importance_reason: str = Field("", description="One sentence for the user: what makes it so important.")


@dataclass(frozen=True)
class CategorizeInput:
    """The inputs of categorizing."""

    conversation: Conversation
    user: User
    now: datetime
    categories: tuple[str, ...] = CATEGORIES
    relation: Relation = field(default_factory=Relation)
    """The sender's relation to the user."""
    feedback: str = ""
    """The person's words about another proposed category."""
    meanings: Mapping[str, str] = field(default_factory=lambda: MEANINGS)
    """What belongs into a category, by its name; one without is told to the model by its name alone."""

    @property
    def call(self) -> "ModelCall[CategorizeInput, CategoryAnswer]":
        """The call that answers with one of `categories`."""
        return categorize_call(self.categories)

    def variables(self) -> Mapping[str, str]:
        """Values for categorize.md."""
        return {
            **user_values(self.user),
            "categories": "\n".join(_listed(name, self.meanings.get(name, "")) for name in self.categories),
            "feedback": f"The person says about this message: {self.feedback}\n\n" if self.feedback else "",
            "today": self.now.strftime("%A, %Y-%m-%d"),
            "conversation": _conversation(self.conversation, self.relation),
        }


@lru_cache(maxsize=32)
def categorize_call(categories: tuple[str, ...]) -> ModelCall[CategorizeInput, CategoryAnswer]:
    """The call that answers with one of these categories, and with nothing else.

    The answer's schema lists them, so that the model is told, and any other name is unusable and asked for again;
    case and white space around are forgiven. `CategorizeInput.call` is the one that goes with an input.
    Raises `ValueError` when there are none or one is empty.
    """
    if not categories or not all(name.strip() for name in categories):
        raise ValueError("there must be at least one category, and each needs a name")
    return ModelCall(
        name="categorize",
        prompt="inbox_organizer/categorize",
        output=_answer_type(categories),
        tier="fast",
        offline=partial(_offline, categories),
        confidence=lambda answer: answer.confidence,
    )


def _answer_type(categories: tuple[str, ...]) -> type[CategoryAnswer]:
    written = {name.strip().casefold(): name for name in categories}

    def known(value: object) -> object:
        if not isinstance(value, str) or value in categories:
            return value
        return written.get(value.strip().casefold(), value)

    # Literal over a tuple of values that are known only now: a type checker cannot follow it.
    one_of = Annotated[Literal[categories], BeforeValidator(known)]  # type: ignore[valid-type]
    described = Field(description=CategoryAnswer.model_fields["category"].description)
    made = create_model(
        CategoryAnswer.__name__,
        __base__=CategoryAnswer,
        __doc__=CategoryAnswer.__doc__,
        category=(one_of, described),
    )
    return cast(type[CategoryAnswer], made)


def _offline(categories: tuple[str, ...], inputs: CategorizeInput) -> CategoryAnswer:
    weighed = importance_by_rule(
        inputs.conversation,
        inputs.relation,
        own=inputs.user.own,
        now=inputs.now,
        timezone=inputs.user.timezone,
    )
    found = {
        "importance": weighed.score,
        "importance_reason": weighed.reason,
        "wants_meeting": proposes_time(inputs.conversation, now=inputs.now, timezone=inputs.user.timezone),
    }
    said = named_in(inputs.feedback, categories)
    if said:
        return CategoryAnswer(
            reasoning="You said so.", key_phrases=(), category=said, confidence=SAID, **found
        )
    ruled = categorize(
        inputs.conversation,
        categories=categories,
        own=inputs.user.own,
        is_correspondent=inputs.relation.is_correspondent,
    )
    return CategoryAnswer(**asdict(ruled), **found)


def proposes_time(conversation: Conversation, *, now: datetime, timezone: str) -> bool:
    """Whether rules find that the message proposes a time to meet, or takes one; may read time zone data from disk."""
    request = meeting_request(conversation, now=now, timezone=timezone)
    return request is not None and bool(request.proposed)


def _listed(name: str, meaning: str) -> str:
    return f"- {one_line(name)}: {one_line(meaning)}" if meaning else f"- {one_line(name)}"


def _conversation(conversation: Conversation, relation: Relation) -> str:
    """The message as short as a category needs it; sender, marks of bulk mail and beginning tell most."""
    earlier = [
        _block("Earlier message", m, MAX_EARLIER_TEXT, ()) for m in conversation.earlier[-MAX_EARLIER:]
    ]
    current = conversation.current
    facts = (
        *_marks(bulk_of(current)),
        *(["the user has written to the sender before"] if relation.is_correspondent else []),
        *(["the sender is one of the user's VIPs"] if relation.is_vip and not relation.in_doubt else []),
    )
    return "\n\n".join([*earlier, _block("Current message", current, MAX_TEXT, facts)])


def _marks(bulk: Bulk) -> Sequence[str]:
    marks = {
        "went to a discussion list": bulk.is_discussion,
        "went to a mailing list": bulk.is_list and not bulk.is_discussion,
        "can be unsubscribed from": bulk.can_unsubscribe,
        "marked as bulk mail": bulk.is_marked,
        "sent by a program": bulk.is_automatic,
        "the sender reads no answers": bulk.is_no_reply,
    }
    return [mark for mark, holds in marks.items() if holds]


def _block(label: str, message: Message, limit: int, facts: Sequence[str]) -> str:
    text = message.text if len(message.text) <= limit else message.text[:limit] + "\n[cut]"
    lines = [
        f"From: {format_addresses((message.sender,))}",
        f"To: {one_line(format_addresses((*message.to, *message.cc)), limit=_MAX_ADDRESSES)}",
        f"Subject: {one_line(message.subject, limit=500)}",
        *[f"Attachment: {one_line(a.name, limit=100)} ({a.content_type})" for a in message.attachments[:5]],
        "",
        text,
        *[f"[in {one_line(a.name, limit=100)}]\n{a.text[:MAX_FILE]}" for a in message.attachments if a.text],
    ]
    known = f" ({'; '.join(facts)})" if facts else ""
    return f"{label}{known}:\n{fence(chr(10).join(lines), 'mail')}"
