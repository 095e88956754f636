"""Where refunds go: the port, and what is asked of it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Protocol

from email_assistant.errors import InputError

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
        ...

    async def refund(self, refund: Refund, idempotency_key: str) -> Receipt:
        """Pay it, or tell how it was paid before.

        Raises `InputError` for a refund that is not `checked`, `AccessError`, `ConflictError` when something else was paid under
        this key, `TransientError` when nobody knows whether it was paid: asking again under the same key is safe.
        """
        ...
