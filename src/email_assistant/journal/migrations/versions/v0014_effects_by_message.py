"""Effects are found by the message that they are about, and say whose they are."""

import hashlib
import json
from collections.abc import Mapping

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

OF_RUN_THREADS = ("send", "meeting", "draft")
"""Kinds whose action ids begin with the run thread."""
KINDS = {"reply": "send", "meeting": "meeting"}
"""What a subject's key begins with, and the kind of its effects."""


def upgrade() -> None:
    """Replies and meetings had their run thread in the key: another thread did not find them."""
    empty = sa.text("''")
    op.add_column("outbox", sa.Column("run_thread_id", sa.Text(), nullable=False, server_default=empty))
    op.add_column("outbox", sa.Column("graph", sa.Text(), nullable=False, server_default=empty))
    op.add_column("outbox", sa.Column("round", sa.Integer(), nullable=False, server_default=sa.text("0")))
    op.create_index("ix_outbox_updated_at", "outbox", ["updated_at"], unique=False)
    op.create_index("ix_runs_message_id", "runs", ["message_id"], unique=False)
    outbox = sa.table(
        "outbox", *(sa.column(name) for name in ("id", "action_id", "kind", "subject_key", "run_thread_id"))
    )
    connection = op.get_bind()
    mailboxes = _mailboxes(connection)
    rows = connection.execute(sa.select(outbox).where(outbox.c.kind.in_(OF_RUN_THREADS))).mappings().all()
    for row in rows:
        thread = row["action_id"].partition(":")[0]
        change = {"run_thread_id": thread, "subject_key": _key(row, thread, mailboxes)}
        connection.execute(sa.update(outbox).where(outbox.c.id == row["id"]).values(change))


def _mailboxes(connection: sa.Connection) -> dict[str, str]:
    """Of each run thread the mailbox, and under "" the only one there is, if there is one."""
    mail = sa.table("mail", sa.column("run_thread_id"), sa.column("mailbox"))
    found = {row.run_thread_id: row.mailbox for row in connection.execute(sa.select(mail).distinct())}
    names = set(found.values())
    return found | ({"": names.pop()} if len(names) == 1 else {})


def _key(row: sa.RowMapping, thread: str, mailboxes: Mapping[str, str]) -> str:
    """As `effects.subjects` and `mail.identity` made it when this was written; as it was where the message is not known."""
    old = str(row["subject_key"])
    what, _, rest = old.partition(":")
    message_id = rest.removeprefix(f"{thread}:")
    mailbox = mailboxes.get(thread) or mailboxes.get("")
    if KINDS.get(what) != row["kind"] or message_id == rest or not message_id or not mailbox:
        return old
    message = _digest([mailbox, "id", message_id])
    return f"{what}:{_digest([message])}"


def _digest(told: list[str]) -> str:
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:32]


def downgrade() -> None:
    """Back to effects of run threads; those that are on record stay under their keys, where they are found no more."""
    op.drop_index("ix_runs_message_id", "runs")
    op.drop_index("ix_outbox_updated_at", "outbox")
    for column in ("round", "graph", "run_thread_id"):
        op.drop_column("outbox", column)
