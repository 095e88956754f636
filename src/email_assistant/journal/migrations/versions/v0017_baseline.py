"""The tables as revision 0017 left them, where the migrations begin.

Plain SQL, so that it stays what it was, whatever becomes of the code. Types are written as SQLite and PostgreSQL both read them; those
that differ are filled in.
"""

from pathlib import Path

from alembic import op

revision = "0017"
down_revision = None
branch_labels = None
depends_on = None

TYPES = {
    "sqlite": {"row_id": "INTEGER NOT NULL", "number": "INTEGER NOT NULL", "time": "DATETIME"},
    "postgresql": {
        "row_id": "BIGSERIAL NOT NULL",
        "number": "SERIAL NOT NULL",
        "time": "TIMESTAMP WITH TIME ZONE",
    },
}


def upgrade() -> None:
    """From nothing."""
    sql = schema().format_map(TYPES[op.get_context().dialect.name])
    for statement in sql.strip().removesuffix(";").split(";\n"):
        op.execute(statement)


def schema() -> str:
    """Its SQL, with the types to be filled in."""
    return Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
