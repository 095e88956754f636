"""The incident and the ticket of a claim, as they are kept."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal

Validity = Literal["Yes", "No", "Low Confidence"]
TicketType = Literal["complaint", "tracking", "human_review", "service_request", "feature_request"]
TicketStatus = Literal["open", "closed"]


@dataclass(frozen=True, slots=True)
class Incident:
    """One decision on one claim."""

    tenant_id: str
    incident_id: str
    """Derived from the run's message, so that a repeat is recognised."""
    user_id: str
    """"" for somebody who is no known customer."""
    policy_id: str
    """"" when no policy is concerned."""
    issue: str
    is_valid: Validity
    resolution: str
    citations: tuple[str, ...]
    confidence: float
    amount: Decimal
    """Of the refund that was decided; 0 when there is none."""
    created_at: datetime
    user_role: str = "customer"
    """Who has asked: issue and resolution may tell what only this role may read. "" on records from before it was kept."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """Something that a person is to look at, or to find again."""

    tenant_id: str
    key: str
    """Of the system that keeps it: "LOCAL-12", "CLAIMS-7"."""
    user_id: str
    type: TicketType
    title: str
    body: str
    status: TicketStatus
    idempotency_key: str
    """Asked for twice under one key it is one ticket."""
    created_at: datetime
    url: str = ""
    """Where a person sees it; "" for the local table."""
