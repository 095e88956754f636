"""The tables of the claims desk: customers and their policies, and what was kept and done about their claims.

Tenants are separated in every table: each key begins with the tenant's id.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Date,
    Float,
    Index,
    PrimaryKeyConstraint,
    Row,
    Select,
    Table,
    UniqueConstraint,
    select,
)

from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read
from email_assistant.journal.sql import METADATA, Exact, UtcDateTime, id_column, json_column, text_column

CUSTOMERS = Table(
    "customers",
    METADATA,
    text_column("tenant_id"),
    text_column("user_id"),
    text_column("name"),
    text_column("email"),
    Column("since", Date, nullable=False),
    PrimaryKeyConstraint("tenant_id", "user_id"),
    UniqueConstraint("tenant_id", "email"),
    Index(None, "email"),
)

# An import, the only writer, sees to it that each has a customer.
POLICIES = Table(
    "policies",
    METADATA,
    text_column("tenant_id"),
    text_column("policy_id"),
    text_column("user_id"),
    text_column("product"),
    text_column("status"),
    Column("starts", Date, nullable=False),
    Column("ends", Date, nullable=False),
    Column("paid_until", Date, nullable=False),
    Column("paid", Exact, nullable=False),
    Column("limit", Exact, nullable=False),
    Column("excess", Exact, nullable=False),
    Column("cancelled_on", Date, nullable=True),
    PrimaryKeyConstraint("tenant_id", "policy_id"),
    Index(None, "tenant_id", "user_id"),
)

INCIDENTS = Table(
    "incidents",
    METADATA,
    text_column("tenant_id"),
    text_column("incident_id"),
    text_column("user_id"),
    text_column("policy_id"),
    text_column("issue"),
    text_column("is_valid"),
    text_column("resolution"),
    json_column("citations"),
    Column("confidence", Float, nullable=False),
    Column("amount", Exact, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    text_column("user_role"),
    PrimaryKeyConstraint("tenant_id", "incident_id"),
    Index(None, "tenant_id", "user_id", "created_at"),
)

# `outer_key` is "" for a ticket that is kept here alone; its number is its key then.
TICKETS = Table(
    "tickets",
    METADATA,
    id_column(),
    text_column("tenant_id"),
    text_column("idempotency_key"),
    text_column("outer_key"),
    text_column("user_id"),
    text_column("type"),
    text_column("title"),
    text_column("body"),
    text_column("status"),
    text_column("url"),
    Column("created_at", UtcDateTime, nullable=False),
    Column("closed_at", UtcDateTime, nullable=True),
    UniqueConstraint("tenant_id", "idempotency_key"),
    Index(None, "tenant_id", "user_id"),
    Index(None, "tenant_id", "outer_key"),
)

REFUNDS = Table(
    "refunds",
    METADATA,
    text_column("tenant_id"),
    text_column("idempotency_key"),
    text_column("user_id"),
    text_column("policy_id"),
    Column("amount", Exact, nullable=False),
    text_column("currency"),
    text_column("state"),
    text_column("receipt"),
    text_column("reason"),
    Column("reserved_at", UtcDateTime, nullable=False),
    Column("settled_at", UtcDateTime, nullable=True),
    PrimaryKeyConstraint("tenant_id", "idempotency_key"),
    Index(None, "tenant_id", "policy_id"),
    Index(None, "tenant_id", "user_id"),
)

T = TypeVar("T")
PAGE = 100


class TenantRecords(ABC, Generic[T]):
    """The records of one table. Who asks for a customer names the tenant, and gets nobody else's."""

    database: Database
    table: ClassVar[Table]
    order: ClassVar[tuple[ColumnElement[Any], ...]]
    """In which they are listed."""

    @abstractmethod
    def of_row(self, row: Row[Any]) -> T:
        """The record."""

    async def of_user(self, tenant_id: str, user_id: str, limit: int = PAGE) -> tuple[T, ...]:
        """Up to `limit` of a customer's, in their order. Nobody in particular (`user_id` "") has none."""
        if not user_id:
            return ()
        return await self._read(self._listed(tenant_id).where(self.table.c.user_id == user_id).limit(limit))

    async def list(self, tenant_id: str, limit: int = PAGE) -> tuple[T, ...]:
        """Up to `limit` of a tenant's, in their order."""
        return await self._read(self._listed(tenant_id).limit(limit))

    async def anybodys(
        self, tenant_id: str | None, limit: int, *conditions: ColumnElement[bool]
    ) -> tuple[T, ...]:
        """For whoever runs the desk: up to `limit`, of a tenant or (None) of all, one tenant after the other."""
        tenant = self.table.c.tenant_id
        own = conditions if tenant_id is None else (tenant == tenant_id, *conditions)
        return await self._read(select(self.table).where(*own).order_by(tenant, *self.order).limit(limit))

    async def tenants(self) -> tuple[str, ...]:
        """The tenants that have any."""
        tenant = self.table.c.tenant_id
        return tuple(row.tenant_id for row in await self._rows(select(tenant).distinct().order_by(tenant)))

    def _listed(self, tenant_id: str) -> Select[Any]:
        return select(self.table).where(self.table.c.tenant_id == tenant_id).order_by(*self.order)

    async def _read(self, statement: Select[Any]) -> tuple[T, ...]:
        return tuple(map(self.of_row, await self._rows(statement)))

    @one_read
    async def _rows(self, statement: Select[Any]) -> Sequence[Row[Any]]:
        async with self.database.read() as connection:
            rows: Sequence[Row[Any]] = (await connection.execute(statement)).all()
            return rows
