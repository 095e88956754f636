"""What orders come to: promotions, totals and statuses."""

import decimal
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.errors import InputError
from email_assistant.workflows.order_desk.shop.order import Order, OrderLine, settle_order
from email_assistant.workflows.order_desk.shop.product import Product
from email_assistant.workflows.order_desk.shop.promotion import Promotion, read_promotion
from tests.unit.shop.reference import in_cents, reckon


def product(product_id: str, price: str = "10.00", promotion: str = "") -> Product:
    """A product with a promotion in the shop's words."""
    return Product(
        product_id,
        f"The {product_id}",
        "Bags",
        "",
        Decimal(price),
        promotion=read_promotion(promotion) if promotion else None,
    )


def settled(*taken: tuple[str, int, int], promotion: str = "", price: str = "10.00") -> Order:
    """An order in which A has the promotion; B and C cost 4.00."""
    catalogue = (product("A", price, promotion), product("B", "4.00"), product("C", "4.00"))
    return settle_order(taken, {p.id: p for p in catalogue})


def line(units: int, promotion: str, price: str = "10.00", **more: int) -> OrderLine:
    """A's line of an order with so many units of it, and of the others that are named."""
    others = tuple((name, count, count) for name, count in more.items())
    return settled(("A", units, units), *others, promotion=promotion, price=price).lines[0]


@pytest.mark.parametrize(
    ("promotion", "price", "totals"),
    [
        ("", "10.00", ["10.00", "20.00", "30.00"]),
        ("Buy 2, get 1 free", "10.00", ["10.00", "20.00", "20.00", "30.00", "40.00", "40.00"]),
        ("Buy one, get one half price", "10.00", ["10.00", "15.00", "25.00", "30.00"]),
        ("20% off", "9.99", ["7.99", "15.98", "23.98"]),
        ("20% off when you buy 3 or more", "10.00", ["10.00", "20.00", "24.00", "32.00"]),
        ("15.00 off", "10.00", ["0.00", "0.00"]),
        ("12.00 off for every 3", "10.00", ["10.00", "20.00", "18.00", "28.00", "38.00", "36.00"]),
    ],
)  # fmt: skip
def test_a_line_comes_to_what_the_words_say(promotion: str, price: str, totals: list[str]) -> None:
    """For one unit, two, three …; what is taken off is the rest of the price."""
    lines = [line(units, promotion, price) for units in range(1, len(totals) + 1)]
    assert [str(told.total) for told in lines] == totals
    assert all(told.total + told.discount == told.fulfilled * Decimal(price) for told in lines)
    assert all(bool(told.promotion) == bool(told.discount or told.gifts) for told in lines)


def test_only_what_was_taken_counts() -> None:
    """Five asked for and two taken make no "3 or more", and a partner out of stock is none."""
    order = settled(("A", 5, 2), ("B", 3, 0), promotion="20% off when you buy 3 or more")
    assert [told.total for told in order.lines] == [20, 0]
    assert settled(("A", 1, 1), ("B", 3, 0), promotion="20% off together with B").total == 10


def test_entries_of_one_product_are_one_line() -> None:
    """A customer may name a product twice; together they are three."""
    order = settled(("A", 2, 2), ("B", 1, 1), ("A", 2, 1), promotion="20% off when you buy 3 or more")
    assert [(told.product_id, told.quantity, told.fulfilled) for told in order.lines] == [
        ("A", 4, 3),
        ("B", 1, 1),
    ]
    assert order.total == 28
    assert order.status == "partially_fulfilled"


@pytest.mark.parametrize(
    ("taken", "status", "lines"),
    [
        ([], "no_valid_products", []),
        ([("A", 2, 2)], "created", ["created"]),
        ([("A", 2, 1)], "partially_fulfilled", ["partially_fulfilled"]),
        ([("A", 2, 0)], "out of stock", ["out of stock"]),
        ([("A", 2, 2), ("B", 1, 0)], "partially_fulfilled", ["created", "out of stock"]),
        ([("A", 1, 7)], "created", ["created"]),
        ([("A", 0, 0)], "out of stock", ["out of stock"]),
    ],
)  # fmt: skip
def test_statuses(taken: list[tuple[str, int, int]], status: str, lines: list[str]) -> None:
    """The last two are orders of all that remain: seven, and none."""
    order = settled(*taken)
    assert (order.status, [told.status for told in order.lines]) == (status, lines)


