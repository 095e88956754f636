"""Which run thread's card asks about a list."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From lists that were on some card; nobody knows which, so they will be asked about again."""
    op.add_column(
        "subscriptions", sa.Column("run_thread_id", sa.Text(), nullable=False, server_default=sa.text("''"))
    )


def downgrade() -> None:
    """Back to lists that are on some card."""
    op.drop_column("subscriptions", "run_thread_id")
