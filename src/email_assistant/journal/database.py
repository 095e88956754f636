"""The connection to our own SQL database: SQLite or PostgreSQL, opened on first use.

Code that is gone through often asks for its transactions in one go, in the journal's one writing thread (docs/decisions.md); the rest is
asynchronous.
"""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import TypeVar
from weakref import WeakKeyDictionary

import structlog
from sqlalchemy import Connection, Engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from email_assistant.errors import TransientError
from email_assistant.journal.engines import (
    Work,
    async_engine,
    direct_engine,
    go_through,
    gone_is_transient,
    is_bug,
    is_sqlite,
    joined,
    normalise_url,
)
from email_assistant.journal.schema import open_tables

WRITER = "journal-writer"
"""How the name of the writing thread begins."""
READERS = 4
"""Threads that read."""
FLUSH_SECONDS = 1.0
"""So long what was noted waits for something that has to be written at once."""
MAX_NOTED = 10_000
"""What was noted and cannot be written, as long as the database is gone; then the oldest is given up."""
T = TypeVar("T")

log = structlog.get_logger(__name__)


class _Threads:
    """Where transactions in one go are done, and what on."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.writer = ThreadPoolExecutor(1, WRITER)
        self.readers = ThreadPoolExecutor(READERS, "journal-reader")

    def end(self) -> None:
        """Wait for what is under way, and close."""
        self.writer.shutdown()
        self.readers.shutdown()
        self.engine.dispose()


class Database:
    """One database, safe to share between tasks, threads and event loops.

    Each use has a connection of its own. With `pooled` a connection is kept for the next use on the same event loop,
    which more than doubles what a server gets done; that is for processes whose loops live as long as they do.
    The tables are made before the first use.
    """

    def __init__(
        self,
        url: str,
        *,
        pooled: bool = False,
        claim: Callable[[Engine], None] | None = None,
        tables: Sequence[str] = (),
    ) -> None:
        """Opens nothing; the modules `tables` declare those of workflows, and `claim` is asked before the first use.

        Raises `ConfigError` for a URL that cannot be used.
        """
        self.url = normalise_url(url)
        self.pooled = pooled
        self._claim, self._tables = claim, tables
        self._parsed = make_url(self.url)
        self._guard = threading.Lock()
        self._has_tables = False
        self._engines: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncEngine] = WeakKeyDictionary()
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        self._threads: _Threads | None = None
        self._noted: deque[Work[object]] = deque(maxlen=MAX_NOTED)
        self._flushes: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.TimerHandle] = WeakKeyDictionary()
        self._flushing: set[asyncio.Task[None]] = set()

    def __repr__(self) -> str:
        return f"Database({self._parsed.render_as_string(hide_password=True)!r})"

    async def open(self) -> None:
        """Have the tables; raises `ConfigError` when the database cannot be opened or another version made it."""
        await self._ready()

    async def close(self) -> None:
        """Write what was noted, and close what this event loop keeps open; a later use opens again."""
        await self.flush()
        with self._guard:
            engine = self._engines.pop(asyncio.get_running_loop(), None)
            threads, self._threads = self._threads, None
        if engine is not None:
            await engine.dispose()
        if threads is not None:
            await asyncio.to_thread(threads.end)

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """A connection in a transaction: committed at the end, rolled back when an exception leaves it.

        Raises `TransientError` when the database is gone, full or locked for longer than 30 s.
        """
        if here := joined(self):
            if not here.may_write:
                raise RuntimeError("a transaction that only reads was asked to write")
            yield here.connection
            return
        engine = await self._ready()
        with gone_is_transient(self._parsed):
            async with self._turn(), engine.begin() as connection:
                yield connection

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection for reading only; it never waits for a writer on SQLite. Raises like `begin`."""
        if here := joined(self):
            yield here.connection
            return
        engine = await self._ready()
        with gone_is_transient(self._parsed):
            async with engine.execution_options(
                reading=True, postgresql_readonly=True
            ).connect() as connection:
                yield connection

    @asynccontextmanager
    async def session(self) -> AsyncIterator[AsyncConnection]:
        """A connection that commits each statement, and is closed at the end, so that what is the session's ends with it.

        Raises like `begin`.
        """
        engine = await self._ready()
        with gone_is_transient(self._parsed):
            async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
                try:
                    yield connection
                finally:
                    await connection.invalidate()

    async def in_one_write(self, work: Work[T]) -> T:
        """What `work` returns, in one transaction in the writing thread, together with all that was noted before.

        Within another one it joins that. `work` awaits nothing but this database. Raises what it raises, with nothing of it written, and
        like `begin`; what was noted is written all the same.
        """
        if joined(self):
            async with self.begin():
                return await work()
        async with self._turn():
            threads, loop = await self._started(), asyncio.get_running_loop()
            return await loop.run_in_executor(threads.writer, self._write, threads.engine, work)

    async def in_one_read(self, work: Work[T]) -> T:
        """The same for what only reads; it does not wait for the writer, and what was noted may not be there yet."""
        if joined(self):
            return await work()
        threads, loop = await self._started(), asyncio.get_running_loop()
        return await loop.run_in_executor(threads.readers, self._read, threads.engine, work)

    def note(self, work: Work[object]) -> None:
        """Have `work` done in the next transaction in one go, in the order of what was noted, within a second.

        For what may be lost when the process is killed before that: what was observed, and nothing that anything goes by.
        """
        self._noted.append(work)
        loop = asyncio.get_running_loop()
        if loop not in self._flushes:
            self._flushes[loop] = loop.call_later(FLUSH_SECONDS, self._flush_soon, loop)

    async def flush(self) -> None:
        """Write what was noted."""
        if self._noted:
            await self.in_one_write(_nothing)

    def _flush_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        del self._flushes[loop]
        task = loop.create_task(self._try_to_flush())
        self._flushing.add(task)
        task.add_done_callback(self._flushing.discard)

    async def _try_to_flush(self) -> None:
        try:
            await self.flush()
        except TransientError as error:
            log.warning("observations_wait", reason=str(error))  # For the next transaction that succeeds.

    def _write(self, engine: Engine, work: Work[T]) -> T:
        noted, is_noted = [self._noted.popleft() for _ in range(len(self._noted))], False
        with gone_is_transient(self._parsed), engine.connect() as connection:
            try:
                with connection.begin():
                    for each in noted:
                        go_through(connection, self, each, may_write=True)
                    is_noted = True
                    return go_through(connection, self, work, may_write=True)
            except Exception as error:
                if isinstance(error, OperationalError | InterfaceError) and not is_bug(error):
                    self._noted.extendleft(reversed(noted))
                    raise
                self._write_each(connection, noted)
                if is_noted:
                    raise
            # Something that was noted could not be written, which is no fault of the work's.
            with connection.begin():
                return go_through(connection, self, work, may_write=True)

    def _write_each(self, connection: Connection, noted: list[Work[object]]) -> None:
        """In a transaction each, so that none takes another one with it."""
        for each in noted:
            try:
                with connection.begin():
                    go_through(connection, self, each, may_write=True)
            except Exception as error:  # noqa: BLE001 - an observation that cannot be written harms nothing else
                log.warning("observation_lost", reason=type(error).__name__)

    def _read(self, engine: Engine, work: Work[T]) -> T:
        options = engine.execution_options(reading=True, postgresql_readonly=True)
        with gone_is_transient(self._parsed), options.connect() as connection:
            return go_through(connection, self, work, may_write=False)

    def _turn(self) -> AbstractAsyncContextManager[None]:
        """SQLite has one writer at a time; waiting in line is faster and fairer than its own trying again."""
        if not is_sqlite(self._parsed):
            return nullcontext()
        with self._guard:
            return self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())

    async def _ready(self) -> AsyncEngine:
        loop = asyncio.get_running_loop()
        engine = self._engines.get(loop)
        return await asyncio.to_thread(self._open, loop) if engine is None else engine

    async def _started(self) -> "_Threads":
        threads = self._threads
        return await asyncio.to_thread(self._start) if threads is None else threads

    def _open(self, loop: asyncio.AbstractEventLoop) -> AsyncEngine:
        with self._guard:
            self._have_tables()
            if loop not in self._engines:
                self._engines[loop] = async_engine(self._parsed, pooled=self.pooled)
            return self._engines[loop]

    def open_now(self) -> None:
        """Have everything ready; blocks. Raises like `open`."""
        with self._guard:
            self._have_tables()

    def _start(self) -> "_Threads":
        with self._guard:
            self._have_tables()
            threads = self._threads or _Threads(direct_engine(self._parsed, pooled=self.pooled))
            self._threads = threads
            return threads

    def _have_tables(self) -> None:
        if not self._has_tables:
            open_tables(self.url, self._tables)
            if self._claim:
                engine = direct_engine(self._parsed, pooled=self.pooled)
                try:
                    with gone_is_transient(self._parsed):
                        self._claim(engine)
                finally:
                    engine.dispose()
            self._has_tables = True


async def _nothing() -> None:
    """Only what was noted is written."""
