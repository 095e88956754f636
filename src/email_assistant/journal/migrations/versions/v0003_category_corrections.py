"""What people have corrected about the categories of their mail."""

import sqlalchemy as sa
from alembic import op

from email_assistant.journal.columns import ROW_ID

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From the correspondents."""
    op.create_table(
        "category_corrections",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("mailbox", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("forgotten_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_category_corrections"),
        sa.UniqueConstraint(
            "mailbox", "key", "message_id", name="uq_category_corrections_mailbox_key_message_id"
        ),
    )


def downgrade() -> None:
    """Back to the correspondents; what was taught is forgotten."""
    op.drop_table("category_corrections")
