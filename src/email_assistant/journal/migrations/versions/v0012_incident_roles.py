"""Who asked, on the record of incidents."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Of what is on record nobody knows: it counts as staff's, so that no customer is told its words."""
    op.add_column(
        "incidents", sa.Column("user_role", sa.Text(), nullable=False, server_default=sa.text("''"))
    )


def downgrade() -> None:
    """Back to a record that does not say it."""
    op.drop_column("incidents", "user_role")