@pytest.mark.parametrize("taken", [("X", 1, 1), ("A", -1, 0), ("A", 1, -1)])
def test_wrong_input_is_told_in_a_line(taken: tuple[str, int, int]) -> None:
    """A product that is gone and units below nothing; the message names the product."""
    with pytest.raises(InputError, match=rf"^product {taken[0]}.*$"):
        settled(taken)


def test_the_surrounding_precision_does_not_matter() -> None:
    """Money is exact whatever the process has set."""
    with decimal.localcontext(decimal.Context(prec=3)):
        order = settled(("A", 10**9, 10**9), ("B", 10**9, 10**9), promotion="33.33% off", price="9999999.99")
    assert order.lines[0].total == Decimal("6666999993333000.00")
    assert order.total == Decimal("6666999993333000.00") + 4 * 10**9


NAMES = ("A", "B", "C", "D")
prices = st.decimals("0", "30", places=2) | st.decimals("0", "2", places=2)
counts = st.integers(1, 4)


@st.composite
def promotions(draw: st.DrawFn) -> Promotion:
    """Any that the type allows, also those that no sentence gives."""
    every = draw(st.none() | counts)
    return Promotion(
        "words",
        min_quantity=draw(st.sampled_from([1, 1, 1, 2, 4])),
        product_combination=tuple(
            draw(st.lists(st.sampled_from((*NAMES, "elsewhere")), unique=True, max_size=2))
        ),
        applies_every=every,
        **draw(
            st.one_of(
                st.integers(1, every or 4).map(lambda n: {"free_items": n}),
                st.just({"free_gift": "bag"}),
                st.just({"second_half_price": True}),
                st.decimals("0.01", "100", places=2).map(lambda d: {"percent_off": d}),
                st.decimals("0.01", "40", places=2).map(lambda d: {"amount_off": d}),
            )
        ),
    )


catalogues = st.fixed_dictionaries(
    {
        name: st.builds(
            Product,
            st.just(name),
            st.just(name),
            st.just("Bags"),
            st.just(""),
            prices,
            promotion=st.none() | promotions(),
        )
        for name in NAMES
    }
)
takes = st.tuples(st.sampled_from(NAMES), st.integers(1, 9), st.integers(0, 9)).map(
    lambda t: (t[0], t[1], min(t[1:]))
)


@given(catalogues, st.lists(takes, max_size=7))
def test_an_order_comes_to_what_charging_unit_by_unit_comes_to(
    products: dict[str, Product], taken: list[tuple[str, int, int]]
) -> None:
    """Over random catalogues and orders: totals, gifts, and what always holds."""
    order = settle_order(taken, products)
    fulfilled = {name: sum(got for product_id, _, got in taken if product_id == name) for name in NAMES}
    for told in order.lines:
        reckoned = reckon(products[told.product_id], fulfilled)
        assert (in_cents(told.total), list(told.gifts)) == (reckoned.cents, reckoned.gifts)
        assert told.fulfilled == fulfilled[told.product_id]
        assert 0 <= told.total == told.fulfilled * told.unit_price - told.discount
        assert told.discount >= 0
        assert bool(told.promotion) == bool(told.discount or told.gifts)
    assert order.total == sum(told.total for told in order.lines)
    assert len(order.lines) == len({name for name, _, _ in taken})
    if not any(fulfilled.values()):
        assert order.total == 0
        assert order.status in {"out of stock", "no_valid_products"}


@given(catalogues, st.lists(takes, max_size=5), st.randoms())
def test_the_order_of_the_lines_changes_nothing(
    products: dict[str, Product], taken: list[tuple[str, int, int]], random: object
) -> None:
    """Which product a mail names first is chance."""
    shuffled = list(taken)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first, second = settle_order(taken, products), settle_order(shuffled, products)
    assert (first.total, first.status) == (second.total, second.status)
    assert set(first.lines) == set(second.lines)


@given(catalogues, st.lists(takes, min_size=1, max_size=5))
def test_a_promotion_never_makes_an_order_dearer(
    products: dict[str, Product], taken: list[tuple[str, int, int]]
) -> None:
    """Without promotions the order comes to at least as much."""
    plain = {name: replace(told, promotion=None) for name, told in products.items()}
    assert settle_order(taken, products).total <= settle_order(taken, plain).total
