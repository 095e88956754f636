"""The tables of a database: made where there are none, refused where another version made them. All of it blocks: call it in a thread.

Two processes may start at once: SQLite is guarded by a lock file beside the database, PostgreSQL by an advisory lock that ends with the
transaction.
"""

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import Column, Connection, Engine, Integer, Table, Text, create_engine, inspect, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

import email_assistant.journal.tables  # noqa: F401 - declares the core's
from email_assistant.errors import ConfigError, TransientError
from email_assistant.journal.engines import SCHEMA, cause, damaged, is_sqlite, place, transactions_by_hand
from email_assistant.journal.sql import METADATA
from email_assistant.sqlite_files import damage, is_damage

NUMBER = 9
"""Of the tables, and of the cards and states that wait in checkpoints; whoever changes either raises it."""
LOCK_SECONDS = 120
ADVISORY_LOCK = 7_203_654_119
"""Any number that nothing else in the same PostgreSQL locks on."""
MADE = Table(
    "email_assistant_schema",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=False),
    # The modules that declared the tables, so that a workflow that comes later gets its own.
    Column("modules", Text, nullable=False),
)
_KEPT = "email_assistant.kept"
_ALEMBIC = "email_assistant_version"
"""Where versions before 0.2.0 kept theirs."""


def open_tables(url: str, modules: Sequence[str] = ()) -> None:
    """Make the tables of a normalised URL that are missing; `modules` declare those of workflows.

    Raises `ConfigError` when the database cannot be opened or was made by another version, `TransientError` when another process
    holds the lock for too long.
    """
    parsed = make_url(url)
    try:
        _open(parsed, modules)
    except (DBAPIError, sqlite3.Error, OSError) as error:
        if is_damage(getattr(error, "orig", error)):
            raise damaged(parsed, error) from None
        raise ConfigError(f"DATABASE_URL: cannot open {place(parsed)}: {cause(error, parsed)}") from None


def made_file(path: Path) -> Path:
    """The file beside a SQLite file that says that it was there: where that is gone, no new one is made."""
    return path.with_name(f"{path.name}.made")


def check_whole(url: str) -> None:
    """Read all of a SQLite file; raises `ConfigError` when it is damaged. PostgreSQL looks after its own."""
    parsed = make_url(url)
    if is_sqlite(parsed) and (problem := damage(Path(parsed.database or ""))):
        raise damaged(parsed, problem)


def _open(url: URL, modules: Sequence[str]) -> None:
    if is_sqlite(url):
        with _file_lock(url) as path:
            made = made_file(path)
            if made.exists() and not (path.exists() and path.stat().st_size):
                problem = "empty" if path.exists() else "gone"
                raise damaged(url, f"it is {problem}; to begin anew instead, delete {made.name}")
            _open_sqlite(path, modules)
            made.touch(mode=0o600)
    else:
        engine = create_engine(url, poolclass=NullPool)
        _check_sessions(engine, url)
        with engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
            # Where DATABASE_URL names a `search_path` of its own nothing is made.
            if connection.execute(text("SHOW search_path")).scalar_one() == SCHEMA:
                connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
            _make(connection, modules)


def _check_sessions(engine: Engine, url: URL) -> None:
    """Raise `ConfigError` where a pooler gives a session's settings, and so its locks, to others, or drops them."""
    with engine.connect() as kept, engine.connect() as other:
        kept.execute(text(f"SET {_KEPT} = 'yes'"))
        kept.commit()
        other.execute(
            text("SELECT 1")
        )  # In a transaction: a pooler has to give the first one another session, if it changes them.
        is_kept = kept.execute(text(f"SELECT current_setting('{_KEPT}', true)")).scalar() == "yes"
        path = str(kept.execute(text("SHOW search_path")).scalar_one())
    wanted = re.findall(r"search_path=(\S+)", str(url.query.get("options", "")))[-1:]
    if not is_kept or (wanted and wanted[0].replace('"', "") != path.replace(" ", "").replace('"', "")):
        raise ConfigError(
            f"DATABASE_URL: a pooler before {place(url)} does not keep a session's settings: connect to PostgreSQL itself, or use "
            f"session pooling and ALTER DATABASE … SET search_path = {SCHEMA}"
        )


@contextmanager
def _file_lock(url: URL) -> Iterator[Path]:
    path = Path(url.database or "")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with FileLock(f"{path}.lock", timeout=LOCK_SECONDS, mode=0o600):
            yield path
    except Timeout:
        raise TransientError(f"another process has been opening {path.name} for {LOCK_SECONDS} s") from None


def _open_sqlite(path: Path, modules: Sequence[str]) -> None:
    # SQLite would let the group and others read it; the files that it keeps beside take this one's mode.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    url = URL.create("sqlite", database=str(path))
    engine = create_engine(url, poolclass=NullPool, connect_args={"timeout": 30})
    transactions_by_hand(engine)
    with engine.connect() as connection:
        # Kept in the file; must be outside a transaction.
        driver = connection.connection.driver_connection
        assert driver is not None  # noqa: S101
        driver.execute("PRAGMA journal_mode=WAL")
        with connection.begin():
            _make(connection, modules)


def _make(connection: Connection, modules: Sequence[str]) -> None:
    """Make what is missing; raises `ConfigError` where the tables are of another number."""
    there, known = inspect(connection), set[str]()
    if there.has_table(_ALEMBIC):
        raise _another(connection.engine.url, "0")
    if is_ours := there.has_table(MADE.name):
        number, names = connection.execute(select(MADE.c.number, MADE.c.modules)).one()
        if number != NUMBER:
            raise _another(connection.engine.url, str(number))
        known = set(names.split())
    if is_ours and known.issuperset(modules):
        return
    for module in modules:
        import_module(module)
    METADATA.create_all(connection)
    names = " ".join(sorted(known.union(modules)))
    connection.execute(MADE.delete())
    connection.execute(MADE.insert().values(number=NUMBER, modules=names))


def _another(url: URL, number: str) -> ConfigError:
    if is_sqlite(url):
        path = Path(url.database or "")
        away = f"move {path.name}*, checkpoints.db* and .langgraph_* out of {path.parent}"
    else:
        away = f"drop its schema (DROP SCHEMA {SCHEMA} CASCADE)"
    return ConfigError(
        f"DATABASE_URL: {place(url)} was made by another version (it has schema {number}, this one needs {NUMBER}). "
        f"To begin anew stop the server and {away}; mailbox, calendar and settings stay"
    )
