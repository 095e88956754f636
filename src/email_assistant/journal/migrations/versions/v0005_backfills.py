"""Whole accounts, in pieces of work that several processes share."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

UNFINISHED = sa.text("ended_at IS NULL")


def upgrade() -> None:
    """From the subscriptions."""
    op.create_table(
        "backfills",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("mailbox", sa.Text(), nullable=False),
        sa.Column("graph", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("after", sa.DateTime(timezone=True), nullable=True),
        sa.Column("before", sa.DateTime(timezone=True), nullable=False),
        sa.Column("cost_limit_nano_usd", sa.BigInteger(), nullable=True),
        sa.Column("planned", sa.Boolean(), nullable=False),
        sa.Column("planner", sa.Text(), nullable=False),
        sa.Column("planner_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_backfills"),
    )
    op.create_index(
        "uq_backfills_unfinished",
        "backfills",
        ["mailbox", "graph"],
        unique=True,
        sqlite_where=UNFINISHED,
        postgresql_where=UNFINISHED,
    )
    op.create_table(
        "backfill_chunks",
        sa.Column("backfill_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("messages", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("settled", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("leased_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cost_nano_usd", sa.BigInteger(), nullable=True),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("backfill_id", "position", name="pk_backfill_chunks"),
    )
    op.create_index(
        "ix_backfill_chunks_backfill_id_done_at", "backfill_chunks", ["backfill_id", "done_at"], unique=False
    )


def downgrade() -> None:
    """Back to the subscriptions; how far a backfill has come is forgotten, what it has settled is not."""
    op.drop_table("backfill_chunks")
    op.drop_table("backfills")
