"""Paying refunds, each exactly once and only what policy allows; the ledger holds the money from before to after."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar, Self

from email_assistant.app.journal import JournalDeps
from email_assistant.clock import Clock
from email_assistant.effects.once import Effect, perform_once
from email_assistant.effects.outbox import Happened, NotHappened, Outbox, Reconciled, Unknown
from email_assistant.effects.store import (
    DoneElsewhereError,
    Intent,
    UnresolvedEffectError,
    bounded,
    digest_of,
)
from email_assistant.errors import ConflictError, InputError, NotFoundError, ProviderError, TransientError
from email_assistant.journal.records import NOBODY, Doer, OutboxRow, OutboxStatus
from email_assistant.kit.conversations import conversation_of
from email_assistant.workflows.claims_desk.claims.claim import Receipt, Refund, Refunds
from email_assistant.workflows.claims_desk.records.refunds import OPEN, RefundLedger, RefundState
from email_assistant.workflows.claims_desk.refund_endpoint import HttpRefunds
from email_assistant.workflows.claims_desk.state import ClaimWork


@dataclass(frozen=True, slots=True)
class Payment:
    """A refund that is reserved, the key under which it is paid once, and whose run pays it."""

    refund: Refund
    key: str
    by: Doer = NOBODY

    @property
    def action_id(self) -> str:
        """Of its effect."""
        return effect_id(self.refund.tenant_id, self.key)


@dataclass(frozen=True)
class Refunding(Effect[Payment, Receipt]):
    """From a decision to a receipt. What goes beyond the policy, the ceiling or what needs no review is refused here again."""

    refunds: Refunds
    """The payer: the local ledger itself, or another system."""
    ledger: RefundLedger
    outbox: Outbox
    clock: Clock
    ceiling: Decimal
    """The most of one refund."""
    automatic: Decimal
    """The most that may be paid without a person's approval; 0 for nothing."""
    kind: ClassVar[str] = "refund"

    @classmethod
    def of(cls, deps: JournalDeps) -> Self:
        """What the settings name."""
        s, ledger = deps.settings, RefundLedger(deps.database, deps.clock)
        payer = HttpRefunds.of(s) or ledger
        return cls(payer, ledger, deps.outbox, deps.clock, s.refund_ceiling, s.refund_automatic)

    @property
    def is_by_hand(self) -> bool:
        """Whether a person pays what the ledger says is due."""
        return self.refunds is self.ledger

    async def perform_refund(
        self,
        refund: Refund,
        idempotency_key: str,
        *,
        approved: bool,
        by: Doer = NOBODY,
        accepted: Collection[str] | None = None,
    ) -> Receipt:
        """Pay it, once for its tenant and key; `approved` tells whether a person has approved this very refund.

        Where another run than `by` has paid it, its receipt is taken over; with `accepted` only when it names that payment.

        Raises:
            DoneElsewhereError: another run has paid it, and that is not `accepted`; nothing was paid now.
            InputError: the refund is wrong, more than it may be (`RefundLedger.reserve`), or needs an approval it does not have.
            ConflictError: the key stands for another refund, here or with whoever pays; a person must look.
            UnresolvedEffectError: nobody can tell any more whether it was paid; a person must look.
            TransientError: nobody knows yet; the same call later finds out.
            ProviderError: whoever pays does not want to; nothing was paid.
        """
        receipt = await self._receipt(refund, idempotency_key, approved, by)
        row = await self.made_by_others(refund.tenant_id, idempotency_key, by)
        if row and accepted is not None and row.action_id not in accepted:
            raise DoneElsewhereError([row])
        return receipt

    async def made_by_others(self, tenant_id: str, idempotency_key: str, by: Doer) -> OutboxRow | None:
        """The payment under this key that another run than `by` has made or begun, or None."""
        row = await self.outbox.get(effect_id(tenant_id, idempotency_key))
        if row is None or row.status is OutboxStatus.failed or row.run_thread_id in ("", by.run_thread_id):
            return None
        return row

    async def _receipt(self, refund: Refund, idempotency_key: str, approved: bool, by: Doer) -> Receipt:
        refund.checked()
        if not approved and refund.amount > self.automatic:
            raise InputError(f"amount: {refund.amount} needs a person's approval")
        tenant_id = refund.tenant_id
        record = await self.ledger.reserve(refund, idempotency_key, ceiling=self.ceiling)
        if record.state in (RefundState.paid, RefundState.due):
            receipt = Receipt(record.receipt, record.settled_at)
            # The ledger may know of it before the outbox does, when it is the ledger that pays.
            await self.outbox.happened(effect_id(tenant_id, idempotency_key), _plain(receipt))
            return receipt
        try:
            receipt = await perform_once(self.outbox, self, Payment(refund, idempotency_key, by))
        except (TransientError, UnresolvedEffectError, ConflictError):
            raise  # It may have been paid, so the money stays set aside.
        except (InputError, ProviderError) as error:
            await self.ledger.refuse(tenant_id, idempotency_key, str(error))
            raise
        await self.ledger.settle(tenant_id, idempotency_key, receipt.id)
        return receipt

    async def found_out(
        self, tenant_id: str, idempotency_key: str, *, receipt: str = "", reason: str = ""
    ) -> None:
        """Record what a person found out about a refund that nobody else can tell of: its receipt, or why it was not paid.

        Raises `NotFoundError` when there is no such refund, `InputError` when it is settled, or when it is said to be unpaid while
        the assistant still finds out by itself: it might pay at this very moment.
        """
        record = await self.ledger.get(tenant_id, idempotency_key)
        if record is None:
            raise NotFoundError(
                f"there is no refund {idempotency_key} of {tenant_id}; `email-assistant refunds list` lists them"
            )
        if record.state not in OPEN:
            raise InputError(
                f"{idempotency_key} is settled: {record.state}, {record.receipt or record.reason}"
            )
        if receipt:
            await self.ledger.pay(tenant_id, idempotency_key, receipt)
            return
        if record.state is RefundState.due:
            await self.ledger.refuse(tenant_id, idempotency_key, reason)
            return
        row = await self.outbox.get(effect_id(tenant_id, idempotency_key))
        until = (row.started_at if row else record.reserved_at) + (self.refunds.remembers or timedelta())
        if self.clock.now() <= until:
            raise InputError(
                f"{idempotency_key} may still be paid: until {until:%Y-%m-%d %H:%M} UTC the assistant asks by itself"
            )
        await self.ledger.refuse(tenant_id, idempotency_key, reason)

    def intent(self, what: Payment) -> Intent:
        """The tenant's key, about the contract."""
        refund = what.refund
        payload = asdict(refund) | {"amount": format(refund.amount, ".2f")}
        subject = f"{self.kind}:{digest_of(refund.tenant_id, refund.policy_id)}"
        return Intent(what.action_id, self.kind, subject, payload, what.by)

    async def do(self, what: Payment) -> dict[str, Any]:
        """Pay it; under the same key asking again pays nothing twice."""
        return _plain(await self.refunds.refund(what.refund, what.key))

    async def found(self, what: Payment) -> Reconciled:
        """The answer to asking again, while whoever pays remembers the key."""
        row = await self.outbox.get(what.action_id)
        if row is None or row.status is OutboxStatus.failed:
            return NotHappened()
        remembers = self.refunds.remembers
        if remembers is not None and self.clock.now() - row.started_at > remembers:
            return Unknown(
                f"it was asked for at {row.started_at:%Y-%m-%d %H:%M} UTC, and asking again might pay it twice"
            )
        try:
            return Happened(await self.do(what))
        except TransientError:
            raise
        except (InputError, ProviderError) as error:
            return Unknown(str(error))

    async def after(self, what: Payment, result: Mapping[str, Any]) -> Receipt:
        """The receipt."""
        at = result["refunded_at"]
        return Receipt(result["id"], datetime.fromisoformat(at) if at else None)


