"""The core's tables; a workflow's own are in its `records/tables.py`. Whoever changes one raises
`schema.NUMBER`; a test asks for it.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
)

from email_assistant.journal.sql import METADATA
from email_assistant.journal.sql import id_column as _id
from email_assistant.journal.sql import int_column as _int
from email_assistant.journal.sql import json_column as _json
from email_assistant.journal.sql import text_column as _text
from email_assistant.journal.sql import time_column as _time

MAIL = Table(
    "mail",
    METADATA,
    _id(),
    _text("mailbox"),
    _text("message_id"),
    _text("graph"),
    _text("mail_thread_id"),
    _text("run_thread_id"),
    _text("status"),
    _text("outcome"),
    _text("reason"),
    _int("attempts"),
    _json("email_input", null=True),
    _time("received_at", null=True),
    _time("claimed_at"),
    _time("updated_at"),
    UniqueConstraint("mailbox", "message_id", "graph"),
    Index(None, "run_thread_id"),
    Index(None, "status", "updated_at"),
    Index(None, "graph", "status", "outcome"),
)

# What each mail with a calendar part said of which event, for as long as there is a journal: a cancellation must outlive its mail.
CALENDAR_MAIL = Table(
    "calendar_mail",
    METADATA,
    *map(_text, ("mailbox", "message_id", "uid", "recurrence_id", "speaker", "name", "method")),
    *map(_text, ("stamp", "title", "happens")),
    _int("sequence"),
    _int("vouched"),
    PrimaryKeyConstraint("mailbox", "message_id"),
    Index(None, "mailbox", "uid"),
)

CURSORS = Table(
    "cursors",
    METADATA,
    _text("mailbox"),
    _text("value"),
    _time("updated_at"),
    PrimaryKeyConstraint("mailbox"),
)

# One row a mailbox: how looking for mail goes.
LOOKS = Table(
    "looks",
    METADATA,
    _text("mailbox"),
    _time("since"),
    _time("looked_at", null=True),
    _text("failure"),
    _time("failing_since", null=True),
    PrimaryKeyConstraint("mailbox"),
)

# One row: the mailbox that everything else is about.
OWNER = Table(
    "owner",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=False),
    _text("identity"),
    _text("name"),
)

# What an observer writes may arrive in any order, so these refer to a run without a foreign key.
RUNS = Table(
    "runs",
    METADATA,
    _text("run_id"),
    _text("trace_id"),
    _text("message_id", null=True),
    _text("run_thread_id"),
    _text("graph"),
    _text("status"),
    _text("error", null=True),
    _time("started_at"),
    _time("ended_at", null=True),
    # The work alone; from start to end may lie hours in which the server was down.
    Column("latency_ms", Float, nullable=True),
    PrimaryKeyConstraint("run_id"),
    Index(None, "trace_id"),
    Index(None, "started_at"),
    Index(None, "run_thread_id"),
    Index(None, "message_id"),
)

STEPS = Table(
    "steps",
    METADATA,
    _id(),
    _text("run_id"),
    _text("step_id", null=True),
    _text("name"),
    _int("position"),
    _json("input_state", null=True),
    _json("output_state", null=True),
    Column("latency_ms", Float, nullable=False),
    _text("error", null=True),
    _time("recorded_at"),
    Index(None, "run_id"),
)

TOOL_EXECUTIONS = Table(
    "tool_executions",
    METADATA,
    _id(),
    _text("run_id"),
    _text("step_id", null=True),
    _text("tool_call_id"),
    _text("name"),
    _json("params"),
    _json("result", null=True),
    Column("success", Boolean, nullable=False),
    _text("error", null=True),
    Column("latency_ms", Float, nullable=False),
    _time("recorded_at"),
    Index(None, "run_id"),
    Index(None, "recorded_at"),
)

MODEL_CALLS = Table(
    "model_calls",
    METADATA,
    _id(),
    _text("run_id"),
    _text("step_id", null=True),
    _text("call"),
    _text("tier"),
    _text("model"),
    _int("prompt_tokens"),
    _int("completion_tokens"),
    _int("cached_tokens"),
    # Whole billionths of a dollar: exact, and summed by the database.
    Column("cost_nano_usd", BigInteger, nullable=True),
    Column("latency_ms", Float, nullable=False),
    _int("attempts"),
    Column("estimated", Boolean, nullable=False),
    _text("error", null=True),
    _time("recorded_at"),
    Index(None, "run_id"),
    Index(None, "recorded_at"),
)

REVIEWS = Table(
    "reviews",
    METADATA,
    _text("review_id"),
    _text("run_id"),
    _text("run_thread_id"),
    _text("step_name", null=True),
    _text("title"),
    _json("card", null=True),
    _int("shown_count"),
    _time("first_shown_at"),
    _time("last_shown_at"),
    _text("decision", null=True),
    _json("answer", null=True),
    _json("answers"),
    _time("decided_at", null=True),
    PrimaryKeyConstraint("review_id"),
    Index(None, "run_id"),
    Index(None, "run_thread_id"),
)

OUTBOX = Table(
    "outbox",
    METADATA,
    _id(),
    _text("action_id"),
    _text("kind"),
    _text("subject_key"),
    _json("payload"),
    _text("payload_digest"),
    _text("status"),
    _json("result", null=True),
    _text("reason"),
    _int("attempts"),
    _time("started_at"),
    _time("updated_at"),
    _text("run_thread_id"),
    _text("graph"),
    _int("round"),
    UniqueConstraint("action_id"),
    Index(None, "subject_key", "kind"),
    Index(None, "status"),
    Index(None, "run_thread_id"),
    Index(None, "updated_at"),
)

MEMORY_REVISIONS = Table(
    "memory_revisions",
    METADATA,
    _text("profile"),
    _int("revision"),
    _text("content"),
    _text("origin"),
    _text("decision_id", null=True),
    _time("created_at"),
    PrimaryKeyConstraint("profile", "revision"),
    UniqueConstraint("profile", "decision_id"),
)

CORRESPONDENTS = Table(
    "correspondents",
    METADATA,
    _text("mailbox"),
    _text("address"),
    _text("name"),
    _text("name_skeleton"),
    _text("domain"),
    _text("domain_skeleton"),
    _time("first_at"),
    _time("last_at"),
    PrimaryKeyConstraint("mailbox", "address"),
    Index(None, "mailbox", "name_skeleton"),
    Index(None, "mailbox", "domain_skeleton", "domain"),
)
