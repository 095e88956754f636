"""Commands about what claims came to: `tickets`, `incidents`, `refunds`."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from email_assistant.app.journal import JournalDeps
from email_assistant.cli.console import (
    JsonOption,
    LimitOption,
    group,
    journal_deps,
    print_json,
    print_list,
    run_async,
    say,
)
from email_assistant.errors import InputError, NotFoundError
from email_assistant.workflows.claims_desk.claims.claim import Incident, Ticket
from email_assistant.workflows.claims_desk.records.incidents import Incidents, TicketTable, has_key
from email_assistant.workflows.claims_desk.records.refunds import (
    OPEN,
    RefundLedger,
    RefundRecord,
    RefundState,
)
from email_assistant.workflows.claims_desk.records.tables import INCIDENTS, PAGE, TICKETS
from email_assistant.workflows.claims_desk.refunding import Refunding

TenantOption = Annotated[str | None, typer.Option("--tenant", help="Only this tenant's.", show_default=False)]


tickets = typer.Typer(help="Tickets of claims: list, show, close.", no_args_is_help=True)
TicketArgument = Annotated[
    str, typer.Argument(metavar="KEY", help="The ticket's key from `tickets list`, like LOCAL-12.")
]


@tickets.command("list")
def list_tickets(
    tenant: TenantOption = None,
    all_: Annotated[bool, typer.Option("--all", help="Those that are closed, too.")] = False,
    limit: LimitOption = PAGE,
    as_json: JsonOption = False,
) -> None:
    """List the open tickets, the latest first. Those that another system keeps stand as they were made."""
    table = TicketTable(journal_deps().database, journal_deps().clock)
    only = () if all_ else (TICKETS.c.status == "open",)
    found = run_async(table.anybodys(tenant, limit + 1, *only))
    nothing = "There are no tickets." if all_ else "There are no open tickets."
    print_list(found, _ticket_line, nothing, as_json=as_json, limit=limit)


@tickets.command()
def show(key: TicketArgument, tenant: TenantOption = None, as_json: JsonOption = False) -> None:
    """Show everything about a ticket."""
    found = run_async(_ticket(journal_deps(), tenant, key))
    if as_json:
        print_json(asdict(found))
        return
    say(_ticket_line(found))
    if found.url:
        say(f"kept at {found.url}")
    say("")
    say(found.body)


@tickets.command()
def close(key: TicketArgument, tenant: TenantOption = None) -> None:
    """Close a ticket that is kept here."""
    if run_async(_closed(journal_deps(), tenant, key)):
        say(f"Closed: {key}")
    else:
        say(f"{key} was closed before.")


async def _ticket(deps: JournalDeps, tenant: str | None, key: str) -> Ticket:
    found = await TicketTable(deps.database, deps.clock).anybodys(tenant, 1, has_key(key))
    if not found:
        raise NotFoundError(f"there is no ticket {key}; `email-assistant tickets list --all` lists them")
    return found[0]


async def _closed(deps: JournalDeps, tenant: str | None, key: str) -> bool:
    found = await _ticket(deps, tenant, key)
    return await TicketTable(deps.database, deps.clock).close(found.tenant_id, found.key)


def _ticket_line(ticket: Ticket) -> str:
    who = ticket.user_id or "no known customer"
    when = f"{ticket.created_at:%Y-%m-%d %H:%M} UTC"
    return f"{ticket.key}  {ticket.status}  {when}  {ticket.type}  {ticket.tenant_id}/{who}: {ticket.title}"


incidents = group("What was decided on claims: list.")


@incidents.command("list")
def list_incidents(
    tenant: TenantOption = None,
    user: Annotated[
        str | None, typer.Option("--user", help="Only this customer's.", show_default=False)
    ] = None,
    limit: LimitOption = PAGE,
    as_json: JsonOption = False,
) -> None:
    """List the incidents, the latest first."""
    deps = journal_deps()
    theirs = () if user is None else (INCIDENTS.c.user_id == user, INCIDENTS.c.user_id != "")
    listed = Incidents(deps.database).anybodys(tenant, limit + 1, *theirs)
    print_list(
        run_async(listed),
        lambda one: _incident_line(one, deps.settings.currency),
        "There are no incidents.",
        as_json=as_json,
        limit=limit,
    )


def _incident_line(one: Incident, currency: str) -> str:
    who = one.user_id or "no known customer"
    policy = f", {one.policy_id}" if one.policy_id else ""
    refund = f", refund {one.amount} {currency}" if one.amount else ""
    when = f"{one.created_at:%Y-%m-%d %H:%M} UTC"
    decision = f"{when}  {one.tenant_id}/{who}{policy}: {one.is_valid} ({one.confidence:.2f}){refund}"
    cited = f"\n  by {', '.join(one.citations)}" if one.citations else ""
    return f"{decision}\n  {one.issue}\n  → {one.resolution}{cited}"


_STATES = {
    RefundState.reserved: "set aside; nobody knows yet whether it was paid",
    RefundState.due: "due: to be paid by hand",
    RefundState.paid: "paid",
    RefundState.refused: "refused",
}

RefundArgument = Annotated[str, typer.Argument(help="The refund's key, as `refunds list` shows it.")]
NameOption = Annotated[str, typer.Option("--tenant", help="Whose refund it is.", show_default=False)]

refunds = typer.Typer(help="What was paid back, or is to be: list, paid, unpaid.", no_args_is_help=True)


@refunds.command("list")
def list_refunds(tenant: TenantOption = None, limit: LimitOption = PAGE, as_json: JsonOption = False) -> None:
    """List the refunds, the latest first. Without an endpoint that pays, those that are due are to be paid by hand: `refunds paid`."""
    listed = RefundLedger(journal_deps().database, journal_deps().clock).anybodys(tenant, limit + 1)
    found = run_async(listed)
    nothing = "There are no refunds."
    print_list(found, _refund_line, nothing, as_json=as_json, plain=_refund_facts, limit=limit)
    due = sum(one.state is RefundState.due for one in found[:limit])
    if due and not as_json:
        say(f"{due} to be paid by hand; say it with `refunds paid KEY --receipt NUMBER`.")


@refunds.command()
def paid(
    key: RefundArgument,
    receipt: Annotated[str, typer.Option(help="The number under which it was paid.")],
    tenant: NameOption = "",
) -> None:
    """Say that a refund was paid: one that was due, or of which you found out what the assistant could not."""
    run_async(_found_out(journal_deps(), tenant, key, receipt=_filled(receipt, "--receipt")))
    say(f"Paid: {key}")


@refunds.command()
def unpaid(
    key: RefundArgument,
    reason: Annotated[str, typer.Option(help="Why it was not paid.")],
    tenant: NameOption = "",
) -> None:
    """Say that a refund was surely not paid: its money is free again, and may be paid for another claim."""
    run_async(_found_out(journal_deps(), tenant, key, reason=_filled(reason, "--reason")))
    say(f"Not paid: {key}")


def _filled(text: str, option: str) -> str:
    if not text.strip():
        raise InputError(f"{option} is empty")
    return " ".join(text.split())


async def _found_out(deps: JournalDeps, tenant: str, key: str, **what: str) -> None:
    await Refunding.of(deps).found_out(tenant or deps.settings.tenant, key, **what)


def _refund_facts(one: RefundRecord) -> dict[str, Any]:
    values: dict[str, Any] = asdict(one)
    return {**values.pop("refund"), **values}


def _refund_line(one: RefundRecord) -> str:
    refund = one.refund
    detail = one.receipt or one.reason
    state = f"{_STATES[one.state]}: {detail}" if detail else _STATES[one.state]
    return (
        f"{one.reserved_at:%Y-%m-%d %H:%M} UTC  {refund.tenant_id}/{refund.user_id}, {refund.policy_id}: "
        f"{refund.amount} {refund.currency}  ({state})"
    ) + (f"\n  key {one.idempotency_key}" if one.state in OPEN else "")
