"""The tables of the inbox organizer: what a person said of categories, and the mailings that were seen and left."""

from sqlalchemy import Boolean, Column, Index, PrimaryKeyConstraint, Table, UniqueConstraint

from email_assistant.journal.sql import METADATA, UtcDateTime, id_column, int_column, text_column

CATEGORY_CORRECTIONS = Table(
    "category_corrections",
    METADATA,
    id_column(),
    text_column("mailbox"),
    text_column("key"),
    text_column("message_id"),
    text_column("category"),
    Column("by_person", Boolean, nullable=False),
    Column("decided_at", UtcDateTime, nullable=False),
    Column("forgotten_at", UtcDateTime, nullable=True),
    UniqueConstraint("mailbox", "key", "message_id"),
)

SUBSCRIPTIONS = Table(
    "subscriptions",
    METADATA,
    text_column("mailbox"),
    text_column("list_key"),
    text_column("name"),
    text_column("sender"),
    text_column("message_id"),
    text_column("offers"),
    int_column("messages"),
    Column("first_at", UtcDateTime, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    Column("answered", Boolean, nullable=False),
    text_column("state"),
    Column("requested_at", UtcDateTime, nullable=True),
    Column("verified_at", UtcDateTime, nullable=True),
    Column("still_coming", Boolean, nullable=False),
    text_column("run_thread_id"),
    PrimaryKeyConstraint("mailbox", "list_key"),
    Index(None, "mailbox", "state"),
)

# Which mail was counted: a message that is noted again, however much later, must not count twice.
SUBSCRIPTION_MAIL = Table(
    "subscription_mail",
    METADATA,
    text_column("mailbox"),
    text_column("message_id"),
    text_column("list_key"),
    PrimaryKeyConstraint("mailbox", "message_id"),
)
