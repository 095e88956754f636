"""`customers`: who may claim, and what they have taken out."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from email_assistant.app import Container
from email_assistant.cli.console import (
    JsonOption,
    container,
    count,
    flaws_listed,
    print_json,
    print_list,
    read_file,
    run_async,
    say,
)
from email_assistant.errors import NotFoundError
from email_assistant.workflows.claims_desk.claims.claim import Customer, CustomerPolicy
from email_assistant.workflows.claims_desk.claims.customer_csv import (
    CUSTOMER_COLUMNS,
    POLICY_COLUMNS,
    POLICY_OPTIONAL,
    read_customers,
    read_policies,
)
from email_assistant.workflows.claims_desk.commands import MAX_PAGE, LimitOption, TenantOption, page
from email_assistant.workflows.claims_desk.records.customers import PAGE, ImportedTables
from email_assistant.workflows.claims_desk.records.tables import CUSTOMERS
from email_assistant.workflows.claims_desk.services import ClaimsDeskServices

customers = typer.Typer(
    help="Customers and their policies: import them from tables, list, show.", no_args_is_help=True
)


@customers.command("import")
def import_(
    customers: Annotated[
        Path, typer.Argument(metavar="CUSTOMERS.csv", help=f"In UTF-8: {', '.join(CUSTOMER_COLUMNS)}.")
    ],
    policies: Annotated[
        Path,
        typer.Argument(
            metavar="POLICIES.csv",
            help=f"In UTF-8: {', '.join(POLICY_COLUMNS)}; if you like {', '.join(POLICY_OPTIONAL)}.",
        ),
    ],
) -> None:
    """Put these in the place of all customers and policies of the tenants in the tables, or none when a row is wrong."""
    with flaws_listed():
        found = run_async(_import(container(), customers.expanduser(), policies.expanduser()))
    say(f"{found.customers} customers with {found.policies} policies, of {count(found.tenants, 'tenant')}.")
    if found.removed_customers or found.removed_policies:
        say(f"Removed: {found.removed_customers} customers, {found.removed_policies} policies.")


@customers.command("list")
def list_(tenant: TenantOption = None, limit: LimitOption = PAGE, as_json: JsonOption = False) -> None:
    """List the customers, by tenant and in the order of their ids."""
    listed = ClaimsDeskServices.of(container()).customers.anybodys(tenant, limit + 1)
    found, more = page(run_async(listed), limit)
    nothing = "There are no customers: `customers import CUSTOMERS.csv POLICIES.csv`."
    print_list(found, _named, nothing, as_json=as_json, more=more)


@customers.command()
def show(
    user_id: Annotated[str, typer.Argument(metavar="USER_ID", help="The customer's id.")],
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a customer with all policies; without --tenant everybody with this id."""
    built = container()
    found = run_async(_show(built, tenant, user_id))
    if not found:
        raise NotFoundError(f"there is no customer {user_id}; `email-assistant customers list` lists them")
    if as_json:
        print_json([asdict(one) | {"policies": [asdict(each) for each in theirs]} for one, theirs in found])
        return
    for one, theirs in found:
        say(f"{_named(one)}, customer since {one.since}")
        for each in theirs:
            say(f"  {_line(each, built.settings.currency)}")


async def _import(built: Container, customers: Path, policies: Path) -> ImportedTables:
    them = await asyncio.to_thread(read_file, customers, read_customers)

    def read(file: Any, name: str) -> tuple[CustomerPolicy, ...]:
        return read_policies(file, name, them)

    return await ClaimsDeskServices.of(built).customers.import_all(
        them, await asyncio.to_thread(read_file, policies, read)
    )


async def _show(
    built: Container, tenant: str | None, user_id: str
) -> list[tuple[Customer, tuple[CustomerPolicy, ...]]]:
    table = ClaimsDeskServices.of(built).customers
    found = await table.anybodys(tenant, MAX_PAGE, CUSTOMERS.c.user_id == user_id)
    return [(one, await table.policies(one.tenant_id, user_id)) for one in found]


def _named(one: Customer) -> str:
    return f"{one.tenant_id}  {one.user_id}  {one.name} <{one.email}>"


def _line(policy: CustomerPolicy, currency: str) -> str:
    status = f"{policy.status} on {policy.cancelled_on}" if policy.cancelled_on else policy.status
    return (
        f"{policy.policy_id}  {policy.product}, {status}, {policy.starts} to {policy.ends}; paid {policy.paid} {currency} until "
        f"{policy.paid_until}, up to {policy.limit} a claim, excess {policy.excess}"
    )
