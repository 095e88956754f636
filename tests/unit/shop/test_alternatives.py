"""What is offered in place of a product that is missing."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from email_assistant.workflows.order_desk.shop.order import alternatives, settle_order, with_alternatives
from email_assistant.workflows.order_desk.shop.product import SEASONS, Product, Season


def product(
    product_id: str,
    price: str = "10",
    *,
    stock: int = 5,
    category: str = "Bags",
    seasons: tuple[Season, ...] = SEASONS,
) -> Product:
    """A bag in stock, all the year round."""
    return Product(product_id, product_id, category, "", Decimal(price), seasons, stock=stock)


GONE = product("GONE", stock=0)


def test_only_others_of_the_category_that_are_in_stock_are_offered() -> None:
    """Neither the product itself, nor what is ordered, gone, or another thing; a category is one in any case."""
    catalogue = [
        GONE, product("A", category="bags "), product("B", stock=0), product("C", category="Hats"), product("D"), product("E", category=""),
    ]  # fmt: skip
    assert alternatives(GONE, catalogue, "summer", {"D"}) == ("A",)
    assert alternatives(product("GONE"), [product("GONE")], "summer") == ()
    assert alternatives(product("X", category=" "), [product("E", category="")], "summer") == ()


def test_near_prices_come_before_the_season_and_the_season_before_the_nearest_price() -> None:
    """A bag of winter at the same price comes after one of summer at twice the price, and before one at three times."""
    winter: tuple[Season, ...] = ("winter",)
    catalogue = [
        product("W10", seasons=winter), product("S20", "20"), product("S31", "31"), product("S5", "5.00"), product("S4", "4.99"),
    ]  # fmt: skip
    assert alternatives(GONE, catalogue, "summer") == ("S5", "S20", "W10")
    assert alternatives(GONE, [*catalogue[2:3], catalogue[4]], "summer") == ("S4", "S31")
    assert alternatives(GONE, catalogue, "winter") == ("W10", "S5", "S20")


def test_lines_that_are_not_wholly_fulfilled_get_alternatives() -> None:
    """None of them is in the order already."""
    products = {
        p.id: p for p in (GONE, product("PART", stock=0), product("FULL"), product("A"), product("B"))
    }
    order = settle_order([("GONE", 1, 0), ("PART", 3, 1), ("FULL", 1, 1)], products)
    filled = with_alternatives(order, products, "summer")
    assert [line.alternatives for line in filled.lines] == [("A", "B"), ("A", "B"), ()]
    assert (filled.total, filled.status) == (order.total, order.status)


catalogues = st.lists(
    st.builds(
        Product,
        st.sampled_from("ABCDEFGH"),
        st.just(""),
        st.sampled_from(["Bags", "Hats", ""]),
        st.just(""),
        st.decimals("0", "30", places=2),
        st.lists(st.sampled_from(SEASONS), unique=True, min_size=1).map(tuple),
        stock=st.integers(0, 2),
    ),
    unique_by=lambda product: product.id,
    min_size=1,
)


@given(catalogues, st.sampled_from(SEASONS), st.sets(st.sampled_from("ABCDEFGH"), max_size=3))
def test_what_is_offered_can_be_had_and_does_not_hang_on_the_rows_order(
    catalogue: list[Product], season: Season, ordered: set[str]
) -> None:
    """For any catalogue, in season or not."""
    wanted, known = catalogue[0], {product.id: product for product in catalogue}
    offered = alternatives(wanted, catalogue, season, ordered)
    assert offered == alternatives(wanted, reversed(catalogue), season, ordered)
    assert len(set(offered)) == len(offered) <= 3
    assert wanted.id not in offered
    assert not ordered & set(offered)
    assert all(known[name].stock and known[name].category == wanted.category != "" for name in offered)
