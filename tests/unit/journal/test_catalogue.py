"""The catalogue: importing, reading and finding, and what an import does to stock that orders have taken."""

from dataclasses import replace
from decimal import Decimal

import pytest

from email_assistant.clock import FixedClock
from email_assistant.errors import InputError
from email_assistant.journal.database import Database
from email_assistant.workflows.order_desk.records.catalogue import BATCH, Catalogue, ImportedCatalogue
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.shop.order import Wanted
from email_assistant.workflows.order_desk.shop.product import Product
from email_assistant.workflows.order_desk.shop.promotion import Promotion

PROMOTION = Promotion(
    "20% off together with HAT 2",
    applies_every=3,
    product_combination=("HAT 2",),
    percent_off=Decimal("12.5"),
)
BAG = Product("CSH-1098", "Bag", "City  bags", "Leather.", Decimal("12.50"), ("summer",), PROMOTION, 5)
HAT = Product(
    "HAT 2",
    "Hut für \N{SNOWMAN}",
    "Hats",
    "",
    Decimal("0.00"),
    promotion=Promotion("x", free_gift="bag"),
    stock=2,
)
SACK = Product("S.1", "Sack", "city Bags", "", Decimal("999999999.99"), stock=0)


@pytest.fixture
def catalogue(database: Database, clock: FixedClock) -> Catalogue:
    """Nothing in it."""
    return Catalogue(database, clock)


@pytest.fixture
def orders(catalogue: Catalogue) -> Orders:
    """No orders yet."""
    return Orders(catalogue.database, catalogue.clock)


async def test_products_are_read_as_they_were_imported(catalogue: Catalogue) -> None:
    """In the order of the table, one by its id in any writing, and by category."""
    assert (await catalogue.revision(), await catalogue.all()) == (0, ())
    assert await catalogue.import_all([SACK, BAG, HAT]) == ImportedCatalogue(
        1, 3, removed=0, held=0, short=()
    )
    assert await catalogue.all() == (SACK, BAG, HAT)
    assert await catalogue.list(2) == (SACK, BAG)
    assert (await catalogue.revision(), len(await catalogue.all())) == (1, 3)
    for written in ("CSH-1098", "csh 1098", "C\N{MINUS SIGN}SH\N{NO-BREAK SPACE}1098"):
        assert await catalogue.get(written) == BAG
    assert await catalogue.get("CSH-109") is await catalogue.get("\0") is await catalogue.get("") is None
    assert await catalogue.in_stock("CITY bags ") == (BAG,)
    assert await catalogue.in_stock("%") == ()


async def test_an_import_replaces_everything(catalogue: Catalogue) -> None:
    """What is not in it is gone; the same again is a new revision of the same."""
    await catalogue.import_all([SACK, BAG])
    changed = replace(BAG, id="csh1098", name="Tote", promotion=None, stock=9)
    assert await catalogue.import_all([changed, HAT]) == ImportedCatalogue(2, 2, removed=1, held=0, short=())
    assert await catalogue.import_all([changed, HAT]) == ImportedCatalogue(3, 2, removed=0, held=0, short=())
    assert await catalogue.all() == (changed, HAT)
    assert await catalogue.revision() == 3


async def test_an_import_that_fails_changes_nothing(catalogue: Catalogue) -> None:
    """Neither products nor the revision, however late it fails."""
    await catalogue.import_all([BAG])
    with pytest.raises(InputError, match="id: two products have the same id"):
        await catalogue.import_all([HAT, replace(HAT, id="hat2")])
    many = [replace(HAT, id=f"H{n}") for n in range(BATCH + 1)]
    many[-1] = replace(many[-1], name=None)  # type: ignore[arg-type]
    with pytest.raises(Exception, match=r"(?i)null"):
        await catalogue.import_all(many)
    assert (await catalogue.all(), await catalogue.revision()) == ((BAG,), 1)


async def test_what_orders_hold_is_not_for_sale_after_an_import(catalogue: Catalogue, orders: Orders) -> None:
    """The table counts it; it comes back when it is released, and is gone when it is confirmed."""
    await catalogue.import_all([BAG, HAT])
    await orders.take("held", [Wanted("CSH-1098", 3)], hold=True)
    await orders.take("kept", [Wanted("CSH-1098", 1), Wanted("HAT 2", 1)], hold=True)
    await orders.take("sold", [Wanted("HAT 2", 1)], hold=False)
    await orders.take("gone", [Wanted("HAT 2", 1)], hold=True)
    await orders.release("kept")
    await orders.take("kept 2", [Wanted("CSH-1098", 1)], hold=True)
    found = await catalogue.import_all([replace(BAG, id="CSH 1098", stock=10), replace(HAT, stock=2)])
    assert found == ImportedCatalogue(2, 2, removed=0, held=4, short=())
    assert [product.stock for product in await catalogue.all()] == [6, 2]
    await orders.confirm("kept 2")
    assert [product.stock for product in await catalogue.all()] == [6, 2]
    await orders.release("held")
    assert [product.stock for product in await catalogue.all()] == [9, 2]


async def test_an_import_of_fewer_than_orders_hold(catalogue: Catalogue, orders: Orders) -> None:
    """Nothing is for sale until so many came back that there is; the import says which products these are."""
    await catalogue.import_all([BAG])
    await orders.take("a", [Wanted("CSH-1098", 3)], hold=True)
    await orders.take("b", [Wanted("CSH-1098", 2)], hold=True)
    assert await catalogue.import_all([replace(BAG, stock=4)]) == ImportedCatalogue(
        2, 1, 0, held=5, short=("CSH-1098",)
    )
    stocks = [(await catalogue.all())[0].stock]
    assert await orders.take("c", [Wanted("CSH-1098", 1, everything=True)], hold=True) == (
        ("CSH-1098", 1, 0),
    )
    for order_id in ("b", "a"):
        await orders.release(order_id)
        stocks.append((await catalogue.all())[0].stock)
    assert stocks == [0, 1, 4]
