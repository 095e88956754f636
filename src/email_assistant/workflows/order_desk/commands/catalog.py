"""`catalog`: what the shop sells."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from email_assistant.app import Container
from email_assistant.cli.console import (
    HIGHER,
    JsonOption,
    container,
    flaws_listed,
    print_json,
    print_list,
    print_rows,
    read_file,
    run_async,
    say,
)
from email_assistant.errors import NotFoundError
from email_assistant.workflows.order_desk.records.catalogue import ImportedCatalogue
from email_assistant.workflows.order_desk.services import OrderDeskServices
from email_assistant.workflows.order_desk.shop.catalogue_csv import read_catalogue
from email_assistant.workflows.order_desk.shop.product import SEASONS, Product

PAGE = 1_000
MAX_PAGE = 1_000_000

app = typer.Typer(help="What the shop sells: import it from a table, show it.", no_args_is_help=True)


@app.command("import")
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
    with flaws_listed():
        found = run_async(_import(container(), path))
    say(f"{path.name}: {found.products} products, {found.removed} others removed. Revision {found.revision}.")
    if found.held:
        say(f"Open orders hold {found.held} units; they are not for sale.")
    if found.short:
        say(f"Open orders hold more than there is of: {', '.join(found.short)}")


@app.command()
def show(
    product_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="One product; in any case, with or without dashes.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=MAX_PAGE, help="How many to list.")] = PAGE,
    as_json: JsonOption = False,
) -> None:
    """Show all products in the order of the table, or everything about one."""
    built = container()
    if product_id is not None:
        _show_one(built, product_id, as_json)
        return
    found = run_async(OrderDeskServices.of(built).catalogue.list(limit + 1))
    print_list(
        found[:limit],
        lambda product: _line(product, built.settings.currency),
        "There are no products: `catalog import FILE`.",
        as_json=as_json,
        more=HIGHER if len(found) > limit else "",
    )


async def _import(built: Container, path: Path) -> ImportedCatalogue:
    return await OrderDeskServices.of(built).catalogue.import_all(
        await asyncio.to_thread(read_file, path, read_catalogue)
    )


def _show_one(built: Container, product_id: str, as_json: bool) -> None:
    found = run_async(OrderDeskServices.of(built).catalogue.get(product_id))
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
        "price": f"{found.price} {built.settings.currency}",
        "in stock": str(found.stock),
        "seasons": "all" if found.seasons == SEASONS else ", ".join(found.seasons),
        "promotion": found.promotion.text if found.promotion else "",
        "description": found.description,
    })  # fmt: skip


def _line(product: Product, currency: str) -> str:
    promotion = f"  [{product.promotion.text}]" if product.promotion else ""
    return f"{product.id}  {product.name}, {product.price} {currency}, {product.stock} in stock{promotion}"
