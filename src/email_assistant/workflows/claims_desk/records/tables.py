"""The tables of the claims desk: customers and their policies, and what was kept and done about their claims.

Tenants are separated in every table: each key begins with the tenant's id.
"""

from sqlalchemy import Column, Date, Float, Index, PrimaryKeyConstraint, Table, UniqueConstraint

from email_assistant.journal.columns import Exact, UtcDateTime
from email_assistant.journal.schema import METADATA, id_column, json_column, text_column

CUSTOMERS = Table(
    "customers",
    METADATA,
    text_column("tenant_id"),
    text_column("user_id"),
    text_column("name"),
    text_column("email"),
    Column("since", Date, nullable=False),
    PrimaryKeyConstraint("tenant_id", "user_id"),
    UniqueConstraint("tenant_id", "email"),
    Index(None, "email"),
)

# An import, the only writer, sees to it that each has a customer.
POLICIES = Table(
    "policies",
    METADATA,
    text_column("tenant_id"),
    text_column("policy_id"),
    text_column("user_id"),
    text_column("product"),
    text_column("status"),
    Column("starts", Date, nullable=False),
    Column("ends", Date, nullable=False),
    Column("paid_until", Date, nullable=False),
    Column("paid", Exact, nullable=False),
    Column("limit", Exact, nullable=False),
    Column("excess", Exact, nullable=False),
    Column("cancelled_on", Date, nullable=True),
    PrimaryKeyConstraint("tenant_id", "policy_id"),
    Index(None, "tenant_id", "user_id"),
)

INCIDENTS = Table(
    "incidents",
    METADATA,
    text_column("tenant_id"),
    text_column("incident_id"),
    text_column("user_id"),
    text_column("policy_id"),
    text_column("issue"),
    text_column("is_valid"),
    text_column("resolution"),
    json_column("citations"),
    Column("confidence", Float, nullable=False),
    Column("amount", Exact, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    text_column("user_role"),
    PrimaryKeyConstraint("tenant_id", "incident_id"),
    Index(None, "tenant_id", "user_id", "created_at"),
)

# `outer_key` is "" for a ticket that is kept here alone; its number is its key then.
TICKETS = Table(
    "tickets",
    METADATA,
    id_column(),
    text_column("tenant_id"),
    text_column("idempotency_key"),
    text_column("outer_key"),
    text_column("user_id"),
    text_column("type"),
    text_column("title"),
    text_column("body"),
    text_column("status"),
    text_column("url"),
    Column("created_at", UtcDateTime, nullable=False),
    Column("closed_at", UtcDateTime, nullable=True),
    UniqueConstraint("tenant_id", "idempotency_key"),
    Index(None, "tenant_id", "user_id"),
    Index(None, "tenant_id", "outer_key"),
)

REFUNDS = Table(
    "refunds",
    METADATA,
    text_column("tenant_id"),
    text_column("idempotency_key"),
    text_column("user_id"),
    text_column("policy_id"),
    Column("amount", Exact, nullable=False),
    text_column("currency"),
    text_column("state"),
    text_column("receipt"),
    text_column("reason"),
    Column("reserved_at", UtcDateTime, nullable=False),
    Column("settled_at", UtcDateTime, nullable=True),
    PrimaryKeyConstraint("tenant_id", "idempotency_key"),
    Index(None, "tenant_id", "policy_id"),
    Index(None, "tenant_id", "user_id"),
)
