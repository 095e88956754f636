"""`catalog`, what the shop sells, and `orders`, what was taken for orders."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from email_assistant.app.journal import JournalDeps
from email_assistant.cli.console import (
    JsonOption,
    LimitOption,
    complain,
    count,
    journal_deps,
    print_json,
    print_list,
    print_rows,
    read_file,
    run_async,
    say,
)
from email_assistant.errors import InputError, NotFoundError
from email_assistant.workflows.order_desk.records.catalogue import Catalogue, ImportedCatalogue
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.records.tables import OrderRecord, OrderState
from email_assistant.workflows.order_desk.shop.catalogue_csv import read_catalogue
from email_assistant.workflows.order_desk.shop.order import OrderLine
from email_assistant.workflows.order_desk.shop.product import SEASONS, Product

PRODUCTS, ORDERS = 1_000, 100
"""How many are listed unless more are asked for."""
_STATES = {
    OrderState.held: "held until its reply is approved",
    OrderState.confirmed: "final",
    OrderState.released: "given back",
}

IdsOption = Annotated[list[str] | None, typer.Argument(metavar="ID…", help="Ids of orders.")]
AllOption = Annotated[bool, typer.Option("--all", help="All orders that are held.")]

catalog = typer.Typer(help="What the shop sells: import it from a table, show it.", no_args_is_help=True)
orders = typer.Typer(help="What was taken for orders.", no_args_is_help=True)


@catalog.command("import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="CSV in UTF-8 with the columns id, name, category, description, stock, seasons, price, promotion.",
        ),
    ],
) -> None:
    """Put the products of a table in the place of all that are there, or none when a row is wrong."""
    path = file.expanduser()
    found = run_async(_import(journal_deps(), path))
    say(f"{path.name}: {found.products} products, {found.removed} others removed. Revision {found.revision}.")
    if found.held:
        say(f"Open orders hold {found.held} units; they are not for sale.")
    if found.short:
        say(f"Open orders hold more than there is of: {', '.join(found.short)}")


@catalog.command("show")
def show_products(
    product_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="One product; in any case, with or without dashes.")
    ] = None,
    limit: LimitOption = PRODUCTS,
    as_json: JsonOption = False,
) -> None:
    """Show all products in the order of the table, or everything about one."""
    deps = journal_deps()
    if product_id is not None:
        _show_one(deps, product_id, as_json)
        return
    print_list(
        run_async(Catalogue(deps.database, deps.clock).list(limit + 1)),
        lambda product: _product_line(product, deps.settings.currency),
        "There are no products: `catalog import FILE`.",
        as_json=as_json,
        limit=limit,
    )


async def _import(deps: JournalDeps, path: Path) -> ImportedCatalogue:
    return await Catalogue(deps.database, deps.clock).import_all(
        await asyncio.to_thread(read_file, path, read_catalogue)
    )


def _show_one(deps: JournalDeps, product_id: str, as_json: bool) -> None:
    found = run_async(Catalogue(deps.database, deps.clock).get(product_id))
    if found is None:
        raise NotFoundError(
            f"the catalogue has no product {product_id}; `email-assistant catalog show` lists them"
        )
    if as_json:
        print_json(asdict(found))
        return
    print_rows({
        "id": found.id,
        "name": found.name,
        "category": found.category,
        "price": f"{found.price} {deps.settings.currency}",
        "in stock": str(found.stock),
        "seasons": "all" if found.seasons == SEASONS else ", ".join(found.seasons),
        "promotion": found.promotion.text if found.promotion else "",
        "description": found.description,
    })  # fmt: skip


def _product_line(product: Product, currency: str) -> str:
    promotion = f"  [{product.promotion.text}]" if product.promotion else ""
    return f"{product.id}  {product.name}, {product.price} {currency}, {product.stock} in stock{promotion}"


@orders.command("list")
def list_(
    limit: LimitOption = ORDERS,
    held: Annotated[
        bool, typer.Option("--held", help="Only those whose stock waits, the oldest first.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the orders, the latest first."""
    deps = journal_deps()
    table = Orders(deps.database, deps.clock)
    print_list(
        run_async(table.held() if held else table.list(limit + 1)),
        lambda record: _summary(record, deps.settings.currency),
        "No order is held." if held else "There are no orders.",
        as_json=as_json,
        plain=_plain,
        limit=limit,
    )


@orders.command("show")
def show_order(
    order_id: Annotated[str, typer.Argument(metavar="ID", help="The order's id.")],
    as_json: JsonOption = False,
) -> None:
    """Show everything about one order."""
    deps = journal_deps()
    record = run_async(Orders(deps.database, deps.clock).get(order_id))
    if record is None:
        raise NotFoundError(f"there is no order {order_id}; `email-assistant orders list` lists them")
    if as_json:
        print_json(_plain(record))
        return
    currency = deps.settings.currency
    say(_summary(record, currency))
    for one in record.taken if record.order is None else ():
        say(f"  {one.product_id}  {one.taken} of {one.asked} taken")
    for line in record.order.lines if record.order else ():
        for text in _order_line(line, currency):
            say(f"  {text}")


def _settle(ids: list[str], all_held: bool, action: str) -> None:
    """Confirm or release, each order by itself: one that cannot be settled stops no other."""
    deps = journal_deps()
    if bool(ids) == all_held:
        raise typer.BadParameter("name the orders by their ids, or say --all for all that are held")
    settled, refused = run_async(_settled(Orders(deps.database, deps.clock), ids, action))
    say(f"{count(settled, 'order')} {'sold' if action == 'confirm' else 'given back'}.")
    for problem in refused:
        complain(problem)
    if refused:
        raise typer.Exit(1)


async def _settled(table: Orders, ids: list[str], action: str) -> tuple[int, list[str]]:
    wanted = ids or [record.order_id for record in await table.held()]
    settled, refused = 0, []
    for order_id in wanted:
        try:
            settled += await (table.confirm(order_id) if action == "confirm" else table.release(order_id))
        except (InputError, NotFoundError) as error:
            refused.append(str(error))
    return settled, refused


@orders.command()
def confirm(ids: IdsOption = None, all_held: AllOption = False) -> None:
    """Sell what is held: for orders whose reply did not go through a card."""
    _settle(ids or [], all_held, "confirm")


@orders.command()
def release(ids: IdsOption = None, all_held: AllOption = False) -> None:
    """Give back what is held; what is sold stays sold."""
    _settle(ids or [], all_held, "release")


def _summary(record: OrderRecord, currency: str) -> str:
    came_to = (
        f"{record.order.status}, {record.order.total} {currency}" if record.order else "not worked out yet"
    )
    when = f"{record.taken_at:%Y-%m-%d %H:%M} UTC"
    return f"{record.order_id}  {when}  {came_to}  ({_STATES[record.state]})"


def _order_line(line: OrderLine, currency: str) -> list[str]:
    price = f"{line.fulfilled} of {line.quantity} at {line.unit_price} {currency}: {line.total} {currency}"
    lines = [f"{line.product_id}  {line.product_name}  {price}  ({line.status})"]
    if line.promotion:
        lines.append(f"  {line.promotion}: {line.discount} {currency} off")
    lines += [f"  besides: {gift}" for gift in line.gifts]
    if line.alternatives:
        lines.append(f"  instead: {', '.join(line.alternatives)}")
    return lines


def _plain(record: OrderRecord) -> dict[str, Any]:
    return asdict(record) | {"taken": [one._asdict() for one in record.taken]}
