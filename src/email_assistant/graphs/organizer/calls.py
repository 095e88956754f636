"""The model calls of this graph, each beside the offline rule that stands in for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from email_assistant.graphs.reading import conversation_text
from email_assistant.mail.message import Conversation
from email_assistant.models.call import ModelCall
from email_assistant.models.offline.categories import categorize
from email_assistant.tools.tool import User

UNSURE_BELOW = 0.7
"""Below this the strong tier is asked again."""
ASK_BELOW = 0.8
"""Below this a person is asked."""


class CategoryAnswer(BaseModel):
    """Which category a message belongs to."""

    reasoning: str = Field(max_length=2000, description="One sentence for the user: why.")
    category: str
    confidence: float = Field(ge=0, le=1, description="How sure you are, 0 to 1.")
    key_phrases: list[str] = Field(
        default_factory=list,
        max_length=20,
        description="Up to five short pieces of the message, word for word.",
    )


@dataclass(frozen=True)
class CategorizeInput:
    """What categorizing reads."""

    conversation: Conversation
    categories: tuple[str, ...]
    user: User
    feedback: str = ""
    """What the person said about the category that was proposed first."""
    is_correspondent: bool = False

    def variables(self) -> Mapping[str, str]:
        """Values for categorize.md: what is the same for every message comes first there."""
        said = f"The person says about this message: {self.feedback}\n" if self.feedback else ""
        return {
            "categories": "\n".join(f"- {category}" for category in self.categories),
            "name": self.user.address.name or self.user.address.email or "the user",
            "email": self.user.address.email or "unknown",
            "background": self.user.background or "Nothing is known.",
            "feedback": said,
            "conversation": conversation_text(self.conversation, self.user.timezone),
        }


def _offline(inputs: CategorizeInput) -> CategoryAnswer:
    ruled = categorize(
        inputs.conversation,
        categories=inputs.categories,
        own=inputs.user.own,
        is_correspondent=inputs.is_correspondent,
        feedback=inputs.feedback,
    )
    return CategoryAnswer(
        reasoning=ruled.reasoning,
        category=ruled.category,
        confidence=ruled.confidence,
        key_phrases=list(ruled.key_phrases),
    )


@cache
def categorize_call(categories: tuple[str, ...]) -> ModelCall[CategorizeInput, CategoryAnswer]:
    """The call for these categories; an answer that names another one is unusable, and asked again."""
    one_of: Any = Literal[categories]
    output = create_model(
        "CategoryAnswer", __base__=CategoryAnswer, __doc__=CategoryAnswer.__doc__, category=(one_of, ...)
    )
    return ModelCall(
        name="categorize",
        prompt="categorize",
        output=output,
        tier="fast",
        offline=_offline,
        confidence=lambda answer: answer.confidence,
    )
