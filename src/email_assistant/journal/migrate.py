"""Brings a database's tables up to date. Everything here blocks: call it in a thread.

Two processes may start at once: SQLite is guarded by a lock file beside the database, PostgreSQL by an
advisory lock that ends with the transaction.
"""

import os
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import Connection, create_engine, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from email_assistant.errors import ConfigError, TransientError
from email_assistant.journal.engines import SCHEMA, cause, damaged, is_sqlite, place, transactions_by_hand
from email_assistant.journal.sql import VERSION_TABLE
from email_assistant.sqlite_files import damage, is_damage

LOCK_SECONDS = 120
COPIES = 3
"""How many copies are kept of a SQLite file, each as it was before an upgrade."""
LAST_WITH_OLDER = "0.1.0"
"""The last version of this package that upgrades what is older than the first migration."""
ADVISORY_LOCK = 7_203_654_119
"""Any number that nothing else in the same PostgreSQL locks on."""

# Alembic keeps its context in module globals, so one migration at a time in a process.
_one_at_a_time = threading.Lock()


def migrate(url: str) -> None:
    """Create or upgrade the tables of a normalised URL; does nothing when they are up to date.

    Raises `ConfigError` when the database cannot be opened, was written by a newer version or is older than the
    first migration, `TransientError` when another process holds the lock for too long.
    """
    parsed = make_url(url)
    with _one_at_a_time:
        try:
            _migrate(parsed)
        except (DBAPIError, sqlite3.Error, OSError) as error:
            if is_damage(getattr(error, "orig", error)):
                raise damaged(parsed, error) from None
            raise ConfigError(f"DATABASE_URL: cannot open {place(parsed)}: {cause(error, parsed)}") from None


def check_whole(url: str) -> None:
    """Read all of a SQLite file; raises `ConfigError` when it is damaged. PostgreSQL looks after its own."""
    parsed = make_url(url)
    if is_sqlite(parsed) and (problem := damage(Path(parsed.database or ""))):
        raise damaged(parsed, problem)


def _migrate(url: URL) -> None:
    if is_sqlite(url):
        with _file_lock(url) as path:
            made = path.with_name(f"{path.name}.made")
            if made.exists() and not (path.exists() and path.stat().st_size):
                problem = "empty" if path.exists() else "gone"
                raise damaged(url, f"it is {problem}; to begin anew instead, delete {made.name}")
            _upgrade_sqlite(path)
            made.touch(mode=0o600)
    else:
        engine = create_engine(url, poolclass=NullPool)
        with engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
            _have_schema(connection)
            _refuse_older(_versions(connection), url)
            _upgrade(connection)


def _have_schema(connection: Connection) -> None:
    """Make our schema, and move into it what versions before 0.2.0 kept in `public`.

    Where DATABASE_URL names a `search_path` of its own nothing is made.
    """
    path = str(connection.execute(text("SHOW search_path")).scalar_one())
    if path != SCHEMA or inspect(connection).has_schema(SCHEMA):
        return
    connection.execute(text(f"CREATE SCHEMA {SCHEMA}"))
    there = set(inspect(connection).get_table_names("public"))
    for name in sorted(there & _tables_before()) if VERSION_TABLE in there else ():
        connection.execute(text(f"ALTER TABLE public.{name} SET SCHEMA {SCHEMA}"))


def _tables_before() -> set[str]:
    """Those that lay in `public`: of the first migrations, and of our checkpointer, by LangGraph's names."""
    from email_assistant.journal.migrations.versions.v0017_baseline import schema

    checkpoints = ("checkpoints", "checkpoint_blobs", "checkpoint_writes", "checkpoint_migrations")
    made = re.findall(r"CREATE TABLE (\w+)", schema())
    return {*made, "owner", "calendar_mail", "looks", VERSION_TABLE, *checkpoints}


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
            versions = _versions(connection)
        _refuse_older(versions, engine.url)
        if versions not in ([], [newest_revision()]):
            _copy(driver, path)
        with connection.begin():
            _upgrade(connection)


def _copy(driver: Any, path: Path) -> None:
    """Keep the file as it is, and of such copies the last few."""
    copy = path.with_name(f"{path.name}.before-{newest_revision()}")
    part = copy.with_name(f".{copy.name}.part")
    part.unlink(missing_ok=True)
    driver.execute("VACUUM INTO ?", (str(part),))
    part.chmod(0o600)
    part.replace(copy)
    for old in sorted(path.parent.glob(f"{escape(path.name)}.before-*"))[:-COPIES]:
        old.unlink()


def _upgrade(connection: Connection) -> None:
    if _versions(connection) == [newest_revision()]:
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
    """The revision that the migrations lead to."""
    return _revisions()[-1]


def _revisions() -> list[str]:
    """All there are migrations for, oldest first, by the numbers in their files' names: `v0018_…` is 0018."""
    names = (file.name for file in (files(__package__) / "migrations" / "versions").iterdir())
    return sorted(name[1:].partition("_")[0] for name in names if name.startswith("v"))


def _refuse_older(versions: list[str], url: URL) -> None:
    older = [each for each in versions if each.isdigit() and each < _revisions()[0]]
    if older:
        raise ConfigError(
            f"DATABASE_URL: {place(url)} is of revision {older[0]}, older than this version upgrades: "
            f"install email-assistant {LAST_WITH_OLDER}, start it once with this database, then install this version again"
        )


def _versions(connection: Connection) -> list[str]:
    if not inspect(connection).has_table(VERSION_TABLE):
        return []
    return list(connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalars())
