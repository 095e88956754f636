"""SQL that means the same on SQLite and PostgreSQL: columns, rows as records, statements.

Statements that each database words differently are made once: to put one together costs five times what it costs to execute one that is
there.

Whatever a run carries, as JSON that every database takes.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

from pydantic import BaseModel
from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    ColumnElement,
    DateTime,
    Dialect,
    Executable,
    Insert,
    Integer,
    MetaData,
    Row,
    Select,
    Table,
    Text,
    func,
    insert,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.types import TypeDecorator

from email_assistant.errors import InputError

if TYPE_CHECKING:  # It needs the tables' metadata.
    from email_assistant.journal.database import Database

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
METADATA = MetaData(naming_convention=NAMING)
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
ROW_ID = BigInteger().with_variant(Integer(), "sqlite")
"""An ascending row number; SQLite numbers rows by itself only in a column of type INTEGER."""
NANO = Decimal(10) ** 9
CHUNK = 500
"""Ids asked for at once; old SQLite takes no more than 999 parameters."""
MAX_KEY_BYTES = 800
Update: TypeAlias = tuple[str, ...] | Callable[[Any], Mapping[str, Any]]
"""The columns that take the proposed row's values, or what makes new values of it: a function of a module, not of a call."""
R = TypeVar("R")


class UtcDateTime(TypeDecorator[datetime]):
    """An aware instant; UTC in the database and when it is read. A naive datetime is a `ValueError`."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To UTC; SQLite has no zones, so it gets the bare UTC time."""
        if value is None:
            return None
        if value.utcoffset() is None:
            raise ValueError("a time without a zone cannot be stored")
        instant = value.astimezone(UTC)
        return instant.replace(tzinfo=None) if dialect.name == "sqlite" else instant

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Aware, in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class CleanText(TypeDecorator[str]):
    """Text that every database takes: NUL and lone surrogates, which hostile mail carries, become U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Replace what cannot be stored."""
        return None if value is None else clean(value)


class Exact(TypeDecorator[Decimal]):
    """A decimal number, kept digit by digit as text: SQLite has no exact ones. The database cannot sum or sort by it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> str | None:
        """Without an exponent."""
        return None if value is None else format(value, "f")

    def process_result_value(self, value: str | None, dialect: Dialect) -> Decimal | None:
        """With as many digits as it was given."""
        return None if value is None else Decimal(value)


def clean(text: str) -> str:
    """The text with NUL and lone surrogates replaced by U+FFFD."""
    text = text.replace("\0", REPLACEMENT)
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(REPLACEMENT if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def id_column() -> Column[int]:
    """An ascending row number."""
    return Column("id", ROW_ID, primary_key=True, autoincrement=True)


def text_column(name: str, *, null: bool = False) -> Column[str]:
    """Text that every database takes."""
    return Column(name, CleanText, nullable=null)


def json_column(name: str, *, null: bool = False) -> Column[object]:
    """JSON; None is NULL."""
    return Column(name, JSON(none_as_null=True), nullable=null)


def time_column(name: str, *, null: bool = False) -> Column[datetime]:
    """An aware instant."""
    return Column(name, UtcDateTime, nullable=null)


def int_column(name: str) -> Column[int]:
    """A whole number of 32 bits."""
    return Column(name, Integer, nullable=False)


class Rows(Generic[R]):
    """A table's rows as records of a dataclass, whose fields have the columns' names."""

    def __init__(
        self,
        table: Table,
        record: Callable[..., R],
        *,
        renamed: dict[str, str] | None = None,
        **made: Callable[[Any], Any],
    ) -> None:
        """`renamed` has the columns of fields with other names; `made` what becomes of a field's value."""
        names = {each.name: each.name for each in fields(record)} | (renamed or {})  # type: ignore[arg-type]
        self.columns = {name: table.c[column] for name, column in names.items()}
        self._record, self._made = record, made

    def select(self, *conditions: ColumnElement[bool]) -> Select[Any]:
        """The rows of which all these are true."""
        return select(*self.columns.values()).where(*conditions)

    def record(self, row: Row[Any]) -> R:
        """The record of a row that has these columns, and may have others."""
        values = {name: row._mapping[column] for name, column in self.columns.items()}
        return self._record(**values | {name: make(values[name]) for name, make in self._made.items()})

    async def all(self, connection: AsyncConnection, statement: Executable, *of: dict[str, Any]) -> list[R]:
        """The records of a statement over these columns; `of` has its parameters."""
        return [self.record(row) for row in await connection.execute(statement, *of)]

    async def first(self, connection: AsyncConnection, statement: Executable) -> R | None:
        """The first of them, or None."""
        row = (await connection.execute(statement)).first()
        return self.record(row) if row else None

    async def read(self, database: "Database", statement: Executable, *of: dict[str, Any]) -> list[R]:
        """`all`, in a transaction of its own."""
        async with database.read() as connection:
            return await self.all(connection, statement, *of)

    async def read_first(self, database: "Database", statement: Executable) -> R | None:
        """`first`, in a transaction of its own."""
        async with database.read() as connection:
            return await self.first(connection, statement)


