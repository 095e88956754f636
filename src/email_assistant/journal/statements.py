"""The statements that SQLAlchemy words differently for each database, and those that are made once.

To put a statement together costs five times what it costs to execute one that is there.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias, cast

from sqlalchemy import Insert, Table, func, insert, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.errors import InputError

MAX_KEY_BYTES = 800
Update: TypeAlias = tuple[str, ...] | Callable[[Any], Mapping[str, Any]]
"""The columns that take the proposed row's values, or what makes new values of it: a function of a module, not of a call."""


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
    statement = _ignoring(connection.dialect.name, table)
    result = await connection.execute(statement, dict(values), execution_options={"preserve_rowcount": True})
    return bool(result.rowcount == 1)


async def upsert(
    connection: AsyncConnection,
    table: Table,
    values: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    keys: tuple[str, ...],
    update: Update | None = None,
) -> None:
    """Insert a row (or each of several), or update the one whose `keys` are the same; None takes all its other values."""
    rows = dict(values) if isinstance(values, Mapping) else [dict(row) for row in values]
    if update is None:
        update = tuple(name for name in (rows if isinstance(rows, dict) else rows[0]) if name not in keys)
    await connection.execute(_upserting(connection.dialect.name, table, keys, update), rows)


@cache
def inserting(table: Table) -> Insert:
    """The insertion of a row."""
    return insert(table).inline()


@cache
def _ignoring(dialect: str, table: Table) -> Insert:
    return cast(Insert, _insert(dialect, table).on_conflict_do_nothing().inline())


@cache
def _upserting(dialect: str, table: Table, keys: tuple[str, ...], update: Update) -> Insert:
    statement = _insert(dialect, table).inline()
    proposed = statement.excluded
    change = update(proposed) if callable(update) else {column: proposed[column] for column in update}
    return cast(Insert, statement.on_conflict_do_update(index_elements=list(keys), set_=dict(change)))


def _insert(dialect: str, table: Table) -> Any:
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
