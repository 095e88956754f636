"""The ledger of refunds: money is set aside before it is paid, so that a policy never gives back more than was paid for it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, Row, Table, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import Clock
from email_assistant.effects.store import digest_of
from email_assistant.errors import ConflictError, InputError
from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read, one_write
from email_assistant.journal.sql import check_keys, insert_or_ignore
from email_assistant.workflows.claims_desk.claims.claim import MAX_AMOUNT, Receipt, Refund
from email_assistant.workflows.claims_desk.records.tables import POLICIES, REFUNDS, TenantRecords

MAX_REASON = 2_000

_R, _P = REFUNDS.c, POLICIES.c


class RefundState(StrEnum):
    """The stations of a refund."""

    reserved = "reserved"
    """Set aside: being paid, or nobody knows yet whether it was."""
    due = "due"
    """To be paid by hand: decided, and told to the customer as what will be paid."""
    paid = "paid"
    refused = "refused"
    """Surely not paid; the money may go to another one."""


OPEN = (RefundState.reserved, RefundState.due)
"""The states that are not settled."""


@dataclass(frozen=True, slots=True)
class RefundRecord:
    """A refund on record; unique by tenant and idempotency key."""

    refund: Refund
    idempotency_key: str
    state: RefundState
    receipt: str
    """"" until it is due or paid."""
    reason: str
    """Why it was refused."""
    reserved_at: datetime
    settled_at: datetime | None


@dataclass(frozen=True)
class RefundLedger(TenantRecords[RefundRecord]):
    """The table of refunds, the latest first; a `Refunds` port by itself, for who pays them by hand."""

    database: Database
    clock: Clock
    table: ClassVar[Table] = REFUNDS
    order: ClassVar[tuple[ColumnElement[Any], ...]] = (_R.reserved_at.desc(), _R.idempotency_key.desc())

    @property
    def remembers(self) -> timedelta | None:
        """For ever."""
        return None

    @one_write
    async def reserve(self, refund: Refund, idempotency_key: str, *, ceiling: Decimal) -> RefundRecord:
        """Set the money aside, once for its tenant and key: the record, which is an earlier one where there was one.

        What was refused before is set aside again, when it may be. Raises `ConflictError` when the key stands for another
        refund, `InputError` when the refund is not `checked`, the policy is not the customer's own, or it is too much: above
        the ceiling or the policy's limit, or more than was paid for the policy less all that was refunded for it.
        """
        refund.checked()
        check_keys(tenant_id=refund.tenant_id, idempotency_key=idempotency_key)
        async with self.database.begin() as connection:
            if connection.dialect.name == "postgresql":
                # Two refunds for one policy must see each other.
                await connection.execute(text("LOCK TABLE refunds IN SHARE ROW EXCLUSIVE MODE"))
            known = await _one(connection, _mine(refund.tenant_id, idempotency_key))
            if known is not None and known.refund != refund:
                raise ConflictError(f"idempotency_key: {idempotency_key} stands for another refund")
            if known is not None and known.state is not RefundState.refused:
                return known
            await _check_policy(connection, refund, ceiling)
            await self._set_aside(connection, refund, idempotency_key)
            found = await _one(connection, _mine(refund.tenant_id, idempotency_key))
            assert found is not None  # noqa: S101 - it was written in this transaction
            return found

    async def settle(self, tenant_id: str, idempotency_key: str, receipt: str) -> None:
        """Record that it was paid; the first receipt stays. What is due stays so until a person has paid it: `pay`."""
        change = {"state": RefundState.paid, "receipt": receipt, "reason": ""}
        await self._change(tenant_id, idempotency_key, change)

    async def pay(self, tenant_id: str, idempotency_key: str, receipt: str) -> None:
        """Record that a person has paid it, whether it was due or nobody knew; the first receipt of a payment stays."""
        change = {"state": RefundState.paid, "receipt": receipt, "reason": ""}
        await self._change(tenant_id, idempotency_key, change, OPEN)

    async def refuse(self, tenant_id: str, idempotency_key: str, reason: str) -> None:
        """Record that it was surely not paid; one that was paid stays paid."""
        change = {"state": RefundState.refused, "reason": reason[:MAX_REASON]}
        await self._change(tenant_id, idempotency_key, change, OPEN)

    async def refund(self, refund: Refund, idempotency_key: str) -> Receipt:
        """Put it down for payment by hand; see `Refunds`. Raises like `reserve`."""
        await self.reserve(refund, idempotency_key, ceiling=MAX_AMOUNT)
        receipt = f"LEDGER-{digest_of(refund.tenant_id, idempotency_key)[:12].upper()}"
        change = {"state": RefundState.due, "receipt": receipt, "reason": ""}
        await self._change(refund.tenant_id, idempotency_key, change)
        found = await self.get(refund.tenant_id, idempotency_key)
        assert found is not None  # noqa: S101 - it was reserved
        return Receipt(found.receipt, found.settled_at)

    @one_read
    async def get(self, tenant_id: str, idempotency_key: str) -> RefundRecord | None:
        """The refund, or None."""
        async with self.database.read() as connection:
            return await _one(connection, _mine(tenant_id, idempotency_key))

    @one_read
    async def key_ending(self, tenant_id: str, ending: str) -> str | None:
        """The key of the tenant's first refund whose key ends so, or None."""
        own = (_R.tenant_id == tenant_id) & _R.idempotency_key.endswith(ending, autoescape=True)
        async with self.database.read() as connection:
            statement = select(_R.idempotency_key).where(own).order_by(_R.reserved_at).limit(1)
            return (await connection.execute(statement)).scalar()

    @one_read
    async def refunded(self, tenant_id: str, user_id: str, policy_id: str) -> Decimal:
        """The sum that was paid back, or is set aside to be, for a customer's policy."""
        async with self.database.read() as connection:
            return await _refunded(connection, tenant_id, policy_id, _R.user_id == user_id)

    def of_row(self, row: Row[Any]) -> RefundRecord:
        """The refund as it stands."""
        return _record(row)

    async def _set_aside(self, connection: AsyncConnection, refund: Refund, idempotency_key: str) -> None:
        row = asdict(refund) | {
            "idempotency_key": idempotency_key,
            "state": RefundState.reserved,
            "receipt": "",
            "reason": "",
            "reserved_at": self.clock.now(),
            "settled_at": None,
        }
        if not await insert_or_ignore(connection, REFUNDS, row):
            again = update(REFUNDS).where(_mine(refund.tenant_id, idempotency_key))
            await connection.execute(again.values(row))

    @one_write
    async def _change(
        self,
        tenant_id: str,
        idempotency_key: str,
        change: dict[str, Any],
        states: Sequence[RefundState] = (RefundState.reserved,),
    ) -> None:
        open_one = _mine(tenant_id, idempotency_key) & _R.state.in_(states)
        async with self.database.begin() as connection:
            await connection.execute(
                update(REFUNDS).where(open_one).values(**change, settled_at=self.clock.now())
            )


