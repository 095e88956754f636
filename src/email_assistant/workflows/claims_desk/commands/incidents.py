"""`incidents`: what was decided on claims."""

from typing import Annotated

import typer

from email_assistant.app import Container
from email_assistant.cli.console import JsonOption, container, print_list, run_async
from email_assistant.workflows.claims_desk.claims.record import Incident
from email_assistant.workflows.claims_desk.commands.tenants import LimitOption, TenantOption, page
from email_assistant.workflows.claims_desk.records.incidents import PAGE
from email_assistant.workflows.claims_desk.services import ClaimsDeskServices

app = typer.Typer(help="What was decided on claims: list.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """A group, though it has one command."""


@app.command("list")
def list_(
    tenant: TenantOption = None,
    user: Annotated[
        str | None, typer.Option("--user", help="Only this customer's.", show_default=False)
    ] = None,
    limit: LimitOption = PAGE,
    as_json: JsonOption = False,
) -> None:
    """List the incidents, the latest first."""
    built = container()
    found, more = run_async(_list(built, tenant, user, limit))
    currency = built.settings.currency
    print_list(found, lambda one: _told(one, currency), "There are no incidents.", as_json=as_json, more=more)


async def _list(
    built: Container, tenant: str | None, user: str | None, limit: int
) -> tuple[list[Incident], str]:
    table = ClaimsDeskServices.of(built).incidents

    async def of_tenant(name: str, number: int) -> tuple[Incident, ...]:
        return await (table.list(name, number) if user is None else table.of_user(name, user, number))

    return await page(table.tenants, tenant, limit, of_tenant)


def _told(one: Incident, currency: str) -> str:
    who = one.user_id or "no known customer"
    policy = f", {one.policy_id}" if one.policy_id else ""
    refund = f", refund {one.amount} {currency}" if one.amount else ""
    when = f"{one.created_at:%Y-%m-%d %H:%M} UTC"
    told = f"{when}  {one.tenant_id}/{who}{policy}: {one.is_valid} ({one.confidence:.2f}){refund}"
    cited = f"\n  by {', '.join(one.citations)}" if one.citations else ""
    return f"{told}\n  {one.issue}\n  → {one.resolution}{cited}"
