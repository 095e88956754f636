"""Alternatives that a shop may offer in place of what is missing."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from heapq import nsmallest

from email_assistant.workflows.order_desk.shop.order import Order
from email_assistant.workflows.order_desk.shop.product import Product, Season

MOST = 3


def alternatives(
    product: Product, catalogue: Iterable[Product], season: Season, ordered: Collection[str] = ()
) -> tuple[str, ...]:
    """Ids of up to three other products of the same category that are in stock, the best first; `ordered` ones are left out.

    First come those at a near price, which is half to twice the product's own; among these, what the shop sells in this season;
    then the smallest difference in price, the cheaper of two, and the id. A product without a category has no alternative.
    """
    category = _folded(product.category)
    eligible = (
        other
        for other in catalogue
        if other.stock > 0
        and other.id != product.id
        and other.id not in ordered
        and category == _folded(other.category)
    )

    def rank(other: Product) -> tuple[object, ...]:
        near = product.price <= other.price * 2 and other.price <= product.price * 2
        return not near, season not in other.seasons, abs(other.price - product.price), other.price, other.id

    return tuple(other.id for other in nsmallest(MOST, eligible, key=rank)) if category else ()


def with_alternatives(order: Order, products: Mapping[str, Product], season: Season) -> Order:
    """The order with alternatives on each line that is not wholly fulfilled.

    `products` holds the stock as it is after the order has taken its units, so that nothing is offered that is just gone.
    """
    ordered = {line.product_id for line in order.lines}
    lines = tuple(
        line
        if line.status == "created"
        else replace(
            line, alternatives=alternatives(products[line.product_id], products.values(), season, ordered)
        )
        for line in order.lines
    )
    return replace(order, lines=lines)


def _folded(category: str) -> str:
    return " ".join(category.split()).casefold()
