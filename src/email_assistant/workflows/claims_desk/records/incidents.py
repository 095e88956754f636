"""Incidents: what was decided on each claim, kept once."""

from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Row, Select, select

from email_assistant.errors import InputError
from email_assistant.journal.database import Database
from email_assistant.journal.one_go import one_read, one_write
from email_assistant.journal.statements import check_keys, insert_or_ignore
from email_assistant.workflows.claims_desk.claims.record import Incident
from email_assistant.workflows.claims_desk.records.tables import INCIDENTS

MAX_TEXT = 8_000
"""Characters of an issue or resolution that are kept."""
MAX_CITATIONS = 50
PAGE = 100

_I = INCIDENTS.c


@dataclass(frozen=True)
class Incidents:
    """The table of incidents. Whoever asks names the tenant, and gets nobody else's."""

    database: Database

    @one_write
    async def record(self, incident: Incident) -> Incident:
        """Keep the incident, once for its id: the one on record, which is an earlier one where there was one.

        Raises `InputError` when an id is empty or too long, or the id on record is another customer's.
        """
        check_keys(tenant_id=incident.tenant_id, incident_id=incident.incident_id)
        mine = (_I.tenant_id == incident.tenant_id) & (_I.incident_id == incident.incident_id)
        async with self.database.begin() as connection:
            await insert_or_ignore(connection, INCIDENTS, _values(incident))
            found = _incident((await connection.execute(select(INCIDENTS).where(mine))).one())
        if found.user_id != incident.user_id:
            raise InputError(f"incident_id: {incident.incident_id} is another customer's")
        return found

    async def of_user(self, tenant_id: str, user_id: str, limit: int = PAGE) -> tuple[Incident, ...]:
        """Up to `limit` incidents of a customer, the latest first. Nobody in particular (`user_id` "") has none."""
        if not user_id:
            return ()
        return await self._read(_latest(tenant_id).where(_I.user_id == user_id).limit(limit))

    async def list(self, tenant_id: str, limit: int = PAGE) -> tuple[Incident, ...]:
        """Up to `limit` incidents of a tenant, the latest first."""
        return await self._read(_latest(tenant_id).limit(limit))

    async def tenants(self) -> tuple[str, ...]:
        """The tenants that have incidents."""
        async with self.database.read() as connection:
            found = await connection.execute(select(_I.tenant_id).distinct().order_by(_I.tenant_id))
            return tuple(row.tenant_id for row in found)

    @one_read
    async def _read(self, statement: Select[Any]) -> tuple[Incident, ...]:
        async with self.database.read() as connection:
            return tuple(_incident(row) for row in await connection.execute(statement))


def _latest(tenant_id: str) -> Select[Any]:
    order = (_I.created_at.desc(), _I.incident_id.desc())
    return select(INCIDENTS).where(_I.tenant_id == tenant_id).order_by(*order)


def _values(incident: Incident) -> dict[str, Any]:
    values = {f.name: getattr(incident, f.name) for f in fields(incident)}
    texts = {name: values[name][:MAX_TEXT] for name in ("issue", "resolution")}
    return values | texts | {"citations": [*incident.citations[:MAX_CITATIONS]]}


def _incident(row: Row[Any]) -> Incident:
    return Incident(**row._asdict() | {"citations": tuple(row.citations)})
