"""Rows as records: the one place that says which columns a record is read from, and what is made of them."""

from collections.abc import Callable
from dataclasses import fields
from decimal import Decimal
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Executable, Row, Select, Table, select
from sqlalchemy.ext.asyncio import AsyncConnection

NANO = Decimal(10) ** 9
R = TypeVar("R")


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
        self.columns = [table.c[column].label(name) for name, column in names.items()]
        self._record, self._made = record, made

    def select(self, *conditions: ColumnElement[bool]) -> Select[Any]:
        """The rows of which all these are true."""
        return select(*self.columns).where(*conditions)

    def record(self, row: Row[Any]) -> R:
        """The record of a row that has these columns, and may have others."""
        values = {each.name: row._mapping[each.name] for each in self.columns}
        return self._record(**values | {name: make(values[name]) for name, make in self._made.items()})

    async def all(self, connection: AsyncConnection, statement: Executable, *of: dict[str, Any]) -> list[R]:
        """The records of a statement over these columns; `of` has its parameters."""
        return [self.record(row) for row in await connection.execute(statement, *of)]

    async def first(self, connection: AsyncConnection, statement: Executable) -> R | None:
        """The first of them, or None."""
        row = (await connection.execute(statement)).first()
        return self.record(row) if row else None


def dollars(nano: Any) -> Decimal:
    """Whole billionths of a dollar, as they are kept, in US dollars."""
    return Decimal(int(nano)) / NANO


def dollars_if_known(nano: Any) -> Decimal | None:
    """The same; None stays None."""
    return None if nano is None else dollars(nano)
