"""`refunds`: the ledger of what was paid back, or is to be."""

from dataclasses import asdict
from typing import Any

import typer

from email_assistant.bootstrap import House
from email_assistant.cli.console import JsonOption, house, print_json, run_async, say
from email_assistant.cli.tenants import LimitOption, TenantOption, page, say_rest
from email_assistant.journal.refunds import PAGE, RefundRecord, RefundState

_STATES = {
    RefundState.reserved: "set aside; nobody knows yet whether it was paid",
    RefundState.paid: "paid",
    RefundState.refused: "refused",
}

app = typer.Typer(help="What was paid back, or is to be: list.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """A group, though it has one command."""


@app.command("list")
def list_(tenant: TenantOption = None, limit: LimitOption = PAGE, as_json: JsonOption = False) -> None:
    """List the refunds, the latest first. Without an endpoint that pays, those with a receipt are to be paid by hand."""
    found, more = run_async(_list(house(), tenant, limit))
    if as_json:
        print_json([_plain(one) for one in found])
        return
    for one in found:
        say(_line(one))
    say_rest(more)
    if not found:
        say("There are no refunds.")


async def _list(built: House, tenant: str | None, limit: int) -> tuple[list[RefundRecord], bool]:
    ledger = built.refund_ledger
    return await page(ledger.tenants, tenant, limit, ledger.list)


def _plain(one: RefundRecord) -> dict[str, Any]:
    values: dict[str, Any] = asdict(one)
    return {**values.pop("refund"), **values}


def _line(one: RefundRecord) -> str:
    refund = one.refund
    told = one.receipt or one.reason
    state = f"{_STATES[one.state]}: {told}" if told else _STATES[one.state]
    return (
        f"{one.reserved_at:%Y-%m-%d %H:%M} UTC  {refund.tenant_id}/{refund.user_id}, {refund.policy_id}: "
        f"{refund.amount} {refund.currency}  ({state})"
    )