def effect_id(tenant_id: str, idempotency_key: str) -> str:
    """The id of the payment's effect."""
    return f"{Refunding.kind}:{digest_of(tenant_id, idempotency_key)}"


def _plain(receipt: Receipt) -> dict[str, Any]:
    at = receipt.refunded_at
    return {"id": receipt.id, "refunded_at": at.isoformat() if at else None}


REFUND = "refund"


def effect_key(state: ClaimWork, thread_id: str, what: str) -> str:
    """The same however often the run is repeated, and of mail on every run thread; of a chat, its thread's own."""
    key = state["message_key"]
    if key.startswith(("mail:", "chat:")):
        return f"{key}:{what}"
    return f"{thread_id}:{key}:{what}"  # Taken up when every key had its run thread in it.


def doer(state: ClaimWork, thread_id: str) -> Doer:
    """Whose effects those of this run are, in a chat as well."""
    return Doer(bounded(thread_id), "claims_desk", state.get("round") or 0)


async def refund_key(state: ClaimWork, thread_id: str, ledger: RefundLedger) -> str:
    """The refund's; where one is on record for the message under a key with a run thread in it, that one."""
    key = effect_key(state, thread_id, REFUND)
    message_id = conversation_of(state.get("email_input")).current.id if key.startswith("mail:") else ""
    if not message_id:
        return key
    ending = f":{hashlib.sha256(message_id.encode()).hexdigest()[:24]}:{REFUND}"
    return await ledger.key_ending(state["tenant_id"], ending) or key
