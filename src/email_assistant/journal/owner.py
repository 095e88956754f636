"""Whose mail a database is about: one mailbox's, from its first start on (docs/adr/0053). Blocking calls."""

from collections.abc import Callable

from sqlalchemy import Connection, Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from email_assistant.errors import AccessError, ConfigError
from email_assistant.journal.database import Database
from email_assistant.journal.migrate import place
from email_assistant.journal.tables import CURSORS, MAIL, OWNER

Identify = Callable[[str | None], str]
"""Who a mailbox is, given who is on record: "" of a database that has mail and no owner yet, None of a new one."""


def claim(engine: Engine, name: str, identify: Identify) -> None:
    """Put the mailbox down as the database's owner, or see that it is; one that was moved has its new name on record.

    Raises `ConfigError` when the database belongs to another mailbox, and what `identify` raises.
    """
    with engine.execution_options(reading=True).connect() as connection:
        known = connection.execute(select(OWNER)).first()
        recorded = known.identity if known else "" if _has_mail(connection) else None
    try:
        identity = identify(recorded)
    except AccessError:
        if known is None or known.name == name:
            raise
        identity = ""  # It was never this database's.
    if known and known.identity != identity:
        raise ConfigError(
            f"DATABASE_URL: {place(engine.url)} belongs to {known.name}, not to {name}: set DATABASE_URL, or "
            "EMAIL_ASSISTANT_DATA_DIR, to another place for this mailbox, or EMAIL_ASSISTANT_MAILBOX back to that one"
        )
    if known and known.name == name:
        return
    row = {"number": 1, "identity": identity, "name": name}
    try:
        with engine.begin() as connection:
            connection.execute(update(OWNER).values(row) if known else insert(OWNER).values(row))
    except IntegrityError:  # Another process was first.
        claim(engine, name, identify)


async def disown(database: Database) -> None:
    """Let the next mailbox that opens the database be its owner."""
    async with database.begin() as connection:
        await connection.execute(delete(OWNER))


def _has_mail(connection: Connection) -> bool:
    return any(connection.execute(select(each.c.mailbox).limit(1)).first() for each in (MAIL, CURSORS))
