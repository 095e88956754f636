"""The claims desk's model calls: intent, answer, report, verify, decide; each beside the offline rule that stands in for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from pydantic import BaseModel, Field

from email_assistant.mail.text import fence
from email_assistant.models.call import AgentCall, ModelCall
from email_assistant.workflows.claims_desk import offline as rules
from email_assistant.workflows.claims_desk.claims.claim import CustomerPolicy

Intent = Literal["query", "complaint", "service request", "feature request"]
Level = Literal["low", "medium", "high"]
Sentiment = Literal["positive", "neutral", "negative"]
TicketKind = Literal["complaint", "tracking", "human_review", "service_request", "feature_request"]
CUSTOMER_TOOLS = ("get_user_data", "list_user_policies")


class IntentResult(BaseModel):
    """What a customer's message wants."""

    intent: Intent
    urgency: Level
    sentiment: Sentiment
    aspects: list[str] = Field(max_length=8, description="What it is about, two to four words each.")
    out_of_scope: bool = Field(description="Whether it has nothing to do with the company and its products.")
    language: str = Field(pattern="^[a-z]{2}$", description="ISO 639-1 code of the customer's language.")
    search: str = Field(
        "", max_length=500, description="English words to search the company's documents with."
    )


class DocumentAnswer(BaseModel):
    """An answer from the documents, or that they have none."""

    is_answered: bool = Field(description="Whether the documents answer all of it.")
    answer: str = Field("", max_length=4_000, description="In the customer's language.")
    citations: list[str] = Field(
        default_factory=list, max_length=20, description="Labels of the documents' parts it rests on."
    )


class Report(BaseModel):
    """A claim, laid out; only what was given."""

    issue: str = Field(max_length=1_000)
    user_demand: str = Field(max_length=1_000, description="What the customer wants.")
    company_docs_about_issue: str = Field(
        "", max_length=4_000, description="What the documents say about it."
    )
    support_info_from_user: str = Field("", max_length=2_000, description="Facts that the customer gives.")
    policy_refs: list[str] = Field(
        default_factory=list, max_length=20, description="Labels of the parts that matter."
    )


class ActionPlan(BaseModel):
    """What is to be done; it happens only as far as code allows."""

    create_ticket: bool = False
    ticket_type: TicketKind = "human_review"
    make_db_entry: bool = True
    refund: str = Field(
        "0.00", max_length=40, description="Digits and a decimal point: 105.00; 0.00 for none."
    )
    policy_id: str = Field("", max_length=100, description="The customer's contract that the refund is for.")


class Verification(BaseModel):
    """The decision on a claim, by the company's documents."""

    is_valid: Literal["Yes", "No", "Low Confidence"]
    resolution: str = Field(
        min_length=1,
        max_length=4_000,
        description="To the customer, in the customer's language: what and why.",
    )
    confidence: float = Field(ge=0, le=1)
    policy_citations: list[str] = Field(
        max_length=20, description="Labels, exactly as they stand in what was found."
    )
    action_plan: ActionPlan = Field(default_factory=ActionPlan)


@dataclass(frozen=True)
class SaidInput:
    """What the customer says, and what was found."""

    company: str
    background: str
    today: str
    said: str
    """The conversation, fenced."""
    docs: Sequence[tuple[str, str]] = ()
    """Label and text of each part that was found."""
    plain: str = ""
    """The latest message alone, for the rules."""
    language: str = "en"

    def variables(self) -> Mapping[str, str]:
        """Values for claim_intent.md."""
        return {"company": self.company, "background": self.background, "conversation": self.said}


@dataclass(frozen=True)
class FoundInput(SaidInput):
    """The same for calls that read the documents."""

    def variables(self) -> Mapping[str, str]:
        """Values for claim_answer.md and claim_report.md."""
        return {
            **super().variables(),
            "today": self.today,
            "language": self.language,
            "docs": docs_text(self.docs),
        }


@dataclass(frozen=True)
class VerifyInput(FoundInput):
    """What the verifier reads."""

    report: Mapping[str, object] | None = None
    results: str = ""
    """What the tools have said, fenced; for the decision, which has no tools."""
    policies: Sequence[CustomerPolicy] = ()
    """The customer's contracts as the tools told them, for the rules."""
    is_known: bool = False

    def variables(self) -> Mapping[str, str]:
        """Values for claim_verify.md and claim_decide.md."""
        report = "\n".join(f"{name}: {value}" for name, value in (self.report or {}).items())
        return {
            **super().variables(),
            "report": fence(report, "report"),
            "results": self.results or "No tool was called.",
        }


def docs_text(docs: Sequence[tuple[str, str]]) -> str:
    """The parts that were found, each under its label."""
    return (
        "\n\n".join(f"[{label}]\n{fence(text, 'document')}" for label, text in docs) or "Nothing was found."
    )


def _intent_offline(inputs: SaidInput) -> IntentResult:
    return IntentResult.model_validate(rules.intent_of(inputs.plain))


def _answer_offline(inputs: FoundInput) -> DocumentAnswer:
    return DocumentAnswer.model_validate(rules.answer_of(inputs.plain, inputs.docs))


def _report_offline(inputs: FoundInput) -> Report:
    return Report.model_validate(rules.report_of(inputs.plain, inputs.docs))


def _verify_offline(inputs: VerifyInput, messages: Sequence[BaseMessage]) -> AIMessage:
    asked = any(isinstance(message, ToolMessage) for message in messages)
    if asked or not inputs.is_known:
        return AIMessage("There is enough to decide.")
    calls = [{"name": name, "args": {}, "id": f"rule_{name}", "type": "tool_call"} for name in CUSTOMER_TOOLS]
    return AIMessage("", tool_calls=calls)


def _decide_offline(inputs: VerifyInput) -> Verification:
    return Verification.model_validate(
        rules.decision_of(inputs.plain, inputs.docs, inputs.policies, inputs.today, inputs.language)
    )


INTENT = ModelCall(
    name="claim_intent",
    prompt="claims_desk/claim_intent",
    output=IntentResult,
    tier="fast",
    offline=_intent_offline,
)
ANSWER = ModelCall(
    name="claim_answer",
    prompt="claims_desk/claim_answer",
    output=DocumentAnswer,
    tier="strong",
    offline=_answer_offline,
)
REPORT = ModelCall(
    name="claim_report",
    prompt="claims_desk/claim_report",
    output=Report,
    tier="fast",
    offline=_report_offline,
)
VERIFY = AgentCall(
    name="claim_verify",
    prompt="claims_desk/claim_verify",
    tier="strong",
    offline=_verify_offline,
    is_optional=True,
)
DECIDE = ModelCall(
    name="claim_decide",
    prompt="claims_desk/claim_decide",
    output=Verification,
    tier="strong",
    offline=_decide_offline,
)
