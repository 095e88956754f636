"""An order and its lines, worked out."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

OrderStatus = Literal["created", "out of stock", "partially_fulfilled", "no_valid_products"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of the stock for one line."""

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
    """What the promotion takes off the line."""
    total: Decimal = Decimal("0.00")
    """Of the units fulfilled, discount taken off."""
    promotion: str = ""
    """The words of the promotion that was applied."""
    gifts: tuple[str, ...] = ()
    """What is put in besides, one entry a piece."""
    alternatives: tuple[str, ...] = ()
    """Ids of up to three products in stock, for what is missing."""


@dataclass(frozen=True, slots=True)
class Order:
    """The lines and what they come to."""

    status: OrderStatus
    lines: tuple[OrderLine, ...] = ()
    total: Decimal = Decimal("0.00")
    """The sum of the lines' totals."""
