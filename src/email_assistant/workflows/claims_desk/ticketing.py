"""Making tickets, each exactly once, in whichever system keeps them; a copy is kept here."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

from email_assistant.app.journal import JournalDeps
from email_assistant.clock import Clock
from email_assistant.effects.once import Effect, perform_once
from email_assistant.effects.outbox import Happened, NotHappened, Outbox, Reconciled
from email_assistant.effects.store import Intent, digest_of
from email_assistant.errors import TransientError, UnsettledError
from email_assistant.journal.records import OutboxStatus
from email_assistant.journal.sql import check_keys
from email_assistant.workflows.claims_desk.claims.claim import Ticket, TicketDraft, Tickets
from email_assistant.workflows.claims_desk.jira import JiraTickets
from email_assistant.workflows.claims_desk.records.incidents import TicketTable


@dataclass(frozen=True, slots=True)
class WantedTicket:
    """What a ticket is to say, and the key under which it is wanted once."""

    draft: TicketDraft
    key: str

    @property
    def action_id(self) -> str:
        """Of its effect."""
        return f"{Ticketing.kind}:{digest_of(self.draft.tenant_id, self.key)}"


@dataclass(frozen=True)
class Ticketing(Effect[WantedTicket, Ticket]):
    """From a draft to a ticket. Who wants the ticket, and under which key, is in the caller's state, never a model's choice."""

    tickets: Tickets
    """Where they are made: the local table itself, or another system."""
    table: TicketTable
    outbox: Outbox
    clock: Clock
    kind: ClassVar[str] = "ticket"

    @classmethod
    def of(cls, deps: JournalDeps) -> Self:
        """What the settings name."""
        table = TicketTable(deps.database, deps.clock)
        return cls(JiraTickets.of(deps.settings, deps.clock) or table, table, deps.outbox, deps.clock)

    async def perform_ticket(self, draft: TicketDraft, idempotency_key: str) -> Ticket:
        """The ticket for this tenant and key: made now, or before by whoever came with the same draft.

        Raises `InputError` for a draft or key that is wrong, `ActionChangedError` when the key stands for another draft,
        `TransientError` when it is not known yet whether there is a ticket (the same call later finds out), `AccessError`
        and `ProviderError` when the system does not want it.
        """
        draft = draft.bounded()
        check_keys(tenant_id=draft.tenant_id, idempotency_key=idempotency_key)
        return await perform_once(self.outbox, self, WantedTicket(draft, idempotency_key))

    def intent(self, what: WantedTicket) -> Intent:
        """The tenant's key, whatever the ticket says."""
        subject = f"{self.kind}:{digest_of(what.draft.tenant_id, what.draft.user_id)}"
        return Intent(what.action_id, self.kind, subject, asdict(what.draft))

    async def do(self, what: WantedTicket) -> dict[str, Any]:
        """Make it."""
        return await self._keep(await self.tickets.create(what.draft, what.key))

    async def found(self, what: WantedTicket) -> Reconciled:
        """What the system has; raises `UnsettledError` while a ticket that was made may not be found yet."""
        found = await self.tickets.find(what.draft, what.key)
        if found is not None:
            return Happened(await self._keep(found))
        row = await self.outbox.get(what.action_id)
        if row is not None and row.status is OutboxStatus.started:
            sure_at = row.updated_at + self.tickets.settles
            if self.clock.now() < sure_at:
                raise UnsettledError(
                    f"it is not known before {sure_at:%H:%M:%S} UTC whether an earlier try has made the ticket"
                )
        return NotHappened()

    async def after(self, what: WantedTicket, result: Mapping[str, Any]) -> Ticket:
        """The copy that is kept here."""
        kept = await self.table.find(what.draft, what.key)
        if kept is None:
            raise TransientError("the ticket was made, and its copy is gone: look for it where it is kept")
        return kept

    async def _keep(self, made: Ticket) -> dict[str, Any]:
        kept = await self.table.keep(made)
        return {"key": kept.key, "url": kept.url}
