"""How looking for mail goes, one row a mailbox."""

import sqlalchemy as sa
from alembic import op

from email_assistant.journal.sql import time_column

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "looks",
        sa.Column("mailbox", sa.Text(), nullable=False),
        time_column("since"),
        time_column("looked_at", null=True),
        sa.Column("failure", sa.Text(), nullable=False),
        time_column("failing_since", null=True),
        sa.PrimaryKeyConstraint("mailbox", name="pk_looks"),
    )


def downgrade() -> None:
    """Take it away."""
    op.drop_table("looks")
