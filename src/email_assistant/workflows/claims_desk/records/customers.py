"""Customers and their policies: brought in from tables, looked up by who they are."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, Row, Table, delete, insert, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.errors import InputError
from email_assistant.journal.database import Database
from email_assistant.mail.address import Address
from email_assistant.workflows.claims_desk.claims.claim import Customer, CustomerPolicy
from email_assistant.workflows.claims_desk.records.tables import CUSTOMERS, POLICIES, TenantRecords

BATCH = 1_000
"""Rows that go to the database at once."""
PAGE = 1_000

_C, _P = CUSTOMERS.c, POLICIES.c


@dataclass(frozen=True, slots=True)
class ImportedTables:
    """The numbers of an import."""

    tenants: int
    customers: int
    policies: int
    removed_customers: int
    """Those that were there before and are no more."""
    removed_policies: int


@dataclass(frozen=True)
class Customers(TenantRecords[Customer]):
    """The tables of customers, in the order of their ids, and of policies."""

    database: Database
    table: ClassVar[Table] = CUSTOMERS
    order: ClassVar[tuple[ColumnElement[Any], ...]] = (_C.user_id,)

    async def import_all(
        self, customers: Sequence[Customer], policies: Sequence[CustomerPolicy]
    ) -> ImportedTables:
        """Put these in the place of all customers and policies of their tenants, in one transaction that nobody sees half of.

        Other tenants' stay. Raises `InputError`, and changes nothing, when an id or a tenant's address is there twice, or a
        policy has no customer among these.
        """
        _check(customers, policies)
        tenants = sorted({one.tenant_id for one in customers})
        async with self.database.begin() as connection:
            if connection.dialect.name == "postgresql":
                await connection.execute(text("LOCK TABLE customers, policies IN SHARE ROW EXCLUSIVE MODE"))
            gone = await _replace(connection, POLICIES, "policy_id", tenants, policies)
            left = await _replace(connection, CUSTOMERS, "user_id", tenants, customers)
        return ImportedTables(len(tenants), len(customers), len(policies), left, gone)

    async def customer(self, tenant_id: str, user_id: str) -> Customer | None:
        """The customer, or None."""
        mine = (_C.tenant_id == tenant_id) & (_C.user_id == user_id)
        found = await self._read(select(CUSTOMERS).where(mine))
        return found[0] if found else None

    async def by_email(self, email: str, tenant_id: str | None = None) -> tuple[Customer, ...]:
        """Everybody with this address, whatever its case: at most one for a tenant; without one, of all tenants.

        An address may be a customer of several tenants. Whoever asks decides, or asks, which of them is meant.
        """
        statement = select(CUSTOMERS).where(_C.email == Address(email.strip()).key)
        if tenant_id is not None:
            statement = statement.where(_C.tenant_id == tenant_id)
        return await self._read(statement.order_by(_C.tenant_id))

    async def policies(self, tenant_id: str, user_id: str) -> tuple[CustomerPolicy, ...]:
        """The customer's policies in the order of their ids; () for somebody unknown."""
        mine = (_P.tenant_id == tenant_id) & (_P.user_id == user_id)
        found = await self._rows(select(POLICIES).where(mine).order_by(_P.policy_id))
        return tuple(CustomerPolicy(**row._asdict()) for row in found)

    async def has_tenant(self, tenant_id: str) -> bool:
        """Whether the tenant has customers."""
        return bool(await self._rows(select(_C.user_id).where(_C.tenant_id == tenant_id).limit(1)))

    def of_row(self, row: Row[Any]) -> Customer:
        """The customer."""
        return Customer(**row._asdict())


def _check(customers: Sequence[Customer], policies: Sequence[CustomerPolicy]) -> None:
    users = [(one.tenant_id, one.user_id) for one in customers]
    for name, keys in (
        ("user_id", users),
        ("email", [(one.tenant_id, one.email) for one in customers]),
        ("policy_id", [(one.tenant_id, one.policy_id) for one in policies]),
    ):
        if len(set(keys)) < len(keys):
            raise InputError(f"{name}: one is there twice within a tenant")
    known = set(users)
    for one in policies:
        if (one.tenant_id, one.user_id) not in known:
            raise InputError(f"user_id: policy {one.policy_id} has no customer {one.user_id}")
    if any(one.email != Address(one.email).key for one in customers):
        raise InputError("email: must be in lower case")


async def _replace(
    connection: AsyncConnection,
    table: Table,
    key: str,
    tenants: Collection[str],
    rows: Iterable[Customer | CustomerPolicy],
) -> int:
    """Put the rows in the place of the tenants'; how many keys are gone for good."""
    there = select(table.c.tenant_id, table.c[key]).where(table.c.tenant_id.in_(tenants))
    before = {(tenant, each) for tenant, each in await connection.execute(there)}
    await connection.execute(delete(table).where(table.c.tenant_id.in_(tenants)))
    rest = iter(rows)
    while batch := [asdict(one) for one in islice(rest, BATCH)]:
        await connection.execute(insert(table), batch)
        before -= {(row["tenant_id"], row[key]) for row in batch}
    return len(before)
