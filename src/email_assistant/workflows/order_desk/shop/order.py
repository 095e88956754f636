"""An order and its lines, worked out: what they come to, and what a shop may offer in place of what is missing."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from heapq import nsmallest
from typing import Literal

from email_assistant.errors import InputError
from email_assistant.workflows.order_desk.shop.product import Product, Season
from email_assistant.workflows.order_desk.shop.promotion import Promotion

OrderStatus = Literal["created", "out of stock", "partially_fulfilled", "no_valid_products"]
_CENT = Decimal("0.01")
_NOTHING = Decimal("0.00")
# More digits than any price times any stock has, so that nothing but the line's total is rounded.
_EXACT = Context(prec=100, rounding=ROUND_HALF_UP)
MOST = 3


@dataclass(frozen=True, slots=True)
class Wanted:
    """The demand on the stock for one line."""

    product_id: str
    quantity: int
    """1 or more; `everything` leaves it without meaning."""
    everything: bool = False
    """All that remain."""


@dataclass(frozen=True, slots=True)
class OrderLine:
    """One product of an order."""

    product_id: str
    product_name: str
    quantity: int
    """Units asked for."""
    fulfilled: int
    """Units taken from the stock."""
    unit_price: Decimal
    status: OrderStatus
    discount: Decimal = Decimal("0.00")
    """Taken off the line by the promotion."""
    total: Decimal = Decimal("0.00")
    """Of the units fulfilled, discount taken off."""
    promotion: str = ""
    """The words of the promotion that was applied."""
    gifts: tuple[str, ...] = ()
    """Gifts that are put in, one entry a piece."""
    alternatives: tuple[str, ...] = ()
    """Ids of up to three products in stock, for what is missing."""


@dataclass(frozen=True, slots=True)
class Order:
    """The lines and what they come to."""

    status: OrderStatus
    lines: tuple[OrderLine, ...] = ()
    total: Decimal = Decimal("0.00")
    """The sum of the lines' totals."""


@dataclass(frozen=True, slots=True)
class _Given:
    """The effect of a promotion on one line: an exact amount off, and gifts."""

    off: Decimal = _NOTHING
    gifts: tuple[str, ...] = ()


def settle_order(taken: Iterable[tuple[str, int, int]], products: Mapping[str, Product]) -> Order:
    """The order of what was taken from the stock: (product id, units asked for, units taken) each.

    Several entries of one product become one line, where the first one stands: a promotion counts all units of the product.
    Whoever asks for all that remain asks for what was taken.

    Promotions count units taken, of the line's product and of those it must be together with. A partner's unit is a
    condition and is not used up: it counts for the promotions of several products, so the order of the lines changes nothing,
    and it may be reduced by a promotion of its own. Within one promotion it counts once.

    Raises:
        InputError: a product is not in `products`, or a number of units is negative.
    """
    merged = _merge(taken)
    fulfilled = {product_id: got for product_id, (_, got) in merged.items()}
    with localcontext(_EXACT):
        lines = tuple(
            _line(_product(product_id, products), asked, fulfilled)
            for product_id, (asked, _) in merged.items()
        )
        return Order(_order_status(lines), lines, sum((line.total for line in lines), _NOTHING))


def _merge(taken: Iterable[tuple[str, int, int]]) -> dict[str, tuple[int, int]]:
    merged: dict[str, tuple[int, int]] = {}
    for product_id, asked, got in taken:
        if asked < 0 or got < 0:
            raise InputError(f"product {product_id}: the units asked for and taken must be 0 or more")
        before = merged.get(product_id, (0, 0))
        merged[product_id] = (before[0] + max(asked, got), before[1] + got)
    return merged


def _product(product_id: str, products: Mapping[str, Product]) -> Product:
    if product_id not in products:
        raise InputError(f"product {product_id} of the order is not in the catalogue")
    return products[product_id]


def _line(product: Product, asked: int, fulfilled: Mapping[str, int]) -> OrderLine:
    units = fulfilled[product.id]
    price = units * product.price
    given = _given(product, units, fulfilled) if product.promotion else _Given()
    total = (price - min(price, given.off)).quantize(_CENT)
    discount = (price - total).quantize(_CENT)
    applied = product.promotion if discount or given.gifts else None
    return OrderLine(
        product_id=product.id,
        product_name=product.name,
        quantity=asked,
        fulfilled=units,
        unit_price=product.price,
        status=_line_status(asked, units),
        discount=discount,
        total=total,
        promotion=applied.text if applied else "",
        gifts=given.gifts,
    )


def _given(product: Product, units: int, fulfilled: Mapping[str, int]) -> _Given:
    promotion = product.promotion
    if promotion is None or not units or units < promotion.min_quantity:
        return _Given()
    partners = min((fulfilled.get(name, 0) for name in promotion.product_combination), default=units)
    if every := promotion.applies_every:
        return _each_time(promotion, product.price, every, min(units // every, partners))
    if promotion.percent_off is not None or promotion.amount_off is not None:
        return _Given(min(units, partners) * _off_a_unit(promotion, product.price))
    return _each_time(promotion, product.price, units, min(1, partners))


def _each_time(promotion: Promotion, price: Decimal, every: int, times: int) -> _Given:
    """The effect, come so many times, each time for `every` units."""
    if promotion.percent_off is not None:
        return _Given(times * every * _off_a_unit(promotion, price))
    if promotion.amount_off is not None:
        return _Given(times * promotion.amount_off)
    if promotion.second_half_price:
        return _Given(times * price / 2)
    if promotion.free_items:
        return _Given(times * min(promotion.free_items, every) * price)
    return _Given(gifts=(promotion.free_gift,) * times)


def _off_a_unit(promotion: Promotion, price: Decimal) -> Decimal:
    if promotion.percent_off is not None:
        return price * promotion.percent_off / 100
    return min(price, promotion.amount_off or _NOTHING)


def _line_status(asked: int, units: int) -> OrderStatus:
    if not units:
        return "out of stock"
    return "created" if units == asked else "partially_fulfilled"


def _order_status(lines: Sequence[OrderLine]) -> OrderStatus:
    if not lines:
        return "no_valid_products"
    statuses = {line.status for line in lines}
    return statuses.pop() if len(statuses) == 1 else "partially_fulfilled"


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
