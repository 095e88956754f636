"""The order desk's model calls: analyse, advise, compose; each beside the offline rule that stands in for it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, Field

from email_assistant.kit.conversations import conversation_text, corrections, user_values
from email_assistant.mail.message import Conversation
from email_assistant.mail.text import fence
from email_assistant.models.call import ModelCall
from email_assistant.tools.tool import User
from email_assistant.workflows.order_desk.offline import analysis, letter
from email_assistant.workflows.order_desk.offline.letter import Letter
from email_assistant.workflows.order_desk.shop.product import CatalogueEntry

SegmentType = Literal["order", "inquiry", "personal_statement"]
PrimaryIntent = Literal["order request", "product inquiry"]
MAX_QUANTITY = 10_000
MAX_QUOTED = 8_000


class MentionedProduct(BaseModel):
    """A product as the mail names it; leave empty what the mail does not say."""

    product_id: str = Field("", max_length=200)
    product_name: str = Field("", max_length=500)
    description: str = Field("", max_length=1_000)
    category: str = Field("", max_length=200)
    quantity: int = Field(1, ge=1, le=MAX_QUANTITY)
    confidence: float = Field(
        1.0, ge=0, le=1, description="How sure it is that a product of the shop is meant."
    )
    mention_text: str = Field("", max_length=1_000, description="The words of the mail, quantity included.")


class Segment(BaseModel):
    """A part of the mail that does one thing."""

    segment_type: SegmentType
    main_sentence: str = Field(max_length=4_000)
    related_sentences: list[str] = Field(default_factory=list, max_length=200)
    product_mentions: list[MentionedProduct] = Field(default_factory=list, max_length=200)


class EmailAnalysis(BaseModel):
    """What a customer's mail orders, asks and says besides."""

    language: str = Field(pattern="^[a-z]{2}$", description="ISO 639-1 code of the customer's language.")
    primary_intent: PrimaryIntent
    customer_name: str = Field("", max_length=200, description="As it signs; empty when it does not.")
    segments: list[Segment] = Field(default_factory=list, max_length=100)


class CatalogueAnswer(BaseModel):
    """An answer to one question, from the catalogue."""

    question: str = Field(max_length=4_000)
    answer: str = Field(max_length=4_000)
    product_ids: list[str] = Field(max_length=20, description="The products that the answer rests on.")
    is_whole: bool = Field(True, description="Whether the catalogue answers all of the question.")


class InquiryAnswers(BaseModel):
    """Answers to the customer's questions; what the catalogue does not say stays unanswered."""

    answers: list[CatalogueAnswer] = Field(default_factory=list, max_length=100)
    unanswered: list[str] = Field(
        default_factory=list, max_length=100, description="Questions, as they were asked."
    )


class Composed(BaseModel):
    """The reply."""

    body: str = Field(
        min_length=1, max_length=20_000, description="The whole text, with greeting and sign-off."
    )
    tone: str = Field("", max_length=100, description="In two or three words.")


@dataclass(frozen=True)
class AnalyzeInput:
    """What reading a mail reads."""

    conversation: Conversation
    user: User
    named: Callable[[str], str] = field(default=lambda words: "", repr=False, compare=False)
    """The product that words name exactly: only the rule asks, a model is told nothing of the catalogue."""

    def variables(self) -> Mapping[str, str]:
        """Values for analyze_order.md."""
        history = self.conversation.current.quoted[:MAX_QUOTED]
        quoted = (
            f"Forwarded or quoted below the current message:\n{fence(history, 'mail')}" if history else ""
        )
        return user_values(self.user, "the shop") | {
            "conversation": conversation_text(self.conversation, self.user.timezone, forwarded=False),
            "quoted": quoted,
        }


@dataclass(frozen=True)
class AdviseInput:
    """What answering questions reads."""

    user: User
    language: str
    questions: Sequence[str]
    products: Sequence[CatalogueEntry]
    """What the catalogue says about the products that are meant or may be meant."""

    def variables(self) -> Mapping[str, str]:
        """Values for advise.md."""
        asked = "\n".join(f"{number}. {question}" for number, question in enumerate(self.questions, 1))
        known = "\n\n".join(product.text for product in self.products) or "Nothing fits."
        return user_values(self.user, "the shop") | {
            "language": self.language,
            "products": fence(known, "catalogue"),
            "questions": fence(asked, "mail"),
        }


@dataclass(frozen=True)
class ComposeInput:
    """What writing the reply reads."""

    conversation: Conversation
    user: User
    letter: Letter
    preferences: str
    previous: str = ""
    feedback: tuple[str, ...] = ()
    """What the person said about drafts, the oldest first."""
    missing: tuple[str, ...] = ()
    """What the last attempt left out."""

    def variables(self) -> Mapping[str, str]:
        """Values for compose_order.md."""
        return user_values(self.user, "the shop") | {
            "language": self.letter.language,
            "preferences": self.preferences,
            "feedback": corrections(self.feedback, self.previous, self.missing),
            "facts": fence(self.letter.facts, "desk"),
            "conversation": conversation_text(self.conversation, self.user.timezone),
        }


def _analyze_offline(inputs: AnalyzeInput) -> EmailAnalysis:
    ruled = analysis.analysis_of(inputs.conversation.current, inputs.named)
    return EmailAnalysis.model_validate(ruled)


def _advise_offline(inputs: AdviseInput) -> InquiryAnswers:
    """No rule can tell what answers a question: all of them are left to a person."""
    return InquiryAnswers(unanswered=list(inputs.questions))


def _compose_offline(inputs: ComposeInput) -> Composed:
    return Composed(body=letter.write(inputs.letter), tone="plain")


ANALYZE = ModelCall(
    name="analyze_order",
    prompt="order_desk/analyze_order",
    output=EmailAnalysis,
    tier="strong",
    offline=_analyze_offline,
)
ADVISE = ModelCall(
    name="advise", prompt="order_desk/advise", output=InquiryAnswers, tier="fast", offline=_advise_offline
)
COMPOSE = ModelCall(
    name="compose_order",
    prompt="order_desk/compose_order",
    output=Composed,
    tier="strong",
    offline=_compose_offline,
)
