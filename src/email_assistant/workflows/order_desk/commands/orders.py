"""`orders`: what was taken from the stock, and what it came to."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from email_assistant.cli.console import (
    HIGHER,
    JsonOption,
    complain,
    container,
    count,
    print_json,
    print_list,
    run_async,
    say,
)
from email_assistant.errors import InputError, NotFoundError
from email_assistant.workflows.order_desk.commands.orders_process import process
from email_assistant.workflows.order_desk.records.order_record import OrderRecord, OrderState
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.services import OrderDeskServices
from email_assistant.workflows.order_desk.shop.order import OrderLine

PAGE = 100
MAX_PAGE = 1_000_000

_STATES = {
    OrderState.held: "held until its reply is approved",
    OrderState.confirmed: "final",
    OrderState.released: "given back",
}

IdsOption = Annotated[list[str] | None, typer.Argument(metavar="ID…", help="Ids of orders.")]
AllOption = Annotated[bool, typer.Option("--all", help="All orders that are held.")]

app = typer.Typer(help="Mails through the order desk, and what was taken for orders.", no_args_is_help=True)
app.command()(process)


@app.command("list")
def list_(
    limit: Annotated[int, typer.Option(min=1, max=MAX_PAGE, help="How many to list.")] = PAGE,
    held: Annotated[
        bool, typer.Option("--held", help="Only those whose stock waits, the oldest first.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the orders, the latest first."""
    built = container()
    found = run_async(
        OrderDeskServices.of(built).orders.held()
        if held
        else OrderDeskServices.of(built).orders.list(limit + 1)
    )
    print_list(
        found[:limit],
        lambda record: _told(record, built.settings.currency),
        "No order is held." if held else "There are no orders.",
        as_json=as_json,
        plain=_plain,
        more=HIGHER if len(found) > limit else "",
    )


@app.command()
def show(
    order_id: Annotated[str, typer.Argument(metavar="ID", help="The order's id.")],
    as_json: JsonOption = False,
) -> None:
    """Show everything about one order."""
    built = container()
    record = run_async(OrderDeskServices.of(built).orders.get(order_id))
    if record is None:
        raise NotFoundError(f"there is no order {order_id}; `email-assistant orders list` lists them")
    if as_json:
        print_json(_plain(record))
        return
    currency = built.settings.currency
    say(_told(record, currency))
    for one in record.taken if record.order is None else ():
        say(f"  {one.product_id}  {one.taken} of {one.asked} taken")
    for line in record.order.lines if record.order else ():
        for text in _line(line, currency):
            say(f"  {text}")


def _settle(ids: list[str], all_held: bool, action: str) -> None:
    """Confirm or release, each order by itself: one that cannot be settled stops no other."""
    built = container()
    if bool(ids) == all_held:
        raise typer.BadParameter("name the orders by their ids, or say --all for all that are held")
    settled, refused = run_async(_settled(OrderDeskServices.of(built).orders, ids, action))
    say(f"{count(settled, 'order')} {'sold' if action == 'confirm' else 'given back'}.")
    for problem in refused:
        complain(problem)
    if refused:
        raise typer.Exit(1)


async def _settled(orders: Orders, ids: list[str], action: str) -> tuple[int, list[str]]:
    wanted = ids or [record.order_id for record in await orders.held()]
    settled, refused = 0, []
    for order_id in wanted:
        try:
            settled += await (orders.confirm(order_id) if action == "confirm" else orders.release(order_id))
        except (InputError, NotFoundError) as error:
            refused.append(str(error))
    return settled, refused


@app.command()
def confirm(ids: IdsOption = None, all_held: AllOption = False) -> None:
    """Sell what is held: for orders whose reply did not go through a card."""
    _settle(ids or [], all_held, "confirm")


@app.command()
def release(ids: IdsOption = None, all_held: AllOption = False) -> None:
    """Give back what is held; what is sold stays sold."""
    _settle(ids or [], all_held, "release")


def _told(record: OrderRecord, currency: str) -> str:
    came_to = (
        f"{record.order.status}, {record.order.total} {currency}" if record.order else "not worked out yet"
    )
    when = f"{record.taken_at:%Y-%m-%d %H:%M} UTC"
    return f"{record.order_id}  {when}  {came_to}  ({_STATES[record.state]})"


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
