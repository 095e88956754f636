"""Taking units for orders, confirming and giving them back, and what orders come to, on both databases."""

from dataclasses import replace
from decimal import Decimal

import pytest

from email_assistant.clock import FixedClock
from email_assistant.errors import InputError, NotFoundError
from email_assistant.journal.database import Database
from email_assistant.workflows.order_desk.records.catalogue import Catalogue
from email_assistant.workflows.order_desk.records.orders import MAX_LINES, Orders
from email_assistant.workflows.order_desk.records.tables import OrderRecord, OrderState
from email_assistant.workflows.order_desk.shop.order import Order, OrderLine, Wanted
from email_assistant.workflows.order_desk.shop.product import Product

BAG = Product("CSH-1098", "Bag", "Bags", "", Decimal("12.50"), stock=5)
HAT = Product("HAT 2", "Hat", "Hats", "", Decimal(3), stock=2)
LINE = OrderLine(
    "CSH-1098", "Bag", 7, 5, Decimal("12.50"), "partially_fulfilled", Decimal("0.10"), Decimal("62.40"),
    "20% off", ("canvas bag",), ("HAT 2",),
)  # fmt: skip


@pytest.fixture
async def catalogue(database: Database, clock: FixedClock) -> Catalogue:
    """Five bags and two hats."""
    catalogue = Catalogue(database, clock)
    await catalogue.import_all([BAG, HAT])
    return catalogue


@pytest.fixture
def orders(catalogue: Catalogue) -> Orders:
    """No orders yet."""
    return Orders(catalogue.database, catalogue.clock)


async def stocks(catalogue: Catalogue) -> list[int]:
    """Of bags and hats."""
    return [product.stock for product in await catalogue.all()]


async def test_units_are_taken_as_far_as_they_go(catalogue: Catalogue, orders: Orders) -> None:
    """Ids in any writing, several entries of a product as one; what the catalogue does not have gives nothing."""
    wanted = [Wanted("csh1098", 4), Wanted("NO-1", 1), Wanted("hat-2", 1), Wanted("CSH \N{EN DASH} 1098", 4)]
    assert await orders.take("o", wanted, hold=False) == (("CSH-1098", 8, 5), ("NO-1", 1, 0), ("HAT 2", 1, 1))
    assert await stocks(catalogue) == [0, 1]


async def test_everything_is_what_there_is(catalogue: Catalogue, orders: Orders) -> None:
    """And where there is nothing, one is asked for in vain."""
    wanted = [Wanted("CSH-1098", 1), Wanted("CSH-1098", 99, everything=True), Wanted("CSH-1098", 10**9)]
    assert await orders.take("o", wanted, hold=False) == (("CSH-1098", 5, 5),)
    assert await orders.take("p", wanted, hold=False) == (("CSH-1098", 1, 0),)
    assert await stocks(catalogue) == [0, 2]


async def test_an_order_takes_once(catalogue: Catalogue, orders: Orders) -> None:
    """Whatever is wanted the second time, and also when it was released meanwhile."""
    first = await orders.take("o", [Wanted("CSH-1098", 9)], hold=True)
    assert await orders.take("o", [Wanted("HAT 2", 1), Wanted("CSH-1098", 1)], hold=False) == first
    assert await orders.release("o")
    assert await orders.take("o", [Wanted("CSH-1098", 9)], hold=True) == first == (("CSH-1098", 9, 5),)
    assert await stocks(catalogue) == [5, 2]


async def test_what_is_held_is_confirmed_or_released_once(catalogue: Catalogue, orders: Orders) -> None:
    """Twice is the same as once; the one after the other is refused."""
    for order_id in ("a", "b"):
        await orders.take(order_id, [Wanted("CSH-1098", 2)], hold=True)
    assert [await orders.confirm("a"), await orders.confirm("a")] == [True, False]
    assert [await orders.release("b"), await orders.release("b")] == [True, False]
    with pytest.raises(InputError, match="order a: is final; it cannot be released"):
        await orders.release("a")
    with pytest.raises(InputError, match="order b: was released, so its units are for sale again"):
        await orders.confirm("b")
    assert await stocks(catalogue) == [3, 2]
    await orders.take("c", [Wanted("CSH-1098", 1)], hold=False)
    assert not await orders.confirm("c")
    with pytest.raises(InputError, match="is final"):
        await orders.release("c")
    for settle in (orders.confirm, orders.release):
        with pytest.raises(NotFoundError, match="there is no order nope"):
            await settle("nope")


async def test_an_order_is_recorded_once(orders: Orders, clock: FixedClock) -> None:
    """With everything its lines say; who records another one later is given the first."""
    await orders.take("o", [Wanted("CSH-1098", 7), Wanted("HAT 2", 1)], hold=True)
    unrecorded = await orders.get("o")
    assert unrecorded is not None
    assert (unrecorded.state, unrecorded.order, unrecorded.settled_at) == (OrderState.held, None, None)
    hat = OrderLine("hat2", "Hat", 1, 1, Decimal(3), "created", total=Decimal(3))
    order = Order("partially_fulfilled", (LINE, hat), Decimal("65.40"))
    assert await orders.record("o", order) == order
    kept = replace(order, lines=(LINE, replace(hat, product_id="HAT 2")))
    assert await orders.record("o", replace(order, total=Decimal(0))) == kept
    await orders.confirm("o")
    assert await orders.get("o") == OrderRecord(
        "o", OrderState.confirmed, clock.now(), clock.now(), (("CSH-1098", 7, 5), ("HAT 2", 1, 1)), kept
    )


@pytest.mark.parametrize(
    "lines", [(), (replace(LINE, fulfilled=6),)]
)  # fmt: skip
async def test_an_order_says_what_was_taken(orders: Orders, lines: tuple[OrderLine, ...]) -> None:
    """Lines that say anything else are refused, and nothing is recorded."""
    await orders.take("o", [Wanted("CSH-1098", 7)], hold=True)
    with pytest.raises(InputError, match="order: its lines do not say what was taken"):
        await orders.record("o", Order("created", lines))
    found = await orders.get("o")
    assert found is not None
    assert found.order is None
    with pytest.raises(NotFoundError, match="there is no order p"):
        await orders.record("p", Order("created", (LINE,)))


@pytest.mark.parametrize("quantity", [0, 10**9 + 1])
async def test_quantities_that_are_none(catalogue: Catalogue, orders: Orders, quantity: int) -> None:
    """Nothing is taken for any line."""
    with pytest.raises(InputError, match=f"quantity: {quantity} of HAT 2; it must be 1 to 1000000000"):
        await orders.take("o", [Wanted("CSH-1098", 1), Wanted("HAT 2", quantity)], hold=False)
    assert (await orders.get("o"), await stocks(catalogue)) == (None, [5, 2])
    with pytest.raises(InputError, match="wanted: 1001 lines"):
        await orders.take("o", [Wanted("HAT 2", 1)] * (MAX_LINES + 1), hold=False)
    got = await orders.take("o", [Wanted("HAT 2", 10**9)] * MAX_LINES, hold=False)
    assert got == (("HAT 2", 10**12, 2),)


async def test_hostile_product_ids(orders: Orders) -> None:
    """Are not found, and told the same again."""
    wanted = [Wanted(each, 1) for each in ("", "a\0\ud800", "'; DROP TABLE products", "x" * 100_000)]
    first = await orders.take("o", wanted, hold=False)
    assert {one.taken for one in first} == {0}
    assert await orders.take("o", [], hold=False) == first
