"""Effects are found by their run thread: each new mail is asked for what its thread has done before."""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index."""
    op.create_index("ix_outbox_run_thread_id", "outbox", ["run_thread_id"])


def downgrade() -> None:
    """Take it away."""
    op.drop_index("ix_outbox_run_thread_id", table_name="outbox")
