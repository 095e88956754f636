"""Traces: which runs dealt with the same mail, how long they worked, and what each step had in hand."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Every run that is on record becomes a trace of its own; its time runs from its start to its end."""
    op.add_column("runs", sa.Column("trace_id", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("message_id", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("latency_ms", sa.Float(), nullable=True))
    op.execute("UPDATE runs SET trace_id = run_id")
    op.execute(f"UPDATE runs SET latency_ms = {_milliseconds()} WHERE ended_at IS NOT NULL")
    if op.get_context().dialect.name == "sqlite":
        with op.batch_alter_table("runs") as runs:
            runs.alter_column("trace_id", existing_type=sa.Text(), nullable=False)
    else:
        op.alter_column("runs", "trace_id", existing_type=sa.Text(), nullable=False)
    op.create_index("ix_runs_trace_id", "runs", ["trace_id"], unique=False)
    for table in ("steps", "tool_executions", "model_calls"):
        op.add_column(table, sa.Column("step_id", sa.Text(), nullable=True))
    op.add_column("reviews", sa.Column("step_name", sa.Text(), nullable=True))
    op.create_index("ix_tool_executions_recorded_at", "tool_executions", ["recorded_at"], unique=False)
    op.create_table(
        "snapshot_values",
        sa.Column("trace_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("value", sa.JSON(none_as_null=True), nullable=False),
        sa.PrimaryKeyConstraint("trace_id", "digest", name="pk_snapshot_values"),
    )


def _milliseconds() -> str:
    if op.get_context().dialect.name == "sqlite":
        return "round((julianday(ended_at) - julianday(started_at)) * 86400000, 3)"
    return "extract(epoch FROM ended_at - started_at) * 1000"


def downgrade() -> None:
    """Back to runs that stand alone; snapshots of states are forgotten."""
    op.drop_table("snapshot_values")
    op.drop_index("ix_tool_executions_recorded_at", "tool_executions")
    op.drop_column("reviews", "step_name")
    for table in ("model_calls", "tool_executions", "steps"):
        op.drop_column(table, "step_id")
    op.drop_index("ix_runs_trace_id", "runs")
    for column in ("latency_ms", "message_id", "trace_id"):
        op.drop_column("runs", column)
