"""When the last answer for each thread's card came in, so that one which got lost can be told."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From roles."""
    op.create_table(
        "received_answers",
        sa.Column("run_thread_id", sa.Text(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("run_thread_id", name="pk_received_answers"),
    )


def downgrade() -> None:
    """Back to roles."""
    op.drop_table("received_answers")
