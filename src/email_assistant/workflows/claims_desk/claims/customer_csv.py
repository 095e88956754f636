"""Customers and their policies from two tables in CSV: read whole, or told line by line why not."""

import re
from collections.abc import Callable, Collection, Mapping
from datetime import date
from typing import Any, BinaryIO, cast, get_args

from email_assistant.errors import InputError
from email_assistant.mail.address import Address, is_email
from email_assistant.mail.table import Flaws, amount_cell, checked_cell, quoted, table_rows
from email_assistant.workflows.claims_desk.claims.claim import Customer, CustomerPolicy, PolicyStatus

CUSTOMER_COLUMNS = ("tenant_id", "user_id", "name", "email", "since")
POLICY_COLUMNS = (
    "tenant_id", "policy_id", "user_id", "product", "status", "starts", "ends", "paid_until", "paid", "limit",
)  # fmt: skip
POLICY_OPTIONAL = ("excess", "cancelled_on")
MAX_NAME = 200

Reader = Callable[[str], Any]
_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_customers(file: BinaryIO, name: str) -> tuple[Customer, ...]:
    """The customers of a table, in the order of its rows (`table_rows` tells its form).

    Raises `TableError` when rows are wrong, `InputError` when the file is no such table or has no customer.
    """
    flaws, found = Flaws(), []
    users: dict[tuple[str, str], int] = {}
    emails: dict[tuple[str, str], int] = {}
    for line, cells in table_rows(file, name, CUSTOMER_COLUMNS, flaws):
        values = _values(line, cells, _CUSTOMER, flaws)
        if values is None:
            continue
        one = Customer(**values)
        _once(line, "user_id", (one.tenant_id, one.user_id), users, flaws)
        _once(line, "email", (one.tenant_id, one.email), emails, flaws)
        found.append(one)
    flaws.check(name)
    if not found:
        raise InputError(f"{name}: nothing was imported: there is no customer behind the headings")
    return tuple(found)


def read_policies(file: BinaryIO, name: str, customers: Collection[Customer]) -> tuple[CustomerPolicy, ...]:
    """The policies of a table, each of one of these customers, in the order of its rows; raises like `read_customers`.

    A table without a policy is right: a tenant may have customers alone.
    """
    flaws, found = Flaws(), []
    known = {(one.tenant_id, one.user_id) for one in customers}
    seen: dict[tuple[str, str], int] = {}
    for line, cells in table_rows(file, name, POLICY_COLUMNS, flaws, optional=POLICY_OPTIONAL):
        values = _values(line, cells, _POLICY, flaws)
        if values is None:
            continue
        one = CustomerPolicy(**values)
        _once(line, "policy_id", (one.tenant_id, one.policy_id), seen, flaws)
        if (one.tenant_id, one.user_id) not in known:
            told = f"the customers' table has no {one.user_id} of the tenant {one.tenant_id}"
            flaws.add(line, "user_id", told)
        if one.ends < one.starts:
            flaws.add(line, "ends", f"{one.ends} is before the policy starts, {one.starts}")
        if one.status == "cancelled" and one.cancelled_on is None:
            flaws.add(line, "cancelled_on", "is empty; write the day when the policy was cancelled")
        found.append(one)
    flaws.check(name)
    return tuple(found)


def _values(
    line: int, cells: Mapping[str, str], readers: Mapping[str, Reader], flaws: Flaws
) -> dict[str, Any] | None:
    before, values = flaws.number, {}
    for column, reader in readers.items():
        try:
            values[column] = reader(cells[column])
        except InputError as error:
            flaws.add(line, column, str(error))
    return values if flaws.number == before else None


def _once(
    line: int, column: str, key: tuple[str, str], seen: dict[tuple[str, str], int], flaws: Flaws
) -> None:
    first = seen.setdefault(key, line)
    if first != line:
        told = f"{quoted(key[1])} of the tenant {key[0]} is in line {first} already; take one row out"
        flaws.add(line, column, told)


def _id(cell: str) -> str:
    if not _ID.fullmatch(cell):
        raise InputError(
            f"{quoted(cell)} is no id; write up to 64 letters, digits, dots, dashes or underscores"
        )
    return cell


def _text(cell: str) -> str:
    if not cell:
        raise InputError("is empty")
    return checked_cell(cell, MAX_NAME)


def _email(cell: str) -> str:
    address = Address(cell)
    if not is_email(address.email):
        raise InputError(f"{quoted(cell)} is no email address")
    return address.key


def _day(cell: str) -> date:
    try:
        if _DAY.fullmatch(cell):
            return date.fromisoformat(cell)
    except ValueError:
        pass
    raise InputError(f"{quoted(cell)} is no day; write year, month and day, like 2026-11-20")


def _status(cell: str) -> PolicyStatus:
    status = cell.casefold()
    if status not in get_args(PolicyStatus):
        raise InputError(f"{quoted(cell)} is no status; write {', '.join(get_args(PolicyStatus))}")
    return cast(PolicyStatus, status)


_CUSTOMER: Mapping[str, Reader] = {
    "tenant_id": _id,
    "user_id": _id,
    "name": _text,
    "email": _email,
    "since": _day,
}
_POLICY: Mapping[str, Reader] = {
    "tenant_id": _id,
    "policy_id": _id,
    "user_id": _id,
    "product": _text,
    "status": _status,
    "starts": _day,
    "ends": _day,
    "paid_until": _day,
    "paid": lambda cell: amount_cell(cell, "amount"),
    "limit": lambda cell: amount_cell(cell, "amount"),
    "excess": lambda cell: amount_cell(cell or "0", "amount"),
    "cancelled_on": lambda cell: _day(cell) if cell else None,
}
