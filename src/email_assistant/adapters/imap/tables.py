"""What is on record of a mailbox that knows its messages by numbers only: which is where, what belongs together, what was sent."""

from sqlalchemy import BigInteger, Column, Index, Integer, PrimaryKeyConstraint, Table

from email_assistant.journal.sql import METADATA
from email_assistant.journal.sql import int_column as _int
from email_assistant.journal.sql import text_column as _text
from email_assistant.journal.sql import time_column as _time


def _number(name: str) -> Column[int]:
    """As large as a server makes them."""
    return Column(name, BigInteger, nullable=False)


# How far each folder was read, and how it stood then.
FOLDERS = Table(
    "imap_folders",
    METADATA,
    *map(_text, ("mailbox", "role", "name")),
    *map(_number, ("validity", "next_uid", "messages", "unseen", "modseq")),
    PrimaryKeyConstraint("mailbox", "role"),
)

# A message keeps its id wherever it goes; `uid` 0: it is not in its folder any more.
MESSAGES = Table(
    "imap_messages",
    METADATA,
    *map(_text, ("mailbox", "id", "role")),
    *map(_number, ("validity", "uid", "size")),
    *map(_text, ("own", "thread", "sender", "subject", "searched")),
    _time("received_at"),
    _int("is_read"),
    _int("is_put_away"),
    PrimaryKeyConstraint("mailbox", "id"),
    Index(None, "mailbox", "role", "received_at"),
    Index(None, "mailbox", "thread"),
    Index(None, "mailbox", "own"),
)

# To which conversation each Message-ID belongs; a conversation is named after a key, and has a place in the order of naming.
TIES = Table(
    "imap_ties",
    METADATA,
    *map(_text, ("mailbox", "key", "thread")),
    Column("place", Integer, nullable=False),
    PrimaryKeyConstraint("mailbox", "key"),
    Index(None, "mailbox", "thread"),
)

# Labels of messages on servers that keep none.
LABELS = Table(
    "imap_labels",
    METADATA,
    *map(_text, ("mailbox", "id", "label")),
    PrimaryKeyConstraint("mailbox", "id", "label"),
)
