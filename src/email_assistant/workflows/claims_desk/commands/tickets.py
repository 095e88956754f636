"""`tickets`: what a person is to look at, or to find again."""

from dataclasses import asdict
from functools import partial
from typing import Annotated

import typer

from email_assistant.app import Container
from email_assistant.cli.console import JsonOption, container, print_json, print_list, run_async, say
from email_assistant.errors import NotFoundError
from email_assistant.workflows.claims_desk.claims.record import Ticket
from email_assistant.workflows.claims_desk.commands.tenants import (
    LimitOption,
    TenantOption,
    each_tenant,
    page,
)
from email_assistant.workflows.claims_desk.records.tickets import PAGE
from email_assistant.workflows.claims_desk.services import ClaimsDeskServices

app = typer.Typer(help="Tickets of claims: list, show, close.", no_args_is_help=True)
KeyArgument = Annotated[
    str, typer.Argument(metavar="KEY", help="The ticket's key from `tickets list`, like LOCAL-12.")
]


@app.command("list")
def list_(
    tenant: TenantOption = None,
    all_: Annotated[bool, typer.Option("--all", help="Those that are closed, too.")] = False,
    limit: LimitOption = PAGE,
    as_json: JsonOption = False,
) -> None:
    """List the open tickets, the latest first. Those that another system keeps stand as they were made."""
    found, more = run_async(_list(container(), tenant, limit, open_only=not all_))
    nothing = "There are no tickets." if all_ else "There are no open tickets."
    print_list(found, _line, nothing, as_json=as_json, more=more)


@app.command()
def show(key: KeyArgument, tenant: TenantOption = None, as_json: JsonOption = False) -> None:
    """Show everything about a ticket."""
    found = run_async(_one(container(), tenant, key))
    if as_json:
        print_json(asdict(found))
        return
    say(_line(found))
    if found.url:
        say(f"kept at {found.url}")
    say("")
    say(found.body)


@app.command()
def close(key: KeyArgument, tenant: TenantOption = None) -> None:
    """Close a ticket that is kept here."""
    if run_async(_close(container(), tenant, key)):
        say(f"Closed: {key}")
    else:
        say(f"{key} was closed before.")


async def _list(
    built: Container, tenant: str | None, limit: int, *, open_only: bool
) -> tuple[list[Ticket], str]:
    table = ClaimsDeskServices.of(built).ticket_table
    return await page(table.tenants, tenant, limit, partial(table.list, open_only=open_only))


async def _one(built: Container, tenant: str | None, key: str) -> Ticket:
    table = ClaimsDeskServices.of(built).ticket_table

    async def one(name: str) -> list[Ticket]:
        found = await table.get(name, key)
        return [found] if found else []

    found = await each_tenant(table.tenants, tenant, one)
    if not found:
        raise NotFoundError(f"there is no ticket {key}; `email-assistant tickets list --all` lists them")
    return found[0]


async def _close(built: Container, tenant: str | None, key: str) -> bool:
    found = await _one(built, tenant, key)
    return await ClaimsDeskServices.of(built).ticket_table.close(found.tenant_id, found.key)


def _line(ticket: Ticket) -> str:
    who = ticket.user_id or "no known customer"
    when = f"{ticket.created_at:%Y-%m-%d %H:%M} UTC"
    return f"{ticket.key}  {ticket.status}  {when}  {ticket.type}  {ticket.tenant_id}/{who}: {ticket.title}"
