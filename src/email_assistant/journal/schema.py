"""What the tables are declared with, in whichever file they stand."""

from sqlalchemy import JSON, Column, Integer, MetaData

from email_assistant.journal.columns import ROW_ID, CleanText

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
METADATA = MetaData(naming_convention=NAMING)
VERSION_TABLE = "email_assistant_version"
"""Where Alembic keeps the schema's version; not its usual name, as another program may use the database."""


def id_column() -> Column[int]:
    """An ascending row number."""
    return Column("id", ROW_ID, primary_key=True, autoincrement=True)


def text_column(name: str, *, null: bool = False) -> Column[str]:
    """Text that every database takes."""
    return Column(name, CleanText, nullable=null)


def json_column(name: str, *, null: bool = False) -> Column[object]:
    """JSON; None is NULL."""
    return Column(name, JSON(none_as_null=True), nullable=null)


def int_column(name: str) -> Column[int]:
    """A whole number of 32 bits."""
    return Column(name, Integer, nullable=False)
