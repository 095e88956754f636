"""`incidents`: what was decided on claims."""

from dataclasses import asdict
from typing import Annotated

import typer

from email_assistant.app import Container
from email_assistant.cli.console import JsonOption, container, print_json, run_async, say
from email_assistant.workflows.claims_desk.claims.record import Incident
from email_assistant.workflows.claims_desk.commands.tenants import LimitOption, TenantOption, page, say_rest
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
    if as_json:
        print_json([asdict(one) for one in found])
        return
    for one in found:
        for line in _lines(one, built.settings.currency):
            say(line)
    say_rest(more)
    if not found:
        say("There are no incidents.")


async def _list(
    built: Container, tenant: str | None, user: str | None, limit: int
) -> tuple[list[Incident], bool]:
    table = ClaimsDeskServices.of(built).incidents

    async def of_tenant(name: str, number: int) -> tuple[Incident, ...]:
        return await (table.list(name, number) if user is None else table.of_user(name, user, number))

    return await page(table.tenants, tenant, limit, of_tenant)


def _lines(one: Incident, currency: str) -> list[str]:
    who = one.user_id or "no known customer"
    policy = f", {one.policy_id}" if one.policy_id else ""
    refund = f", refund {one.amount} {currency}" if one.amount else ""
    when = f"{one.created_at:%Y-%m-%d %H:%M} UTC"
    told = f"{when}  {one.tenant_id}/{who}{policy}: {one.is_valid} ({one.confidence:.2f}){refund}"
    cited = [f"  by {', '.join(one.citations)}"] if one.citations else []
    return [told, f"  {one.issue}", f"  → {one.resolution}", *cited]
