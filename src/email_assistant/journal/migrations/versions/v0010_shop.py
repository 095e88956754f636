"""A shop's catalogue, its stock and its orders."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From the traces."""
    op.create_table(
        "catalogue_imports",
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("products", sa.Integer(), nullable=False),
        sa.Column("imported_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("revision", name="pk_catalogue_imports"),
    )
    op.create_table(
        "products",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("category_key", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("price", sa.Text(), nullable=False),
        sa.Column("seasons", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("promotion", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("stock", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_products"),
    )
    op.create_index("ix_products_position", "products", ["position"], unique=False)
    op.create_index(
        "ix_products_category_key_position", "products", ["category_key", "position"], unique=False
    )
    _create_orders()


def _create_orders() -> None:
    op.create_table(
        "orders",
        sa.Column("order_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("total", sa.Text(), nullable=True),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("order_id", name="pk_orders"),
    )
    op.create_index("ix_orders_state", "orders", ["state"], unique=False)
    op.create_index("ix_orders_taken_at_order_id", "orders", ["taken_at", "order_id"], unique=False)
    op.create_table(
        "order_lines",
        sa.Column("order_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("product_key", sa.Text(), nullable=False),
        sa.Column("product_id", sa.Text(), nullable=False),
        sa.Column("asked", sa.BigInteger(), nullable=False),
        sa.Column("everything", sa.Boolean(), nullable=False),
        sa.Column("taken", sa.BigInteger(), nullable=False),
        sa.Column("product_name", sa.Text(), nullable=True),
        sa.Column("unit_price", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("discount", sa.Text(), nullable=True),
        sa.Column("total", sa.Text(), nullable=True),
        sa.Column("promotion", sa.Text(), nullable=True),
        sa.Column("gifts", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("alternatives", sa.JSON(none_as_null=True), nullable=True),
        sa.PrimaryKeyConstraint("order_id", "position", name="pk_order_lines"),
        sa.ForeignKeyConstraint(
            ["order_id"], ["orders.order_id"], name="fk_order_lines_order_id_orders", ondelete="CASCADE"
        ),
    )


def downgrade() -> None:
    """Back to a record without a shop; catalogue and orders are forgotten."""
    for table in ("order_lines", "orders", "products", "catalogue_imports"):
        op.drop_table(table)