def _mine(tenant_id: str, idempotency_key: str) -> ColumnElement[bool]:
    return (_R.tenant_id == tenant_id) & (_R.idempotency_key == idempotency_key)


async def _one(connection: AsyncConnection, condition: ColumnElement[bool]) -> RefundRecord | None:
    row = (await connection.execute(select(REFUNDS).where(condition))).first()
    return None if row is None else _record(row)


async def _check_policy(connection: AsyncConnection, refund: Refund, ceiling: Decimal) -> None:
    own = (_P.tenant_id == refund.tenant_id) & (_P.policy_id == refund.policy_id)
    own &= _P.user_id == refund.user_id
    policy = (await connection.execute(select(_P.paid, _P.limit).where(own))).first()
    if policy is None:
        raise InputError(f"policy_id: the customer has no policy {refund.policy_id}")
    before = await _refunded(connection, refund.tenant_id, refund.policy_id)
    bounds: Sequence[tuple[Decimal, str]] = (
        (ceiling, "the ceiling EMAIL_ASSISTANT_REFUND_CEILING"),
        (policy.limit, "the policy's limit"),
        (policy.paid - before, "what was paid for the policy and not refunded yet"),
    )
    for most, what in bounds:
        if refund.amount > most:
            raise InputError(f"amount: {refund.amount} is more than {max(most, Decimal('0.00'))}, {what}")


async def _refunded(
    connection: AsyncConnection, tenant_id: str, policy_id: str, *conditions: ColumnElement[bool]
) -> Decimal:
    counted = (_R.tenant_id == tenant_id) & (_R.policy_id == policy_id) & (_R.state != RefundState.refused)
    rows = await connection.execute(select(_R.amount).where(counted, *conditions))
    return sum((row.amount for row in rows), Decimal("0.00"))


def _record(row: Row[Any]) -> RefundRecord:
    refund = Refund(row.tenant_id, row.user_id, row.policy_id, row.amount, row.currency)
    return RefundRecord(
        refund,
        row.idempotency_key,
        RefundState(row.state),
        row.receipt,
        row.reason,
        row.reserved_at,
        row.settled_at,
    )
