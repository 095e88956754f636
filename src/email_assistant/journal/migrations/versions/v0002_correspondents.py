"""The people the user has written to."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From the first tables."""
    op.create_table(
        "correspondents",
        sa.Column("mailbox", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_skeleton", sa.Text(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("domain_skeleton", sa.Text(), nullable=False),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("mailbox", "address", name="pk_correspondents"),
    )
    op.create_index(
        "ix_correspondents_mailbox_name_skeleton",
        "correspondents",
        ["mailbox", "name_skeleton"],
        unique=False,
    )
    op.create_index(
        "ix_correspondents_mailbox_domain_skeleton_domain",
        "correspondents",
        ["mailbox", "domain_skeleton", "domain"],
        unique=False,
    )


def downgrade() -> None:
    """Back to the first tables; who was written to is forgotten."""
    op.drop_table("correspondents")
