"""Making tickets, each exactly once, in whichever system keeps them; a copy is kept here."""

from dataclasses import asdict, dataclass
from typing import Any

from email_assistant.clock import Clock
from email_assistant.effects.outbox import (
    Happened,
    NotHappened,
    Outbox,
    OutboxStatus,
    Reconciled,
)
from email_assistant.effects.outer_key import outer_key
from email_assistant.errors import TransientError, UnsettledError
from email_assistant.journal.statements import check_keys
from email_assistant.workflows.claims_desk.claims.record import Ticket
from email_assistant.workflows.claims_desk.claims.tickets import TicketDraft, Tickets
from email_assistant.workflows.claims_desk.records.tickets import TicketTable

KIND = "ticket"


@dataclass(frozen=True)
class Ticketing:
    """From a draft to a ticket. Who wants the ticket, and under which key, is in the caller's state, never a model's choice."""

    tickets: Tickets
    """Where they are made: the local table itself, or another system."""
    table: TicketTable
    outbox: Outbox
    clock: Clock

    async def perform_ticket(self, draft: TicketDraft, idempotency_key: str) -> Ticket:
        """The ticket for this tenant and key: made now, or before by whoever came with the same draft.

        Raises `InputError` for a draft or key that is wrong, `ActionChangedError` when the key stands for another draft,
        `TransientError` when it is not known yet whether there is a ticket (the same call later finds out), `AccessError`
        and `ProviderError` when the system does not want it.
        """
        draft = draft.bounded()
        check_keys(tenant_id=draft.tenant_id, idempotency_key=idempotency_key)
        action_id = f"{KIND}:{outer_key(draft.tenant_id, idempotency_key)}"

        async def keep(made: Ticket) -> dict[str, Any]:
            kept = await self.table.keep(made)
            return {"key": kept.key, "url": kept.url}

        async def do() -> dict[str, Any]:
            return await keep(await self.tickets.create(draft, idempotency_key))

        async def reconcile() -> Reconciled:
            found = await self.tickets.find(draft, idempotency_key)
            if found is not None:
                return Happened(await keep(found))
            await self._check_settled(action_id)
            return NotHappened()

        await self.outbox.perform(
            action_id,
            kind=KIND,
            subject_key=f"{KIND}:{outer_key(draft.tenant_id, draft.user_id)}",
            payload=asdict(draft),
            do=do,
            reconcile=reconcile,
        )
        kept = await self.table.find(draft, idempotency_key)
        if kept is None:
            raise TransientError("the ticket was made, and its copy is gone: look for it where it is kept")
        return kept

    async def _check_settled(self, action_id: str) -> None:
        """Raises `UnsettledError` while a ticket that was made may not be found yet."""
        row = await self.outbox.get(action_id)
        if row is None or row.status is not OutboxStatus.started:
            return
        sure_at = row.updated_at + self.tickets.settles
        if self.clock.now() < sure_at:
            raise UnsettledError(
                f"it is not known before {sure_at:%H:%M:%S} UTC whether an earlier try has made the ticket"
            )
