"""The tables of a shop: what it sells, what was taken of it, and what orders came to."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKeyConstraint,
    Index,
    PrimaryKeyConstraint,
    Row,
    Table,
)

from email_assistant.journal.sql import (
    METADATA,
    Exact,
    Rows,
    UtcDateTime,
    int_column,
    json_column,
    text_column,
)
from email_assistant.workflows.order_desk.shop.order import Order, OrderLine

# One row an import; the highest revision is the catalogue's.
CATALOGUE_IMPORTS = Table(
    "catalogue_imports",
    METADATA,
    int_column("revision"),
    int_column("products"),
    Column("imported_at", UtcDateTime, nullable=False),
    PrimaryKeyConstraint("revision"),
)

# `stock` is what nobody has taken: below 0 when an import brought fewer units than open orders hold.
PRODUCTS = Table(
    "products",
    METADATA,
    text_column("key"),
    int_column("revision"),
    int_column("position"),
    text_column("id"),
    text_column("name"),
    text_column("category"),
    text_column("category_key"),
    text_column("description"),
    Column("price", Exact, nullable=False),
    json_column("seasons"),
    json_column("promotion", null=True),
    Column("stock", BigInteger, nullable=False),
    PrimaryKeyConstraint("key"),
    Index(None, "position"),
    Index(None, "category_key", "position"),
)

# `status` and `total` are empty until the order is recorded.
ORDERS = Table(
    "orders",
    METADATA,
    text_column("order_id"),
    text_column("state"),
    text_column("status", null=True),
    Column("total", Exact, nullable=True),
    Column("taken_at", UtcDateTime, nullable=False),
    Column("settled_at", UtcDateTime, nullable=True),
    PrimaryKeyConstraint("order_id"),
    Index(None, "state"),
    Index(None, "taken_at", "order_id"),
)

# What was taken, in the order it was asked for; from `product_name` on it is empty until the order is recorded.
ORDER_LINES = Table(
    "order_lines",
    METADATA,
    text_column("order_id"),
    int_column("position"),
    text_column("product_key"),
    text_column("product_id"),
    Column("asked", BigInteger, nullable=False),
    Column("everything", Boolean, nullable=False),
    Column("taken", BigInteger, nullable=False),
    text_column("product_name", null=True),
    Column("unit_price", Exact, nullable=True),
    text_column("status", null=True),
    Column("discount", Exact, nullable=True),
    Column("total", Exact, nullable=True),
    text_column("promotion", null=True),
    json_column("gifts", null=True),
    json_column("alternatives", null=True),
    PrimaryKeyConstraint("order_id", "position"),
    ForeignKeyConstraint(["order_id"], ["orders.order_id"], ondelete="CASCADE"),
)


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


_LINES = Rows(
    ORDER_LINES,
    OrderLine,
    renamed={"quantity": "asked", "fulfilled": "taken"},
    gifts=tuple,
    alternatives=tuple,
)


def order_record(row: Row[Any], lines: Sequence[Row[Any]]) -> OrderRecord:
    """The record that the rows of an order and of its lines stand for."""
    taken = tuple(TakenLine(line.product_id, line.asked, line.taken) for line in lines)
    order = None
    if row.status is not None:
        order = Order(row.status, tuple(map(_LINES.record, lines)), row.total)
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
