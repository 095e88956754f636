"""The connection to our own SQL database: SQLite or PostgreSQL, asynchronous, opened on first use."""

import asyncio
import logging
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import event
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool, NullPool

from email_assistant.errors import TransientError
from email_assistant.journal import migrate as migrations
from email_assistant.journal.urls import normalise_url

__all__ = ["Database", "normalise_url"]

BUSY_SECONDS = 30
POOL_SIZE = 8
"""Connections kept open for an event loop; more are opened when they are needed, and closed after use."""


class Database:
    """One database, safe to share between tasks, threads and event loops.

    Each use has a connection of its own. With `pooled` a connection is kept for the next use on the same event loop,
    which more than doubles what a server gets done; that is for processes whose loops live as long as they do.
    The tables are created or upgraded before the first use.
    """

    def __init__(self, url: str, *, pooled: bool = False) -> None:
        """Opens nothing. Raises `ConfigError` for a URL that cannot be used."""
        self.url = normalise_url(url)
        self.pooled = pooled
        self._parsed = make_url(self.url)
        self._guard = threading.Lock()
        self._is_migrated = False
        self._engines: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncEngine] = WeakKeyDictionary()
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"Database({self._parsed.render_as_string(hide_password=True)!r})"

    async def migrate(self) -> None:
        """Bring the tables up to date; raises `ConfigError` when the database cannot be opened."""
        await self._ready()

    async def close(self) -> None:
        """Close what this event loop keeps open; a later use opens again."""
        with self._guard:
            engine = self._engines.pop(asyncio.get_running_loop(), None)
        if engine is not None:
            await engine.dispose()

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """A connection in a transaction: committed at the end, rolled back when an exception leaves it.

        Raises `TransientError` when the database is gone, full or locked for longer than 30 s.
        """
        engine = await self._ready()
        with _gone_is_transient():
            async with self._turn(), engine.begin() as connection:
                yield connection

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection for reading only; it never waits for a writer on SQLite. Raises like `begin`."""
        engine = await self._ready()
        with _gone_is_transient():
            async with engine.execution_options(
                reading=True, postgresql_readonly=True
            ).connect() as connection:
                yield connection

    def _turn(self) -> AbstractAsyncContextManager[None]:
        """SQLite has one writer at a time; waiting in line is faster and fairer than its own trying again."""
        if self._parsed.get_backend_name() != "sqlite":
            return nullcontext()
        with self._guard:
            return self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())

    async def _ready(self) -> AsyncEngine:
        loop = asyncio.get_running_loop()
        engine = self._engines.get(loop)
        return await asyncio.to_thread(self._open, loop) if engine is None else engine

    def _open(self, loop: asyncio.AbstractEventLoop) -> AsyncEngine:
        with self._guard:
            if not self._is_migrated:
                migrations.migrate(self.url)
                self._is_migrated = True
            if loop not in self._engines:
                self._engines[loop] = self._create()
            return self._engines[loop]

    def _create(self) -> AsyncEngine:
        is_sqlite = self._parsed.get_backend_name() == "sqlite"
        # Parameters hold mail, so errors and logs must not show them.
        options: dict[str, Any] = {"hide_parameters": True}
        if self.pooled:
            # A server may have dropped what was open; a file cannot.
            options |= {"pool_size": POOL_SIZE, "max_overflow": -1, "pool_pre_ping": not is_sqlite}
        else:
            options["poolclass"] = NullPool
        if not is_sqlite:
            return create_async_engine(self.url, **options)
        logging.getLogger("aiosqlite").setLevel(logging.INFO)  # Its debug lines show parameters, too.
        if self.pooled:
            options["poolclass"] = AsyncAdaptedQueuePool
        engine = create_async_engine(self.url, connect_args={"timeout": BUSY_SECONDS}, **options)
        migrations.transactions_by_hand(engine.sync_engine)
        event.listen(engine.sync_engine, "connect", _set_pragmas)
        return engine


def _set_pragmas(dbapi_connection: DBAPIConnection, record: object) -> None:
    cursor = dbapi_connection.cursor()
    # In WAL mode NORMAL cannot corrupt; a power cut may undo the last transactions, a kill cannot.
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


@contextmanager
def _gone_is_transient() -> Iterator[None]:
    try:
        yield
    except (OperationalError, InterfaceError) as error:
        if _is_bug(error):
            raise
        raise TransientError(f"the database is not available: {' '.join(str(error.orig).split())}") from error


def _is_bug(error: DBAPIError) -> bool:
    """Whether SQLite, which has one class for all, complains about the statement and not about its file."""
    return getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR
