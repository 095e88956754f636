"""Customers, policies, incidents, tickets and refunds, and the ports that keep tickets and pay refunds."""

from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Literal, Protocol

from email_assistant.errors import InputError
from email_assistant.mail.text import clean, one_line

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
    """The customer's own share of each claim."""
    cancelled_on: date | None = None


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
    """The asker's role: issue and resolution may tell what only this role may read. "" on records from before it was kept."""


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


MAX_TITLE = 200
MAX_BODY = 8_000
CUT = " […]"


@dataclass(frozen=True, slots=True)
class TicketDraft:
    """A ticket that is wanted; mail may stand in title and body, as plain text."""

    tenant_id: str
    user_id: str
    """"" for somebody who is no known customer."""
    type: TicketType
    title: str
    body: str

    def bounded(self) -> "TicketDraft":
        """The draft without characters that nobody sees: a title in one line of up to 200 characters, a body of up to 8000.

        Doing it twice is the same as once. Raises `InputError` when no title is left.
        """
        title = _cut(one_line(self.title), MAX_TITLE)
        if not title:
            raise InputError("title: is empty")
        return replace(self, title=title, body=_cut(clean(self.body)[0].strip(), MAX_BODY))

    def ticket(
        self,
        key: str,
        idempotency_key: str,
        created_at: datetime,
        status: TicketStatus = "open",
        url: str = "",
    ) -> Ticket:
        """The ticket that was made of the draft."""
        return Ticket(
            **asdict(self),
            key=key,
            idempotency_key=idempotency_key,
            created_at=created_at,
            status=status,
            url=url,
        )


class Tickets(Protocol):
    """A system of tickets. Raises `AccessError`, `TransientError` or `ProviderError` (errors.py)."""

    @property
    def settles(self) -> timedelta:
        """For how long after a creation `find` may not see the ticket yet."""

    async def create(self, draft: TicketDraft, idempotency_key: str) -> Ticket:
        """Make the ticket, or return the one that was made for this tenant and key before.

        After a `TransientError` nobody knows whether there is a ticket now; `find` tells once `settles` is over.
        """

    async def find(self, draft: TicketDraft, idempotency_key: str) -> Ticket | None:
        """The ticket that was made for the draft's tenant and this key, or None."""


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - len(CUT)].rstrip() + CUT


CENT = Decimal("0.01")
MAX_AMOUNT = Decimal("999999999.99")


@dataclass(frozen=True, slots=True)
class Refund:
    """Money that a customer is to get back for a policy; the amount is in the currency's units, with two decimals."""

    tenant_id: str
    user_id: str
    policy_id: str
    amount: Decimal
    currency: str

    def checked(self) -> "Refund":
        """The refund itself; raises `InputError` naming what is wrong.

        An amount is more than 0, at most 999,999,999.99, and has no more than two decimals.
        """
        for name in ("tenant_id", "user_id", "policy_id"):
            if not getattr(self, name):
                raise InputError(f"{name}: is empty")
        if not isinstance(self.amount, Decimal) or not self.amount.is_finite():
            raise InputError(f"amount: {self.amount} is no amount of money")
        if not 0 < self.amount <= MAX_AMOUNT:
            raise InputError(f"amount: {self.amount} must be more than 0 and at most {MAX_AMOUNT}")
        if self.amount != self.amount.quantize(CENT):
            raise InputError(f"amount: {self.amount} has more than two decimals")
        if not (len(self.currency) == 3 and self.currency.isascii() and self.currency.isupper()):
            raise InputError(f"currency: {self.currency[:20]!r} is no currency of ISO 4217, like EUR")
        return self


@dataclass(frozen=True, slots=True)
class Receipt:
    """A refund was made."""

    id: str
    """As the system calls it that made it."""
    refunded_at: datetime | None = None
    """None when that system does not tell."""


class Refunds(Protocol):
    """A system that pays refunds. Asked twice under one key it pays once and answers the same."""

    @property
    def remembers(self) -> timedelta | None:
        """How long it surely recognises a key; None for ever."""

    async def refund(self, refund: Refund, idempotency_key: str) -> Receipt:
        """Pay it, or tell how it was paid before.

        Raises `InputError` for a refund that is not `checked`, `AccessError`, `ConflictError` when something else was paid under
        this key, `TransientError` when nobody knows whether it was paid: asking again under the same key is safe.
        """
