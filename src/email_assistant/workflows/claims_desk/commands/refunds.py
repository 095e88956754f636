"""`refunds`: the ledger of what was paid back, or is to be."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from email_assistant.app import Container
from email_assistant.cli.console import JsonOption, container, print_list, run_async, say
from email_assistant.errors import InputError
from email_assistant.workflows.claims_desk.commands.tenants import LimitOption, TenantOption, page
from email_assistant.workflows.claims_desk.records.refunds import OPEN, PAGE, RefundRecord, RefundState
from email_assistant.workflows.claims_desk.services import ClaimsDeskServices

_STATES = {
    RefundState.reserved: "set aside; nobody knows yet whether it was paid",
    RefundState.due: "due: to be paid by hand",
    RefundState.paid: "paid",
    RefundState.refused: "refused",
}

KeyArgument = Annotated[str, typer.Argument(help="The refund's key, as `refunds list` shows it.")]
NameOption = Annotated[str, typer.Option("--tenant", help="Whose refund it is.", show_default=False)]

app = typer.Typer(help="What was paid back, or is to be: list, paid, unpaid.", no_args_is_help=True)


@app.command("list")
def list_(tenant: TenantOption = None, limit: LimitOption = PAGE, as_json: JsonOption = False) -> None:
    """List the refunds, the latest first. Without an endpoint that pays, those that are due are to be paid by hand: `refunds paid`."""
    found, more = run_async(_list(container(), tenant, limit))
    print_list(found, _line, "There are no refunds.", as_json=as_json, plain=_plain, more=more)
    due = sum(one.state is RefundState.due for one in found)
    if due and not as_json:
        say(f"{due} to be paid by hand; say it with `refunds paid KEY --receipt NUMBER`.")


@app.command()
def paid(
    key: KeyArgument,
    receipt: Annotated[str, typer.Option(help="The number under which it was paid.")],
    tenant: NameOption = "",
) -> None:
    """Say that a refund was paid: one that was due, or of which you found out what the assistant could not."""
    run_async(_found_out(container(), tenant, key, receipt=_words(receipt, "--receipt")))
    say(f"Paid: {key}")


@app.command()
def unpaid(
    key: KeyArgument,
    reason: Annotated[str, typer.Option(help="Why it was not paid.")],
    tenant: NameOption = "",
) -> None:
    """Say that a refund was surely not paid: its money is free again, and may be paid for another claim."""
    run_async(_found_out(container(), tenant, key, reason=_words(reason, "--reason")))
    say(f"Not paid: {key}")


def _words(text: str, option: str) -> str:
    if not text.strip():
        raise InputError(f"{option} is empty")
    return " ".join(text.split())


async def _found_out(built: Container, tenant: str, key: str, **what: str) -> None:
    await ClaimsDeskServices.of(built).refunding.found_out(tenant or built.settings.tenant, key, **what)


async def _list(built: Container, tenant: str | None, limit: int) -> tuple[list[RefundRecord], str]:
    ledger = ClaimsDeskServices.of(built).refund_ledger
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
    ) + (f"\n  key {one.idempotency_key}" if one.state in OPEN else "")
