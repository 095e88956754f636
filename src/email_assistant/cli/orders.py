"""`orders`: what was taken from the stock, and what it came to."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from email_assistant.cli.console import JsonOption, house, print_json, run_async, say
from email_assistant.errors import NotFoundError
from email_assistant.journal.order_record import OrderRecord, OrderState
from email_assistant.shop.order import OrderLine

PAGE = 100
MAX_PAGE = 1_000_000

_STATES = {
    OrderState.held: "held until its reply is approved",
    OrderState.confirmed: "final",
    OrderState.released: "given back",
}

app = typer.Typer(help="What was taken for orders: list, show.", no_args_is_help=True)


@app.command("list")
def list_(
    limit: Annotated[int, typer.Option(min=1, max=MAX_PAGE, help="How many to list.")] = PAGE,
    as_json: JsonOption = False,
) -> None:
    """List the orders, the latest first."""
    built = house()
    found = run_async(built.orders.list(limit + 1))
    more, found = len(found) > limit, found[:limit]
    if as_json:
        print_json([_plain(record) for record in found])
        return
    for record in found:
        say(f"{record.order_id}  {_told(record, built.settings.currency)}")
    if more:
        say("There are more: a higher --limit shows them.")
    if not found:
        say("There are no orders.")


@app.command()
def show(
    order_id: Annotated[str, typer.Argument(metavar="ID", help="The order's id.")],
    as_json: JsonOption = False,
) -> None:
    """Show everything about one order."""
    built = house()
    record = run_async(built.orders.get(order_id))
    if record is None:
        raise NotFoundError(f"there is no order {order_id}; `email-assistant orders list` lists them")
    if as_json:
        print_json(_plain(record))
        return
    currency = built.settings.currency
    say(f"{record.order_id}  {_told(record, currency)}")
    for one in record.taken if record.order is None else ():
        say(f"  {one.product_id}  {one.taken} of {one.asked} taken")
    for line in record.order.lines if record.order else ():
        for text in _line(line, currency):
            say(f"  {text}")


def _told(record: OrderRecord, currency: str) -> str:
    came_to = (
        f"{record.order.status}, {record.order.total} {currency}" if record.order else "not worked out yet"
    )
    return f"{record.taken_at:%Y-%m-%d %H:%M} UTC  {came_to}  ({_STATES[record.state]})"


def _line(line: OrderLine, currency: str) -> list[str]:
    price = f"{line.fulfilled} of {line.quantity} at {line.unit_price} {currency}: {line.total} {currency}"
    told = [f"{line.product_id}  {line.product_name}  {price}  ({line.status})"]
    if line.promotion:
        told.append(f"  {line.promotion}: {line.discount} {currency} off")
    told += [f"  besides: {gift}" for gift in line.gifts]
    if line.alternatives:
        told.append(f"  instead: {', '.join(line.alternatives)}")
    return told


def _plain(record: OrderRecord) -> dict[str, Any]:
    return {
        "order_id": record.order_id,
        "state": record.state,
        "taken_at": record.taken_at,
        "settled_at": record.settled_at,
        "taken": [one._asdict() for one in record.taken],
        "order": asdict(record.order) if record.order else None,
    }
