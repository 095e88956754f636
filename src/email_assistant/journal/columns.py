"""Column types that mean the same on SQLite and PostgreSQL."""

from datetime import UTC, datetime
from decimal import Decimal

from sqlalchemy import BigInteger, DateTime, Dialect, Integer, Text
from sqlalchemy.types import TypeDecorator

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
ROW_ID = BigInteger().with_variant(Integer(), "sqlite")
"""An ascending row number; SQLite numbers rows by itself only in a column of type INTEGER."""


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