def dollars(nano: Any) -> Decimal:
    """Whole billionths of a dollar, as they are kept, in US dollars."""
    return Decimal(int(nano)) / NANO


def dollars_if_known(nano: Any) -> Decimal | None:
    """The same; None stays None."""
    return None if nano is None else dollars(nano)


def check_keys(**keys: str) -> None:
    """Raises `InputError` naming a key that is empty or too long for an index (800 bytes of UTF-8)."""
    for name, value in keys.items():
        if not value:
            raise InputError(f"{name} is empty")
        if len(value.encode(errors="replace")) > MAX_KEY_BYTES:
            raise InputError(f"{name} is longer than {MAX_KEY_BYTES} bytes")


def chunks(ids: Iterable[str]) -> Iterator[list[str]]:
    """The ids, each once, in lists short enough for one statement."""
    left = iter(dict.fromkeys(ids))
    while some := list(islice(left, CHUNK)):
        yield some


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


JsonValue: TypeAlias = "dict[str, Any] | list[Any] | str | int | float | bool | None"
MAX_DEPTH = 40
MAX_INT_BITS = 8_192
"""Python refuses to write longer numbers in decimal."""
MAX_TEXT = 16_384
"""Characters of one text in a step's state."""


def plain(value: Any, *, depth: int = MAX_DEPTH) -> JsonValue:  # noqa: PLR0911
    """The value as JSON: times in ISO 8601, sets sorted, records (dataclasses, pydantic's models) by their fields,
    anything unknown or nested too deeply as its text.

    It raises nothing for any value whose `str` works: the record must not fail the work it records.
    """
    if isinstance(value, Enum):
        return plain(value.value, depth=depth)
    if isinstance(value, int) and value.bit_length() > MAX_INT_BITS:
        return hex(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if depth > 0 and (of_record := fields_of(value)) is not None:
        return plain(of_record, depth=depth)
    if depth > 0 and isinstance(value, Mapping):
        return {str(k): plain(v, depth=depth - 1) for k, v in value.items()}
    if depth > 0 and isinstance(value, Set):
        return sorted((plain(v, depth=depth - 1) for v in value), key=str)
    if depth > 0 and isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [plain(v, depth=depth - 1) for v in value]
    return str(value)


def fields_of(value: Any) -> dict[str, Any] | None:
    """A dataclass's or pydantic model's fields as they are; None for anything else."""
    if isinstance(value, BaseModel):
        return dict(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name, None) for f in fields(value)}
    return None


def state_as_json(state: Mapping[str, Any]) -> JsonValue:
    """A step's state as JSON, with long texts cut; what was cut says so, and how much."""
    return _cut(plain(state))


def _cut(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        left = len(value) - MAX_TEXT
        return (
            f"{value[:MAX_TEXT]}… [cut: {left:,} of {len(value):,} characters left out]"
            if left > 0
            else value
        )
    if isinstance(value, list):
        return [_cut(each) for each in value]
    return {name: _cut(each) for name, each in value.items()} if isinstance(value, dict) else value
