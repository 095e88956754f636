"""Customers and their policies, and what is kept of their claims: incidents, tickets, refunds."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From a shop alone."""
    _create_customers()
    op.create_table(
        "incidents",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("policy_id", sa.Text(), nullable=False),
        sa.Column("issue", sa.Text(), nullable=False),
        sa.Column("is_valid", sa.Text(), nullable=False),
        sa.Column("resolution", sa.Text(), nullable=False),
        sa.Column("citations", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("amount", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "incident_id", name="pk_incidents"),
    )
    op.create_index(
        "ix_incidents_tenant_id_user_id_created_at", "incidents", ["tenant_id", "user_id", "created_at"]
    )
    _create_tickets()
    _create_refunds()


def _create_customers() -> None:
    op.create_table(
        "customers",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("since", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", name="pk_customers"),
        sa.UniqueConstraint("tenant_id", "email", name="uq_customers_tenant_id_email"),
    )
    op.create_index("ix_customers_email", "customers", ["email"])
    op.create_table(
        "policies",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("policy_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("product", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("starts", sa.Date(), nullable=False),
        sa.Column("ends", sa.Date(), nullable=False),
        sa.Column("paid_until", sa.Date(), nullable=False),
        sa.Column("paid", sa.Text(), nullable=False),
        sa.Column("limit", sa.Text(), nullable=False),
        sa.Column("excess", sa.Text(), nullable=False),
        sa.Column("cancelled_on", sa.Date(), nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "policy_id", name="pk_policies"),
    )
    op.create_index("ix_policies_tenant_id_user_id", "policies", ["tenant_id", "user_id"])


def _create_tickets() -> None:
    row_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "tickets",
        sa.Column("id", row_id, autoincrement=True, nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=False),
        sa.Column("outer_key", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_tickets"),
        sa.UniqueConstraint("tenant_id", "idempotency_key", name="uq_tickets_tenant_id_idempotency_key"),
    )
    op.create_index("ix_tickets_tenant_id_user_id", "tickets", ["tenant_id", "user_id"])
    op.create_index("ix_tickets_tenant_id_outer_key", "tickets", ["tenant_id", "outer_key"])


def _create_refunds() -> None:
    op.create_table(
        "refunds",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("policy_id", sa.Text(), nullable=False),
        sa.Column("amount", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("receipt", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("reserved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "idempotency_key", name="pk_refunds"),
    )
    op.create_index("ix_refunds_tenant_id_policy_id", "refunds", ["tenant_id", "policy_id"])
    op.create_index("ix_refunds_tenant_id_user_id", "refunds", ["tenant_id", "user_id"])


def downgrade() -> None:
    """Back to a record without claims; customers, incidents, tickets and refunds are forgotten."""
    for table in ("refunds", "tickets", "incidents", "policies", "customers"):
        op.drop_table(table)
