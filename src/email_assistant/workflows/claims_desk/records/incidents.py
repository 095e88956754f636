"""Incidents and tickets: what was decided on each claim, and what a person is to look at. Each is kept once."""

import re
from dataclasses import asdict, dataclass, fields
from datetime import timedelta
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, Row, Table, select, update

from email_assistant.clock import Clock
from email_assistant.errors import InputError, NotFoundError
from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_write
from email_assistant.journal.sql import check_keys, insert_or_ignore
from email_assistant.workflows.claims_desk.claims.claim import Incident, Ticket, TicketDraft
from email_assistant.workflows.claims_desk.records.tables import INCIDENTS, TICKETS, TenantRecords

MAX_TEXT = 8_000
"""Characters of an issue or resolution that are kept."""
MAX_CITATIONS = 50
LOCAL = "LOCAL-"

_I, _T = INCIDENTS.c, TICKETS.c
_LOCAL_KEY = re.compile(rf"{LOCAL}([0-9]{{1,18}})", re.IGNORECASE)


@dataclass(frozen=True)
class Incidents(TenantRecords[Incident]):
    """The table of incidents, the latest first."""

    database: Database
    table: ClassVar[Table] = INCIDENTS
    order: ClassVar[tuple[ColumnElement[Any], ...]] = (_I.created_at.desc(), _I.incident_id.desc())

    @one_write
    async def record(self, incident: Incident) -> Incident:
        """Keep the incident, once for its id: the one on record, which is an earlier one where there was one.

        Raises `InputError` when an id is empty or too long, or the id on record is another customer's.
        """
        check_keys(tenant_id=incident.tenant_id, incident_id=incident.incident_id)
        mine = (_I.tenant_id == incident.tenant_id) & (_I.incident_id == incident.incident_id)
        async with self.database.begin() as connection:
            await insert_or_ignore(connection, INCIDENTS, _bounded(incident))
            found = self.of_row((await connection.execute(select(INCIDENTS).where(mine))).one())
        if found.user_id != incident.user_id:
            raise InputError(f"incident_id: {incident.incident_id} is another customer's")
        return found

    def of_row(self, row: Row[Any]) -> Incident:
        """The incident."""
        return Incident(**row._asdict() | {"citations": tuple(row.citations)})


def _bounded(incident: Incident) -> dict[str, Any]:
    values = {f.name: getattr(incident, f.name) for f in fields(incident)}
    texts = {name: values[name][:MAX_TEXT] for name in ("issue", "resolution")}
    return values | texts | {"citations": [*incident.citations[:MAX_CITATIONS]]}


@dataclass(frozen=True)
class TicketTable(TenantRecords[Ticket]):
    """The table of tickets, the latest first; a `Tickets` port by itself."""

    database: Database
    clock: Clock
    table: ClassVar[Table] = TICKETS
    order: ClassVar[tuple[ColumnElement[Any], ...]] = (_T.id.desc(),)

    @property
    def settles(self) -> timedelta:
        """What was written can be read."""
        return timedelta(0)

    async def create(self, draft: TicketDraft, idempotency_key: str) -> Ticket:
        """Make the ticket, or return the one that was made for this tenant and key.

        Raises `InputError` when a key is empty or too long, or the ticket on record is another customer's.
        """
        return await self.keep(draft.bounded().ticket("", idempotency_key, self.clock.now()))

    @one_write
    async def keep(self, ticket: Ticket) -> Ticket:
        """Keep a copy of a ticket, once for its tenant and idempotency key; one without a key gets a local one.

        Raises like `create`.
        """
        check_keys(tenant_id=ticket.tenant_id, idempotency_key=ticket.idempotency_key)
        mine = (_T.tenant_id == ticket.tenant_id) & (_T.idempotency_key == ticket.idempotency_key)
        async with self.database.begin() as connection:
            await insert_or_ignore(connection, TICKETS, _values(ticket))
            found = self.of_row((await connection.execute(select(TICKETS).where(mine))).one())
        if found.user_id != ticket.user_id:
            raise InputError(f"idempotency_key: {ticket.idempotency_key} is another customer's ticket")
        return found

    async def find(self, draft: TicketDraft, idempotency_key: str) -> Ticket | None:
        """The ticket that was made for the draft's tenant and user and this key, or None."""
        mine = (_T.idempotency_key == idempotency_key) & (_T.user_id == draft.user_id)
        found = await self._read(self._listed(draft.tenant_id).where(mine))
        return found[0] if found else None

    async def get(self, tenant_id: str, key: str) -> Ticket | None:
        """The tenant's ticket with this key ("LOCAL-12"), or None."""
        found = await self._read(self._listed(tenant_id).where(has_key(key)))
        return found[0] if found else None

    async def close(self, tenant_id: str, key: str) -> bool:
        """Close a local ticket; True when this call did it, False when it was closed before.

        Raises `NotFoundError` when the tenant has no such ticket, `InputError` when another system keeps it.
        """
        found = await self.get(tenant_id, key)
        if found is None:
            raise NotFoundError(f"the tenant {tenant_id} has no ticket {key}")
        if not found.key.startswith(LOCAL):
            raise InputError(f"{found.key}: close it where it is kept{': ' * bool(found.url)}{found.url}")
        still_open = (_T.tenant_id == tenant_id) & has_key(key) & (_T.status == "open")
        change = {"status": "closed", "closed_at": self.clock.now()}
        async with self.database.begin() as connection:
            changed = await connection.execute(update(TICKETS).where(still_open).values(change))
            return changed.rowcount == 1

    def of_row(self, row: Row[Any]) -> Ticket:
        """The ticket, with a local key where no other system keeps it."""
        kept = {f.name: getattr(row, f.name) for f in fields(Ticket) if f.name != "key"}
        return Ticket(**kept, key=row.outer_key or f"{LOCAL}{row.id}")


def has_key(key: str) -> ColumnElement[bool]:
    """Whether a ticket has this key, in whichever system it is kept."""
    local = _LOCAL_KEY.fullmatch(key.strip())
    if local:
        return (_T.outer_key == "") & (_T.id == int(local[1]))
    # An empty key is no ticket's: "" marks those that have none of their own.
    return (_T.outer_key == key.strip()) & (_T.outer_key != "")


def _values(ticket: Ticket) -> dict[str, Any]:
    values = asdict(ticket)
    values["outer_key"] = values.pop("key")
    return values
