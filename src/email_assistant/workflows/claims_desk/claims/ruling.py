"""Rulings on the verifier's verdicts, by code: no model, no mail and no demand can overrule them.

A verdict is only words. It counts when it cites what really stands in the documents that were found; money goes back only for a
contract of the customer's own, up to its limit, what was paid for it and the ceiling.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Literal

from email_assistant.workflows.claims_desk.claims.claim import CustomerPolicy, TicketType, Validity

Route = Literal["refused", "review", "automatic", "ticket"]
SURE = 0.7
"""Below it a person decides."""
CENT = Decimal("0.01")
NOTHING = Decimal("0.00")
REQUESTS: tuple[TicketType, ...] = ("service_request", "feature_request")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verifier's words; nothing of them is believed as it stands."""

    is_valid: str
    confidence: float
    resolution: str
    policy_citations: tuple[str, ...] = ()
    refund: str = "0.00"
    """The amount as text, as the model writes it."""
    policy_id: str = ""
    """The contract that the refund is for."""
    ticket_type: str = ""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The facts that a ruling may rest on, from the record and the settings."""

    found: Collection[str]
    """Labels of the chunks that were found for this customer in this run."""
    policies: Sequence[CustomerPolicy]
    """The customer's own contracts."""
    ceiling: Decimal
    automatic: Decimal
    """Refunds up to this need no person; 0 for none."""
    is_known: bool
    """Whether the customer is known, and the sender not in doubt."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The route of a claim, and what it brings."""

    route: Route
    is_valid: Validity
    citations: tuple[str, ...]
    refund: Decimal = NOTHING
    policy_id: str = ""
    ticket_type: TicketType = "human_review"
    reasons: tuple[str, ...] = field(default=())
    """Why a person has to look, or why the verdict does not stand, one plain sentence each."""


def rule(verdict: Verdict, bounds: Bounds) -> Ruling:
    """The route of a verdict. It never raises: what cannot be read goes to a person."""
    citations = tuple(dict.fromkeys(label for label in verdict.policy_citations if label in bounds.found))
    if doubts := tuple(_doubts(verdict, citations)):
        return Ruling("ticket", "Low Confidence", citations, reasons=doubts)
    if verdict.is_valid == "No":
        return Ruling("refused", "No", citations, ticket_type="complaint")
    amount = amount_of(verdict.refund)
    if amount == NOTHING:
        kind: TicketType = verdict.ticket_type if verdict.ticket_type in REQUESTS else "human_review"
        return Ruling(
            "ticket", "Yes", citations, ticket_type=kind, reasons=("No tool does what is to be done.",)
        )
    if problems := tuple(_problems(verdict, amount, bounds)):
        return Ruling("ticket", "Yes", citations, reasons=problems)
    assert amount is not None  # noqa: S101 - an amount that is none is a problem
    route: Route = "automatic" if amount <= bounds.automatic else "review"
    return Ruling(route, "Yes", citations, amount, verdict.policy_id, "tracking")


def amount_of(text: object) -> Decimal | None:
    """The amount of money, None when the text is none: only digits with at most two decimals are."""
    written = (
        str(text).strip() if isinstance(text, str | int | Decimal) and not isinstance(text, bool) else ""
    )
    if not written or not written.isascii() or not all(c.isdigit() or c == "." for c in written):
        return None
    try:
        amount = Decimal(written)
    except InvalidOperation:
        return None
    is_money = amount.is_finite() and amount == amount.quantize(CENT) if len(written) < 16 else False
    return amount.quantize(CENT) if is_money else None


def _doubts(verdict: Verdict, citations: Sequence[str]) -> list[str]:
    doubts = []
    if verdict.is_valid not in ("Yes", "No"):
        doubts.append("The verifier is not sure whether the claim is valid.")
    if not citations:
        doubts.append("No document that was found supports the decision.")
    if not 0 <= verdict.confidence <= 1 or verdict.confidence < SURE:
        doubts.append(f"The verifier is {100 * max(0.0, min(1.0, verdict.confidence)):.0f} % certain.")
    return doubts


def _problems(verdict: Verdict, amount: Decimal | None, bounds: Bounds) -> list[str]:
    """Reasons why the refund is not proposed as it is: it is never cut down to what would be allowed."""
    if amount is None:
        return [f"The refund is no amount of money: {str(verdict.refund)[:40]!r}."]
    if not bounds.is_known:
        return ["It is not certain who asks."]
    policy = next((each for each in bounds.policies if each.policy_id == verdict.policy_id), None)
    if policy is None:
        return [f"The customer has no contract {verdict.policy_id[:60]!r}."]
    limits = (
        (policy.limit, f"the limit of {policy.policy_id}"),
        (policy.paid, f"what was paid for {policy.policy_id}"),
        (bounds.ceiling, "the ceiling for refunds"),
    )
    return [f"{amount} is more than {name}, {limit}." for limit, name in limits if amount > limit]
