"""An order as it is on record."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Row

from email_assistant.workflows.order_desk.shop.order import Order, OrderLine


class OrderState(StrEnum):
    """What becomes of the units of an order."""

    held = "held"
    """Taken, until the order is confirmed or released."""
    confirmed = "confirmed"
    """Taken for good."""
    released = "released"
    """Given back."""


class TakenLine(NamedTuple):
    """What one line got from the stock."""

    product_id: str
    """As the catalogue writes it; as it was asked for when the catalogue does not have it."""
    asked: int
    """Units; for "everything" what there was, and 1 where there was nothing."""
    taken: int
    """Units, 0 to `asked`."""


@dataclass(frozen=True, slots=True)
class OrderRecord:
    """An order as it stands. Times are aware and in UTC."""

    order_id: str
    state: OrderState
    taken_at: datetime
    settled_at: datetime | None
    """When it was confirmed or released; None while it is held."""
    taken: tuple[TakenLine, ...]
    order: Order | None
    """What it came to; None until that is recorded."""


def order_record(row: Row[Any], lines: Sequence[Row[Any]]) -> OrderRecord:
    """The record that the rows of an order and of its lines stand for."""
    taken = tuple(TakenLine(line.product_id, line.asked, line.taken) for line in lines)
    order = None
    if row.status is not None:
        order = Order(row.status, tuple(_line(line) for line in lines), row.total)
    return OrderRecord(row.order_id, OrderState(row.state), row.taken_at, row.settled_at, taken, order)


def line_values(line: OrderLine) -> dict[str, Any]:
    """The columns of a line that were not known when its units were taken."""
    return {
        "product_name": line.product_name,
        "unit_price": line.unit_price,
        "status": line.status,
        "discount": line.discount,
        "total": line.total,
        "promotion": line.promotion,
        "gifts": [*line.gifts],
        "alternatives": [*line.alternatives],
    }


def _line(row: Row[Any]) -> OrderLine:
    return OrderLine(
        product_id=row.product_id,
        product_name=row.product_name,
        quantity=row.asked,
        fulfilled=row.taken,
        unit_price=row.unit_price,
        status=row.status,
        discount=row.discount,
        total=row.total,
        promotion=row.promotion,
        gifts=tuple(row.gifts),
        alternatives=tuple(row.alternatives),
    )
