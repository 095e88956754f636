"""The core's tables; a workflow's own are in its `records/tables.py`. What changes here needs a migration in `migrations/versions`; a test
compares the two.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
)

from email_assistant.journal.columns import UtcDateTime
from email_assistant.journal.schema import METADATA
from email_assistant.journal.schema import id_column as _id
from email_assistant.journal.schema import int_column as _int
from email_assistant.journal.schema import json_column as _json
from email_assistant.journal.schema import text_column as _text

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
    Column("received_at", UtcDateTime, nullable=True),
    Column("claimed_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
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
    PrimaryKeyConstraint("mailbox", "message_id"),
    Index(None, "mailbox", "uid"),
)

DEAD_LETTERS = Table(
    "dead_letters",
    METADATA,
    _id(),
    _text("mailbox"),
    _text("message_id"),
    _text("graph"),
    _text("reason"),
    _int("attempts"),
    Column("created_at", UtcDateTime, nullable=False),
    Column("replayed_at", UtcDateTime, nullable=True),
    ForeignKeyConstraint(
        ["mailbox", "message_id", "graph"],
        ["mail.mailbox", "mail.message_id", "mail.graph"],
        ondelete="CASCADE",
    ),
    Index(None, "mailbox", "message_id", "graph"),
)

CURSORS = Table(
    "cursors",
    METADATA,
    _text("mailbox"),
    _text("value"),
    Column("updated_at", UtcDateTime, nullable=False),
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
    Column("started_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime, nullable=True),
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
    _json("snapshot", null=True),
    Column("latency_ms", Float, nullable=False),
    _text("error", null=True),
    Column("recorded_at", UtcDateTime, nullable=False),
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
    Column("recorded_at", UtcDateTime, nullable=False),
    Index(None, "run_id"),
    Index(None, "recorded_at"),
)

# What a trace's snapshots share: a value that did not change from step to step is kept once.
SNAPSHOT_VALUES = Table(
    "snapshot_values",
    METADATA,
    _text("trace_id"),
    _text("digest"),
    _json("value"),
    PrimaryKeyConstraint("trace_id", "digest"),
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
    Column("recorded_at", UtcDateTime, nullable=False),
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
    Column("first_shown_at", UtcDateTime, nullable=False),
    Column("last_shown_at", UtcDateTime, nullable=False),
    _text("decision", null=True),
    _json("answer", null=True),
    _json("answers"),
    Column("decided_at", UtcDateTime, nullable=True),
    PrimaryKeyConstraint("review_id"),
    Index(None, "run_id"),
    Index(None, "run_thread_id"),
)

RECEIVED_ANSWERS = Table(
    "received_answers",
    METADATA,
    _text("run_thread_id"),
    # Of the thread's last one.
    Column("received_at", UtcDateTime, nullable=False),
    PrimaryKeyConstraint("run_thread_id"),
)

# Answers of the review page, before and after they are given to their runs.
HELD_ANSWERS = Table(
    "held_answers",
    METADATA,
    _text("id"),
    _text("run_thread_id"),
    _text("interrupt_id"),
    _text("digest"),
    _json("answer"),
    _json("shown"),
    Column("due", UtcDateTime, nullable=False),
    _text("state"),
    _text("why"),
    _json("following"),
    Column("given_at", UtcDateTime, nullable=False),
    Column("begun_at", UtcDateTime, nullable=True),
    _text("run_id"),
    Column("ended_at", UtcDateTime, nullable=True),
    PrimaryKeyConstraint("id"),
    Index(None, "given_at"),
)
_IS_OPEN = HELD_ANSWERS.c.state.in_(("held", "working"))
# One to a card: of two that are given at one moment, the second finds the first.
Index(
    "uq_held_answers_open",
    HELD_ANSWERS.c.run_thread_id,
    HELD_ANSWERS.c.interrupt_id,
    unique=True,
    sqlite_where=_IS_OPEN,
    postgresql_where=_IS_OPEN,
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
    Column("started_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
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
    Column("created_at", UtcDateTime, nullable=False),
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
    Column("first_at", UtcDateTime, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    PrimaryKeyConstraint("mailbox", "address"),
    Index(None, "mailbox", "name_skeleton"),
    Index(None, "mailbox", "domain_skeleton", "domain"),
)

CATEGORY_CORRECTIONS = Table(
    "category_corrections",
    METADATA,
    _id(),
    _text("mailbox"),
    _text("key"),
    _text("message_id"),
    _text("category"),
    Column("decided_at", UtcDateTime, nullable=False),
    Column("forgotten_at", UtcDateTime, nullable=True),
    UniqueConstraint("mailbox", "key", "message_id"),
)

SUBSCRIPTIONS = Table(
    "subscriptions",
    METADATA,
    _text("mailbox"),
    _text("list_key"),
    _text("name"),
    _text("sender"),
    _text("message_id"),
    _text("offers"),
    _int("messages"),
    Column("first_at", UtcDateTime, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    Column("answered", Boolean, nullable=False),
    _text("state"),
    _text("method"),
    Column("requested_at", UtcDateTime, nullable=True),
    Column("verified_at", UtcDateTime, nullable=True),
    Column("still_coming", Boolean, nullable=False),
    _text("run_thread_id"),
    PrimaryKeyConstraint("mailbox", "list_key"),
    Index(None, "mailbox", "state"),
)

# Which mail was counted: a message that is noted again, however much later, must not count twice.
SUBSCRIPTION_MAIL = Table(
    "subscription_mail",
    METADATA,
    _text("mailbox"),
    _text("message_id"),
    _text("list_key"),
    PrimaryKeyConstraint("mailbox", "message_id"),
)

# A whole account, cut into pieces of work that several processes share.
BACKFILLS = Table(
    "backfills",
    METADATA,
    _id(),
    _text("mailbox"),
    _text("graph"),
    _text("state"),
    Column("after", UtcDateTime, nullable=True),
    Column("before", UtcDateTime, nullable=False),
    Column("cost_limit_nano_usd", BigInteger, nullable=True),
    Column("planned", Boolean, nullable=False),
    _text("planner"),
    Column("planner_until", UtcDateTime, nullable=True),
    Column("started_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime, nullable=True),
)
# One at a time: whoever starts a second one at the same moment joins the first.
Index(
    "uq_backfills_unfinished",
    BACKFILLS.c.mailbox,
    BACKFILLS.c.graph,
    unique=True,
    sqlite_where=BACKFILLS.c.ended_at.is_(None),
    postgresql_where=BACKFILLS.c.ended_at.is_(None),
)

BACKFILL_CHUNKS = Table(
    "backfill_chunks",
    METADATA,
    _int("backfill_id"),
    _int("position"),
    _json("messages"),
    _int("size"),
    _int("settled"),
    _text("worker"),
    Column("leased_until", UtcDateTime, nullable=True),
    Column("cost_nano_usd", BigInteger, nullable=True),
    Column("done_at", UtcDateTime, nullable=True),
    PrimaryKeyConstraint("backfill_id", "position"),
    Index(None, "backfill_id", "done_at"),
)

# People's details, for all mailboxes alike; `search_text` is what they are found by.
CONTACTS = Table(
    "contacts",
    METADATA,
    _text("address"),
    _text("name"),
    _text("organisation"),
    _text("phone"),
    _text("role"),
    _text("notes"),
    _json("tags"),
    _text("source"),
    _text("search_text"),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    PrimaryKeyConstraint("address"),
)
