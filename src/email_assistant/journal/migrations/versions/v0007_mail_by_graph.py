"""An index that counts a graph's mail by what became of it, without reading the mail."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From the subscriptions."""
    op.create_index("ix_mail_graph_status_outcome", "mail", ["graph", "status", "outcome"], unique=False)


def downgrade() -> None:
    """Back to the subscriptions."""
    op.drop_index("ix_mail_graph_status_outcome", table_name="mail")
