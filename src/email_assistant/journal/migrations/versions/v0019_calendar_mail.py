"""What each mail with a calendar part said of which event."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    keys = ("mailbox", "message_id", "uid", "recurrence_id", "speaker")
    said = ("name", "method", "stamp", "title", "happens")
    texts = (sa.Column(name, sa.Text(), nullable=False) for name in (*keys, *said))
    number = sa.Column("sequence", sa.Integer(), nullable=False)
    key = sa.PrimaryKeyConstraint("mailbox", "message_id", name="pk_calendar_mail")
    op.create_table("calendar_mail", *texts, number, key)
    op.create_index("ix_calendar_mail_mailbox_uid", "calendar_mail", ["mailbox", "uid"])


def downgrade() -> None:
    """Take it away."""
    op.drop_table("calendar_mail")
