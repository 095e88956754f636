"""The statements that SQLAlchemy words differently for each database."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Table, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.errors import InputError

MAX_KEY_BYTES = 800


def check_keys(**keys: str) -> None:
    """Raises `InputError` naming a key that is empty or too long for an index (800 bytes of UTF-8)."""
    for name, value in keys.items():
        if not value:
            raise InputError(f"{name} is empty")
        if len(value.encode(errors="replace")) > MAX_KEY_BYTES:
            raise InputError(f"{name} is longer than {MAX_KEY_BYTES} bytes")


async def hold(connection: AsyncConnection, key: str) -> None:
    """Keep every other transaction that holds this key out until this one ends; on SQLite all writers are kept out anyway."""
    if connection.dialect.name == "postgresql":
        await connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(key, 0))))


async def insert_or_ignore(connection: AsyncConnection, table: Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless it collides with one that is there; True when this call inserted it."""
    statement = _insert(connection, table).values(dict(values)).on_conflict_do_nothing().inline()
    result = await connection.execute(statement, execution_options={"preserve_rowcount": True})
    return bool(result.rowcount == 1)


async def upsert(
    connection: AsyncConnection,
    table: Table,
    values: Mapping[str, Any],
    *,
    keys: Sequence[str],
    update: Mapping[str, Any],
) -> None:
    """Insert a row, or set `update` on the one whose `keys` are the same."""
    statement = _insert(connection, table).values(dict(values)).inline()
    await connection.execute(statement.on_conflict_do_update(index_elements=list(keys), set_=dict(update)))


async def upsert_all(
    connection: AsyncConnection, table: Table, rows: Sequence[Mapping[str, Any]], *, keys: Sequence[str]
) -> None:
    """Insert each row, or put it in the place of the one whose `keys` are the same."""
    statement = _insert(connection, table)
    taken = {column: statement.excluded[column] for column in rows[0] if column not in keys}
    statement = statement.on_conflict_do_update(index_elements=list(keys), set_=taken)
    await connection.execute(statement, [dict(row) for row in rows])


def _insert(connection: AsyncConnection, table: Table) -> Any:
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)
