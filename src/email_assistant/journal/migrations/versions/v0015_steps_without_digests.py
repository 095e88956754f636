"""Steps keep no digests of states: nothing was ever compared by them."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

DIGESTS = ("input_digest", "output_digest")


def upgrade() -> None:
    """Drop them."""
    for name in DIGESTS:
        op.drop_column("steps", name)


def downgrade() -> None:
    """Have them again, empty."""
    for name in DIGESTS:
        op.add_column("steps", sa.Column(name, sa.Text(), nullable=False, server_default=""))
