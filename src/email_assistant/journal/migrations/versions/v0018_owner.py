"""Whose mail the database is about; one that has mail already is taken over by the first mailbox that opens it."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    texts = (sa.Column(name, sa.Text(), nullable=False) for name in ("identity", "name"))
    number = sa.Column("number", sa.Integer(), nullable=False)
    op.create_table("owner", number, *texts, sa.PrimaryKeyConstraint("number", name="pk_owner"))


def downgrade() -> None:
    """Take it away."""
    op.drop_table("owner")
