"""The mailings that come in, and what became of them."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From the category corrections."""
    op.create_table(
        "subscriptions",
        sa.Column("mailbox", sa.Text(), nullable=False),
        sa.Column("list_key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sender", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("offers", sa.Text(), nullable=False),
        sa.Column("messages", sa.Integer(), nullable=False),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answered", sa.Boolean(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("verified_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("still_coming", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("mailbox", "list_key", name="pk_subscriptions"),
    )
    op.create_index("ix_subscriptions_mailbox_state", "subscriptions", ["mailbox", "state"], unique=False)
    op.create_table(
        "subscription_mail",
        sa.Column("mailbox", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("list_key", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("mailbox", "message_id", name="pk_subscription_mail"),
    )


def downgrade() -> None:
    """Back to the category corrections; what was left and what was kept is forgotten."""
    op.drop_table("subscription_mail")
    op.drop_table("subscriptions")
