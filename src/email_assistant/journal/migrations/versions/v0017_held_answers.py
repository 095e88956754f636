"""Answers of the review page, which are held for a while before they count."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; a card has one open answer at most."""
    op.create_table(
        "held_answers",
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("id", "run_thread_id", "interrupt_id", "digest")
        ),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column("shown", sa.JSON(), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("following", sa.JSON(), nullable=False),
        sa.Column("given_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_held_answers"),
    )
    op.create_index("ix_held_answers_given_at", "held_answers", ["given_at"])
    is_open = sa.text("state IN ('held', 'working')")
    op.create_index(
        "uq_held_answers_open",
        "held_answers",
        ["run_thread_id", "interrupt_id"],
        unique=True,
        sqlite_where=is_open,
        postgresql_where=is_open,
    )


def downgrade() -> None:
    """Take it away; what was held is on no record any more."""
    op.drop_table("held_answers")
