"""Customers and their policies from two tables in CSV: read whole, or told line by line why not."""

from collections.abc import Collection
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Annotated, BinaryIO, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from email_assistant.errors import InputError
from email_assistant.mail.address import Address, is_email
from email_assistant.mail.table import Amount, TableError, checked_cell, quoted, read_table, repeated
from email_assistant.workflows.claims_desk.claims.claim import Customer, CustomerPolicy, PolicyStatus

Id = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$",
        description="write up to 64 letters, digits, dots, dashes or underscores",
    ),
]
Name = Annotated[
    str, Field(min_length=1, description="write a name"), AfterValidator(partial(checked_cell, limit=200))
]


def read_email(cell: str) -> str:
    """An address in lower case."""
    address = Address(cell)
    if not is_email(address.email):
        raise InputError(f"{quoted(cell)} is no email address")
    return address.key


def read_day(cell: str) -> date:
    """A day as ISO 8601 writes it."""
    try:
        return date.fromisoformat(cell)
    except ValueError:
        text = f"{quoted(cell)} is no day; write year, month and day, like 2026-11-20"
        raise InputError(text) from None


Day = Annotated[date, BeforeValidator(read_day)]


class CustomerRow(BaseModel):
    """A row of the customers' table."""

    tenant_id: Id
    user_id: Id
    name: Name
    email: Annotated[str, AfterValidator(read_email)]
    since: Day


class PolicyRow(BaseModel):
    """A row of the policies' table; the last two columns may be left out."""

    tenant_id: Id
    policy_id: Id
    user_id: Id
    product: Name
    status: Annotated[
        PolicyStatus,
        BeforeValidator(str.casefold),
        Field(description=f"write {', '.join(get_args(PolicyStatus))}"),
    ]
    starts: Day
    ends: Day
    paid_until: Day
    paid: Amount
    limit: Amount
    excess: Amount = Decimal("0.00")
    cancelled_on: Day | None = None


def read_customers(file: BinaryIO, name: str) -> tuple[Customer, ...]:
    """The customers of a table, in the order of its rows (`read_table` tells its form).

    Raises `TableError` when rows are wrong, `InputError` when the file is no such table or has no customer.
    """
    rows = read_table(file, name, CustomerRow)
    flaws = [
        *repeated("user_id", ((line, (row.tenant_id, row.user_id)) for line, row in rows)),
        *repeated("email", ((line, (row.tenant_id, row.email)) for line, row in rows)),
    ]
    if flaws:
        raise TableError(name, flaws)
    if not rows:
        raise InputError(f"{name}: nothing was imported: there is no customer behind the headings")
    return tuple(Customer(**dict(row)) for _, row in rows)


def read_policies(file: BinaryIO, name: str, customers: Collection[Customer]) -> tuple[CustomerPolicy, ...]:
    """The policies of a table, each of one of these customers, in the order of its rows; raises like `read_customers`.

    A table without a policy is right: a tenant may have customers alone.
    """
    rows = read_table(file, name, PolicyRow)
    known = {(one.tenant_id, one.user_id) for one in customers}
    flaws = repeated("policy_id", ((line, (row.tenant_id, row.policy_id)) for line, row in rows))
    for line, row in rows:
        if (row.tenant_id, row.user_id) not in known:
            text = f"the customers' table has no {row.user_id} of the tenant {row.tenant_id}"
            flaws.append((line, "user_id", text))
        if row.ends < row.starts:
            flaws.append((line, "ends", f"{row.ends} is before the policy starts, {row.starts}"))
        if row.status == "cancelled" and row.cancelled_on is None:
            flaws.append((line, "cancelled_on", "is empty; write the day when the policy was cancelled"))
    if flaws:
        raise TableError(name, flaws)
    return tuple(CustomerPolicy(**dict(row)) for _, row in rows)
