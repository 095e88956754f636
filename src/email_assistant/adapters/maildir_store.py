"""The file in which the index keeps what it has read of the messages, so that no process reads them again. Blocking calls.

It holds nothing that the messages and the log of conversation names do not say: it may be deleted at any time, and one that
is damaged or of another version is thrown away. Processes share it; where it cannot be used, each has its own in memory.
"""

import contextlib
import os
import sqlite3
import weakref
from collections.abc import Iterator
from pathlib import Path

VERSION = 1
"""Of the tables below and of what is put into them: to be raised with every change of what is read of a message."""

WAIT_SECONDS = 2.0
"""How long another process may keep the file before this one goes on without it."""

_ATTEMPTS = 5
_NO_DAMAGE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}
"""The file is kept by others, or may not be used, or the disk is full."""
_TABLES = """
create table message (folder integer, id blob, inode integer, mtime integer, size integer, own text, searched blob,
    primary key (folder, id)) without rowid;
create index message_own on message (own);
create index message_order on message (folder, mtime, id, inode);
create table tie (key text primary key, name text not null, place integer) without rowid;
create index tie_name on tie (name);
create table log (inode integer, read_bytes integer);
insert into log values (0, 0);
"""


class Store:
    """The tables `message` (what the index knows of each file), `tie` (`Threads`) and `log`. Not safe for two threads at once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """`shared_store` and `private_store` give one."""
        self._connection = connection
        self.execute = connection.execute
        self.executemany = connection.executemany
        weakref.finalize(self, connection.close)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing, alone among those who write; one within another is a part of it."""
        if self._connection.in_transaction:
            yield
            return
        self.execute("begin immediate")
        try:
            yield
            self.execute("commit")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self.execute("rollback")
            raise


def shared_store(path: Path) -> Store:
    """The one in this file, with empty tables when there was none of this version. Raises `sqlite3.Error`."""
    for attempt in range(_ATTEMPTS):
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600))
        except OSError as error:
            raise sqlite3.OperationalError(f"{path}: {error.strerror}") from error
        connection = _connection(path.as_uri())
        try:
            if _prepared(connection):
                return Store(connection)
            raise sqlite3.DatabaseError(f"{path} is of another version")
        except sqlite3.Error as error:
            connection.close()
            if is_damage(error):
                throw_away(path)
            elif attempt == _ATTEMPTS - 1:  # two that begin at once may both be told to come again
                raise
    raise sqlite3.OperationalError(f"{path} is damaged again and again")


def private_store() -> Store:
    """One in memory."""
    memory = _connection(":memory:")
    _prepared(memory)
    return Store(memory)


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the error says that the file is none of SQLite's, broken, or another than it should be."""
    code = getattr(error, "sqlite_errorcode", None)
    return type(error) is sqlite3.DatabaseError if code is None else code & 0xFF not in _NO_DAMAGE


def throw_away(path: Path) -> None:
    """Delete the file with what belongs to it; processes that have it open keep theirs. Raises `sqlite3.OperationalError`."""
    try:
        for ending in ("", "-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
    except OSError as error:
        raise sqlite3.OperationalError(f"{path}: {error.strerror}") from error


def _connection(name: str) -> sqlite3.Connection:
    return sqlite3.connect(
        name, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False, uri=True
    )


def _prepared(connection: sqlite3.Connection) -> bool:
    """Make the tables where there are none; gives whether those that are there are of this version."""
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = normal")
    tables = connection.execute("select 1 from sqlite_master").fetchone()
    if not tables:
        connection.executescript(f"begin immediate; {_TABLES} pragma user_version = {VERSION}; commit;")
    return bool(connection.execute("pragma user_version").fetchone()[0] == VERSION)
