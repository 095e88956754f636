"""Customers and what they have taken out."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

PolicyStatus = Literal["active", "lapsed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Customer:
    """A customer of one tenant."""

    tenant_id: str
    user_id: str
    name: str
    email: str
    """In lower case; unique within the tenant."""
    since: date


@dataclass(frozen=True, slots=True)
class CustomerPolicy:
    """A contract: an insurance policy, an account or a card."""

    tenant_id: str
    policy_id: str
    """Unique within the tenant: "HC-20417"."""
    user_id: str
    product: str
    """As the tenant's documents call it: "Home Contents"."""
    status: PolicyStatus
    starts: date
    ends: date
    """The last day."""
    paid_until: date
    """The last day for which the premium is paid."""
    paid: Decimal
    """Everything that the customer has paid for it."""
    limit: Decimal
    """The most that one claim may come to."""
    excess: Decimal = Decimal("0.00")
    """What the customer bears of each claim."""
    cancelled_on: date | None = None
