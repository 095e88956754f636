"""How looking for mail goes, one row a mailbox."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    time = sa.DateTime(timezone=True)
    op.create_table(
        "looks",
        sa.Column("mailbox", sa.Text(), nullable=False),
        sa.Column("since", time, nullable=False),
        sa.Column("looked_at", time),
        sa.Column("failure", sa.Text(), nullable=False),
        sa.Column("failing_since", time),
        sa.PrimaryKeyConstraint("mailbox", name="pk_looks"),
    )


def downgrade() -> None:
    """Take it away."""
    op.drop_table("looks")
