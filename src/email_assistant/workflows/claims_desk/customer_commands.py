"""`customers`: who may claim, and what they have taken out."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from email_assistant.app.journal import JournalDeps
from email_assistant.cli.console import (
    JsonOption,
    LimitOption,
    count,
    journal_deps,
    print_json,
    print_list,
    read_file,
    run_async,
    say,
)
from email_assistant.errors import NotFoundError
from email_assistant.workflows.claims_desk.claims.claim import Customer, CustomerPolicy
from email_assistant.workflows.claims_desk.claims.customer_csv import (
    CustomerRow,
    PolicyRow,
    read_customers,
    read_policies,
)
from email_assistant.workflows.claims_desk.commands import TenantOption
from email_assistant.workflows.claims_desk.records.customers import PAGE, Customers, ImportedTables
from email_assistant.workflows.claims_desk.records.tables import CUSTOMERS

MAX_TENANTS = 1_000_000
"""Of which a customer's id may be."""

customers = typer.Typer(
    help="Customers and their policies: import them from tables, list, show.", no_args_is_help=True
)


@customers.command("import")
def import_(
    customers: Annotated[
        Path,
        typer.Argument(metavar="CUSTOMERS.csv", help=f"In UTF-8: {', '.join(CustomerRow.model_fields)}."),
    ],
    policies: Annotated[
        Path,
        typer.Argument(
            metavar="POLICIES.csv",
            help=f"In UTF-8: {', '.join(PolicyRow.model_fields)}; the last two if you like.",
        ),
    ],
) -> None:
    """Put these in the place of all customers and policies of the tenants in the tables, or none when a row is wrong."""
    found = run_async(_import(journal_deps(), customers.expanduser(), policies.expanduser()))
    say(f"{found.customers} customers with {found.policies} policies, of {count(found.tenants, 'tenant')}.")
    if found.removed_customers or found.removed_policies:
        say(f"Removed: {found.removed_customers} customers, {found.removed_policies} policies.")


@customers.command("list")
def list_(tenant: TenantOption = None, limit: LimitOption = PAGE, as_json: JsonOption = False) -> None:
    """List the customers, by tenant and in the order of their ids."""
    listed = Customers(journal_deps().database).anybodys(tenant, limit + 1)
    nothing = "There are no customers: `customers import CUSTOMERS.csv POLICIES.csv`."
    print_list(run_async(listed), _named, nothing, as_json=as_json, limit=limit)


@customers.command()
def show(
    user_id: Annotated[str, typer.Argument(metavar="USER_ID", help="The customer's id.")],
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a customer with all policies; without --tenant everybody with this id."""
    deps = journal_deps()
    found = run_async(_show(deps, tenant, user_id))
    if not found:
        raise NotFoundError(f"there is no customer {user_id}; `email-assistant customers list` lists them")
    if as_json:
        print_json([asdict(one) | {"policies": [asdict(each) for each in theirs]} for one, theirs in found])
        return
    for one, theirs in found:
        say(f"{_named(one)}, customer since {one.since}")
        for each in theirs:
            say(f"  {_line(each, deps.settings.currency)}")


async def _import(deps: JournalDeps, customers: Path, policies: Path) -> ImportedTables:
    them = await asyncio.to_thread(read_file, customers, read_customers)

    def read(file: Any, name: str) -> tuple[CustomerPolicy, ...]:
        return read_policies(file, name, them)

    return await Customers(deps.database).import_all(them, await asyncio.to_thread(read_file, policies, read))


async def _show(
    deps: JournalDeps, tenant: str | None, user_id: str
) -> list[tuple[Customer, tuple[CustomerPolicy, ...]]]:
    table = Customers(deps.database)
    found = await table.anybodys(tenant, MAX_TENANTS, CUSTOMERS.c.user_id == user_id)
    return [(one, await table.policies(one.tenant_id, user_id)) for one in found]


def _named(one: Customer) -> str:
    return f"{one.tenant_id}  {one.user_id}  {one.name} <{one.email}>"


def _line(policy: CustomerPolicy, currency: str) -> str:
    status = f"{policy.status} on {policy.cancelled_on}" if policy.cancelled_on else policy.status
    return (
        f"{policy.policy_id}  {policy.product}, {status}, {policy.starts} to {policy.ends}; paid {policy.paid} {currency} until "
        f"{policy.paid_until}, up to {policy.limit} a claim, excess {policy.excess}"
    )
