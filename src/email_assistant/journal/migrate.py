"""Brings a database's tables up to date. Everything here blocks: call it in a thread.

Two processes may start at once: SQLite is guarded by a lock file beside the database, PostgreSQL by an
advisory lock that ends with the transaction.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import Connection, create_engine, event, inspect, text
from sqlalchemy.engine import URL, Engine, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from email_assistant.errors import ConfigError, TransientError
from email_assistant.journal.schema import VERSION_TABLE

LOCK_SECONDS = 120
ADVISORY_LOCK = 7_203_654_119
"""Any number that nothing else in the same PostgreSQL locks on."""

# Alembic keeps its context in module globals, so one migration at a time in a process.
_one_at_a_time = threading.Lock()


def migrate(url: str) -> None:
    """Create or upgrade the tables of a normalised URL; does nothing when they are up to date.

    Raises `ConfigError` when the database cannot be opened or was written by a newer version,
    `TransientError` when another process holds the lock for too long.
    """
    parsed = make_url(url)
    with _one_at_a_time:
        try:
            _migrate(parsed)
        except (DBAPIError, sqlite3.Error, OSError) as error:
            raise ConfigError(f"DATABASE_URL: cannot open {place(parsed)}: {cause(error, parsed)}") from None


def _migrate(url: URL) -> None:
    if url.get_backend_name() == "sqlite":
        with _file_lock(url) as path:
            _upgrade_sqlite(path)
    else:
        engine = create_engine(url, poolclass=NullPool)
        with engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
            _upgrade(connection)


@contextmanager
def _file_lock(url: URL) -> Iterator[Path]:
    path = Path(url.database or "")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with FileLock(f"{path}.migrate.lock", timeout=LOCK_SECONDS, mode=0o600):
            yield path
    except Timeout:
        raise TransientError(f"another process has been migrating {path.name} for {LOCK_SECONDS} s") from None


def _upgrade_sqlite(path: Path) -> None:
    # SQLite would let the group and others read it; the files that it keeps beside take this one's mode.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    engine = create_engine(
        URL.create("sqlite", database=str(path)), poolclass=NullPool, connect_args={"timeout": 30}
    )
    transactions_by_hand(engine)
    with engine.connect() as connection:
        # Kept in the file; must be outside a transaction.
        driver = connection.connection.driver_connection
        assert driver is not None  # noqa: S101
        driver.execute("PRAGMA journal_mode=WAL")
        with connection.begin():
            _upgrade(connection)


def transactions_by_hand(engine: Engine) -> None:
    """Let SQLAlchemy begin SQLite's transactions: the driver would begin them late, and never for DDL.

    A transaction takes the write lock at once (BEGIN IMMEDIATE): one that reads first and writes later fails
    when another has written in between, however long it is willing to wait. With the execution option
    `reading` it takes none.
    """

    @event.listens_for(engine, "connect")
    def _no_implicit_begin(dbapi_connection: object, record: object) -> None:
        dbapi_connection.isolation_level = None  # type: ignore[attr-defined]

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        reading = connection.get_execution_options().get("reading", False)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _upgrade(connection: Connection) -> None:
    if _is_up_to_date(connection):
        return
    # Slow to import, and needed once after each update of this package.
    from alembic import command
    from alembic.config import Config
    from alembic.util.exc import CommandError

    config = Config()
    # ConfigParser reads "%" as its own syntax.
    config.set_main_option("script_location", str(files(__package__) / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise ConfigError(f"DATABASE_URL: the database was written by another version: {error}") from None


def newest_revision() -> str:
    """The revision that the migrations lead to, by the numbers in their files' names: `v0014_…` is 0014."""
    names = (file.name for file in (files(__package__) / "migrations" / "versions").iterdir())
    return max(name for name in names if name.startswith("v")).partition("_")[0].removeprefix("v")


def _is_up_to_date(connection: Connection) -> bool:
    if not inspect(connection).has_table(VERSION_TABLE):
        return False
    versions = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalars().all()
    return list(versions) == [newest_revision()]


def place(url: URL) -> str:
    """Where the database is, for an error text: no user, no password."""
    return (
        str(url.database)
        if url.get_backend_name() == "sqlite"
        else f"{url.database} on {url.host or 'localhost'}"
    )


def cause(error: BaseException, url: URL) -> str:
    """The driver's reason in one line, without the password."""
    reason = " ".join(str(getattr(error, "orig", None) or error).split())
    return reason.replace(url.password, "***") if url.password else reason
