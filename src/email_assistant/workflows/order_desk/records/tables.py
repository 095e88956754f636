"""The tables of a shop: what it sells, what was taken of it, and what orders came to."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKeyConstraint,
    Index,
    PrimaryKeyConstraint,
    Table,
)

from email_assistant.journal.columns import Exact, UtcDateTime
from email_assistant.journal.schema import METADATA, int_column, json_column, text_column

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
