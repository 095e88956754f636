"""Whether somebody vouches for the sender of a mail with a calendar part."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of what came before nobody knows."""
    op.add_column("calendar_mail", sa.Column("vouched", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Take it away."""
    op.drop_column("calendar_mail", "vouched")
