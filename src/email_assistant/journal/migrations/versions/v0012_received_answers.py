"""When the last answer for each thread's card came in, so that one which got lost can be told."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From claims."""
    op.create_table(
        "received_answers",
        sa.Column("run_thread_id", sa.Text(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("run_thread_id", name="pk_received_answers"),
    )


def downgrade() -> None:
    """Back to claims."""
    op.drop_table("received_answers")
