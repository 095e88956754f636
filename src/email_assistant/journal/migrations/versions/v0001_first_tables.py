"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """From nothing."""
    _cursors()
    _mail()
    _memory_revisions()
    _model_calls()
    _outbox()
    _reviews()
    _runs()
    _steps()
    _tool_executions()
    _dead_letters()


def downgrade() -> None:
    """Back to nothing; every record is lost."""
    for table in (
        "dead_letters",
        "tool_executions",
        "steps",
        "runs",
        "reviews",
        "outbox",
        "model_calls",
        "memory_revisions",
        "mail",
        "cursors",
    ):
        op.drop_table(table)


def _cursors() -> None:
    op.create_table(
        "cursors",
        sa.Column("mailbox", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("mailbox", name="pk_cursors"),
    )


def _mail() -> None:
    op.create_table(
        "mail",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("mailbox", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("graph", sa.Text(), nullable=False),
        sa.Column("mail_thread_id", sa.Text(), nullable=False),
        sa.Column("run_thread_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("email_input", sa.JSON(), nullable=True),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_mail"),
        sa.UniqueConstraint("mailbox", "message_id", "graph", name="uq_mail_mailbox_message_id_graph"),
    )
    op.create_index("ix_mail_run_thread_id", "mail", ["run_thread_id"], unique=False)
    op.create_index("ix_mail_status_updated_at", "mail", ["status", "updated_at"], unique=False)


def _memory_revisions() -> None:
    op.create_table(
        "memory_revisions",
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("decision_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("profile", "revision", name="pk_memory_revisions"),
        sa.UniqueConstraint("profile", "decision_id", name="uq_memory_revisions_profile_decision_id"),
    )


def _model_calls() -> None:
    op.create_table(
        "model_calls",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("call", sa.Text(), nullable=False),
        sa.Column("tier", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), nullable=False),
        sa.Column("cached_tokens", sa.Integer(), nullable=False),
        sa.Column("cost_nano_usd", sa.BigInteger(), nullable=True),
        sa.Column("latency_ms", sa.Float(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("estimated", sa.Boolean(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_model_calls"),
    )
    op.create_index("ix_model_calls_recorded_at", "model_calls", ["recorded_at"], unique=False)
    op.create_index("ix_model_calls_run_id", "model_calls", ["run_id"], unique=False)


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("action_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_key", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("payload_digest", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sa.UniqueConstraint("action_id", name="uq_outbox_action_id"),
    )
    op.create_index("ix_outbox_status", "outbox", ["status"], unique=False)
    op.create_index("ix_outbox_subject_key_kind", "outbox", ["subject_key", "kind"], unique=False)


def _reviews() -> None:
    op.create_table(
        "reviews",
        sa.Column("review_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("run_thread_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("card", sa.JSON(), nullable=True),
        sa.Column("shown_count", sa.Integer(), nullable=False),
        sa.Column("first_shown_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_shown_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decision", sa.Text(), nullable=True),
        sa.Column("answer", sa.JSON(), nullable=True),
        sa.Column("answers", sa.JSON(), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("review_id", name="pk_reviews"),
    )
    op.create_index("ix_reviews_run_id", "reviews", ["run_id"], unique=False)
    op.create_index("ix_reviews_run_thread_id", "reviews", ["run_thread_id"], unique=False)


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("run_thread_id", sa.Text(), nullable=False),
        sa.Column("graph", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("run_id", name="pk_runs"),
    )
    op.create_index("ix_runs_run_thread_id", "runs", ["run_thread_id"], unique=False)
    op.create_index("ix_runs_started_at", "runs", ["started_at"], unique=False)


def _steps() -> None:
    op.create_table(
        "steps",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("input_digest", sa.Text(), nullable=False),
        sa.Column("output_digest", sa.Text(), nullable=False),
        sa.Column("snapshot", sa.JSON(), nullable=True),
        sa.Column("latency_ms", sa.Float(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_steps"),
    )
    op.create_index("ix_steps_run_id", "steps", ["run_id"], unique=False)


def _tool_executions() -> None:
    op.create_table(
        "tool_executions",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("tool_call_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("success", sa.Boolean(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("latency_ms", sa.Float(), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tool_executions"),
    )
    op.create_index("ix_tool_executions_run_id", "tool_executions", ["run_id"], unique=False)


def _dead_letters() -> None:
    op.create_table(
        "dead_letters",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("mailbox", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("graph", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("replayed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["mailbox", "message_id", "graph"],
            ["mail.mailbox", "mail.message_id", "mail.graph"],
            name="fk_dead_letters_mailbox_message_id_graph_mail",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_dead_letters"),
    )
    op.create_index(
        "ix_dead_letters_mailbox_message_id_graph",
        "dead_letters",
        ["mailbox", "message_id", "graph"],
        unique=False,
    )
