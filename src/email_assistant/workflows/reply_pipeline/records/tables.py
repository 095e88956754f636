"""The table of contacts."""

from sqlalchemy import PrimaryKeyConstraint, Table

from email_assistant.journal.sql import METADATA, json_column, text_column, time_column

# People's details, for all mailboxes alike; `search_text` is what they are found by.
CONTACTS = Table(
    "contacts",
    METADATA,
    text_column("address"),
    text_column("name"),
    text_column("organisation"),
    text_column("phone"),
    text_column("role"),
    text_column("notes"),
    json_column("tags"),
    text_column("source"),
    text_column("search_text"),
    time_column("created_at"),
    time_column("updated_at"),
    PrimaryKeyConstraint("address"),
)
