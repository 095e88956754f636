"""Tickets: those that are kept here alone, and a copy of those that another system keeps."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, select, update

from email_assistant.clock import Clock
from email_assistant.errors import InputError, NotFoundError
from email_assistant.journal.database import Database
from email_assistant.journal.one_go import one_read, one_write
from email_assistant.journal.statements import check_keys, insert_or_ignore
from email_assistant.workflows.claims_desk.claims.record import Ticket
from email_assistant.workflows.claims_desk.claims.tickets import TicketDraft
from email_assistant.workflows.claims_desk.records.tables import TICKETS

LOCAL = "LOCAL-"
PAGE = 100

_T = TICKETS.c
_LOCAL_KEY = re.compile(rf"{LOCAL}([0-9]{{1,18}})", re.IGNORECASE)


@dataclass(frozen=True)
class TicketTable:
    """The table of tickets; a `Tickets` port by itself. Whoever asks names the tenant, and gets nobody else's."""

    database: Database
    clock: Clock

    @property
    def settles(self) -> timedelta:
        """What was written can be read."""
        return timedelta(0)

    async def create(self, draft: TicketDraft, idempotency_key: str) -> Ticket:
        """Make the ticket, or return the one that was made for this tenant and key.

        Raises `InputError` when a key is empty or too long, or the ticket on record is another customer's.
        """
        draft = draft.bounded()
        return await self.keep(
            Ticket(
                tenant_id=draft.tenant_id,
                key="",
                user_id=draft.user_id,
                type=draft.type,
                title=draft.title,
                body=draft.body,
                status="open",
                idempotency_key=idempotency_key,
                created_at=self.clock.now(),
            )
        )

    @one_write
    async def keep(self, ticket: Ticket) -> Ticket:
        """Keep a copy of a ticket, once for its tenant and idempotency key; one without a key gets a local one.

        Raises like `create`.
        """
        check_keys(tenant_id=ticket.tenant_id, idempotency_key=ticket.idempotency_key)
        mine = (_T.tenant_id == ticket.tenant_id) & (_T.idempotency_key == ticket.idempotency_key)
        async with self.database.begin() as connection:
            await insert_or_ignore(connection, TICKETS, _values(ticket))
            found = _ticket((await connection.execute(select(TICKETS).where(mine))).one())
        if found.user_id != ticket.user_id:
            raise InputError(f"idempotency_key: {ticket.idempotency_key} is another customer's ticket")
        return found

    async def find(self, draft: TicketDraft, idempotency_key: str) -> Ticket | None:
        """The ticket that was made for the draft's tenant and user and this key, or None."""
        mine = (_T.idempotency_key == idempotency_key) & (_T.user_id == draft.user_id)
        found = await self._read(_of(draft.tenant_id).where(mine))
        return found[0] if found else None

    async def get(self, tenant_id: str, key: str) -> Ticket | None:
        """The tenant's ticket with this key ("LOCAL-12"), or None."""
        found = await self._read(_of(tenant_id).where(_has_key(key)))
        return found[0] if found else None

    async def of_user(self, tenant_id: str, user_id: str, limit: int = PAGE) -> tuple[Ticket, ...]:
        """Up to `limit` tickets of a customer, the latest first. Nobody in particular (`user_id` "") has none."""
        if not user_id:
            return ()
        return await self._read(_latest(tenant_id).where(_T.user_id == user_id).limit(limit))

    async def list(self, tenant_id: str, limit: int = PAGE, *, open_only: bool = False) -> tuple[Ticket, ...]:
        """Up to `limit` tickets of a tenant, the latest first; on request those that are open."""
        wanted = _latest(tenant_id)
        return await self._read((wanted.where(_T.status == "open") if open_only else wanted).limit(limit))

    async def tenants(self) -> tuple[str, ...]:
        """The tenants that have tickets."""
        async with self.database.read() as connection:
            found = await connection.execute(select(_T.tenant_id).distinct().order_by(_T.tenant_id))
            return tuple(row.tenant_id for row in found)

    async def close(self, tenant_id: str, key: str) -> bool:
        """Close a local ticket; True when this call did it, False when it was closed before.

        Raises `NotFoundError` when the tenant has no such ticket, `InputError` when another system keeps it.
        """
        found = await self.get(tenant_id, key)
        if found is None:
            raise NotFoundError(f"the tenant {tenant_id} has no ticket {key}")
        if not found.key.startswith(LOCAL):
            raise InputError(f"{found.key}: close it where it is kept{': ' * bool(found.url)}{found.url}")
        still_open = (_T.tenant_id == tenant_id) & _has_key(key) & (_T.status == "open")
        change = {"status": "closed", "closed_at": self.clock.now()}
        async with self.database.begin() as connection:
            changed = await connection.execute(update(TICKETS).where(still_open).values(change))
            return changed.rowcount == 1

    @one_read
    async def _read(self, statement: Select[Any]) -> tuple[Ticket, ...]:
        async with self.database.read() as connection:
            return tuple(_ticket(row) for row in await connection.execute(statement))


def _of(tenant_id: str) -> Select[Any]:
    return select(TICKETS).where(_T.tenant_id == tenant_id)


def _latest(tenant_id: str) -> Select[Any]:
    return _of(tenant_id).order_by(_T.id.desc())


def _has_key(key: str) -> ColumnElement[bool]:
    local = _LOCAL_KEY.fullmatch(key.strip())
    if local:
        return (_T.outer_key == "") & (_T.id == int(local[1]))
    # An empty key is no ticket's: "" marks those that have none of their own.
    return (_T.outer_key == key.strip()) & (_T.outer_key != "")


def _values(ticket: Ticket) -> dict[str, Any]:
    return {
        "tenant_id": ticket.tenant_id,
        "idempotency_key": ticket.idempotency_key,
        "outer_key": ticket.key,
        "user_id": ticket.user_id,
        "type": ticket.type,
        "title": ticket.title,
        "body": ticket.body,
        "status": ticket.status,
        "url": ticket.url,
        "created_at": ticket.created_at,
    }


def _ticket(row: Row[Any]) -> Ticket:
    return Ticket(
        tenant_id=row.tenant_id,
        key=row.outer_key or f"{LOCAL}{row.id}",
        user_id=row.user_id,
        type=row.type,
        title=row.title,
        body=row.body,
        status=row.status,
        idempotency_key=row.idempotency_key,
        created_at=row.created_at,
        url=row.url,
    )
