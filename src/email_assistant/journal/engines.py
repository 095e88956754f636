"""Databases as people name them, and the engines by which they are reached: SQLite or PostgreSQL.

A transaction in one go: all its statements in another thread, which the event loop waits for once.

Through an asynchronous driver every statement, and every beginning and end, is a wait of its own. The code of a transaction is the same
either way: asynchronous, over `Database.begin` or `Database.read`. Here those give a connection on which nothing waits, so that the code
runs through from its first line to its last. It may await nothing else.
"""

import logging
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar, cast

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, CursorResult, Dialect, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool, NullPool, QueuePool

from email_assistant.errors import ConfigError, TransientError
from email_assistant.sqlite_files import is_damage

BUSY_SECONDS = 30
POOL_SIZE = 8
"""Connections kept open for an event loop; more are opened when they are needed, and closed after use."""
HINT = "write it like sqlite:///folder/file.db or postgresql://user@host/database"
SCHEMA = "email_assistant"
"""Ours in a PostgreSQL, which the server that runs the graphs may share: both have a table `runs`."""
MORE_CONNECTIONS = 8
"""Opened at most beside those that are kept; a PostgreSQL has 100 for everybody, unless it is told otherwise."""
WAIT_SECONDS = 30.0
"""For one that is free."""
_POSTGRES_SCHEMES = frozenset({"postgres", "postgresql"})
_ASYNCPG_SSL = {"true": "require", "True": "require", "false": "disable", "False": "disable"}
_ASYNCPG_ONLY = frozenset(
    {"prepared_statement_cache_size", "prepared_statement_name_func", "command_timeout"}
)


def normalise_url(url: str) -> str:
    """The URL with the driver in use: `sqlite+aiosqlite` or `postgresql+psycopg`; the password is kept.

    Raises `ConfigError` that names DATABASE_URL and never shows the password.
    """
    parsed = _parsed(url)
    backend = parsed.drivername.partition("+")[0]
    if backend in _POSTGRES_SCHEMES:
        return _postgres(parsed).render_as_string(hide_password=False)
    if backend == "sqlite":
        return _sqlite(parsed).render_as_string(hide_password=False)
    raise ConfigError(f"DATABASE_URL: {backend!r} is not supported; {HINT}")


def _parsed(url: str) -> URL:
    try:
        return make_url(url.strip())
    except (ArgumentError, ValueError):
        # The text of the cause would repeat the URL with its password.
        raise ConfigError(f"DATABASE_URL is not a database URL; {HINT}") from None


def _postgres(url: URL) -> URL:
    if not url.database:
        raise ConfigError(f"DATABASE_URL names no database; {HINT}")
    query = {k: v for k, v in url.query.items() if k not in _ASYNCPG_ONLY}
    ssl = query.pop("ssl", None)
    if isinstance(ssl, str):
        # libpq's name for what asyncpg calls ssl.
        query.setdefault("sslmode", _ASYNCPG_SSL.get(ssl, ssl))
    options = " ".join(_texts(query.get("options", ())))
    if "search_path" not in options:
        query["options"] = f"{options} -csearch_path={SCHEMA}".strip()
    return url.set(drivername="postgresql+psycopg", query=query)


def _texts(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _sqlite(url: URL) -> URL:
    if url.host or url.username or url.password:
        raise ConfigError(f"DATABASE_URL: a SQLite URL has three slashes before the path; {HINT}")
    path = url.database or ""
    if path in {"", ":memory:"} or path.startswith("file:"):
        raise ConfigError(f"DATABASE_URL: SQLite needs a file, the record must outlive the process; {HINT}")
    return url.set(drivername="sqlite+aiosqlite")


def is_sqlite(url: URL) -> bool:
    """Whether the database is a file."""
    return url.get_backend_name() == "sqlite"


def async_engine(url: URL, *, pooled: bool) -> AsyncEngine:
    """For an event loop; with `pooled` connections are kept for the next use."""
    if not is_sqlite(url):
        return create_async_engine(url, **_options(url, pooled=pooled))
    logging.getLogger("aiosqlite").setLevel(logging.INFO)  # Its debug lines show parameters, too.
    pool = AsyncAdaptedQueuePool if pooled else NullPool
    engine = create_async_engine(url, **_options(url, pooled=pooled), poolclass=pool)
    _prepare_sqlite(engine.sync_engine)
    return engine


def direct_engine(url: URL, *, pooled: bool) -> Engine:
    """The same for threads, whose statements block."""
    if not is_sqlite(url):
        return create_engine(url, **_options(url, pooled=pooled))
    pool = QueuePool if pooled else NullPool
    engine = create_engine(url.set(drivername="sqlite"), **_options(url, pooled=pooled), poolclass=pool)
    _prepare_sqlite(engine)
    return engine


def _options(url: URL, *, pooled: bool) -> dict[str, Any]:
    # Parameters hold mail, so errors and logs must not show them.
    options: dict[str, Any] = {"hide_parameters": True}
    if pooled:
        # A server may have dropped what was open; a file cannot.
        more = -1 if is_sqlite(url) else MORE_CONNECTIONS
        options |= {"pool_size": POOL_SIZE, "max_overflow": more, "pool_pre_ping": not is_sqlite(url)}
        options["pool_timeout"] = WAIT_SECONDS
    if is_sqlite(url):
        options["connect_args"] = {"timeout": BUSY_SECONDS}
    elif not pooled:
        options["poolclass"] = NullPool
    return options


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


def _prepare_sqlite(engine: Engine) -> None:
    transactions_by_hand(engine)
    event.listen(engine, "connect", _set_pragmas)


def _set_pragmas(dbapi_connection: DBAPIConnection, record: object) -> None:
    cursor = dbapi_connection.cursor()
    # In WAL mode NORMAL cannot corrupt; a power cut may undo the last transactions, a kill cannot.
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def damaged(url: URL, problem: object) -> ConfigError:
    """The error of a database that is not whole, with what to do."""
    path = Path(url.database or "")
    why = cause(problem, url) if isinstance(problem, BaseException) else problem
    return ConfigError(
        f"DATABASE_URL: {path} is damaged ({why}): stop the server, delete {path.name}-wal and -shm, and put your backup "
        "in its place; what was decided and learned since then is lost, mail is not"
    )


def place(url: URL) -> str:
    """Where the database is, for an error text: no user, no password."""
    return str(url.database) if is_sqlite(url) else f"{url.database} on {url.host or 'localhost'}"


def cause(error: BaseException, url: URL) -> str:
    """The driver's reason in one line, without the password."""
    reason = " ".join(str(getattr(error, "orig", None) or error).split())
    return reason.replace(url.password, "***") if url.password else reason


@contextmanager
def gone_is_transient(url: URL) -> Iterator[None]:
    """A database that is gone, full or locked is a `TransientError`; a damaged one a `ConfigError`."""
    try:
        yield
    except DBAPIError as error:
        if is_damage(error.orig):
            raise damaged(url, error) from error
        if not isinstance(error, OperationalError | InterfaceError) or is_bug(error):
            raise
        where, why = place(url), cause(error, url)
        raise TransientError(f"the database is not available: {where}: {why}") from error
    except PoolTimeout as error:
        raise TransientError(
            f"the database is not available: {place(url)}: all connections are in use"
        ) from error


def is_bug(error: DBAPIError) -> bool:
    """Whether SQLite, which has one class for all, complains about the statement and not about its file."""
    return getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR


if TYPE_CHECKING:  # It does the work that is declared here.
    from email_assistant.journal.database import Database

P = ParamSpec("P")
T = TypeVar("T")
Work: TypeAlias = Callable[[], Awaitable[T]]
"""Awaits its database and nothing else."""


class _HasDatabase(Protocol):
    @property
    def database(self) -> "Database": ...


S = TypeVar("S", bound=_HasDatabase)
_Method: TypeAlias = Callable[Concatenate[S, P], Coroutine[Any, Any, T]]


def one_write(method: _Method[S, P, T]) -> _Method[S, P, T]:
    """A method whose transaction is done in one go, or in the one that it is called in."""

    @wraps(method)
    async def in_one_go(self: S, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.database.in_one_write(partial(method, self, *args, **kwargs))

    return cast(_Method[S, P, T], in_one_go)


def one_read(method: _Method[S, P, T]) -> _Method[S, P, T]:
    """The same for a method that only reads."""

    @wraps(method)
    async def in_one_go(self: S, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.database.in_one_read(partial(method, self, *args, **kwargs))

    return cast(_Method[S, P, T], in_one_go)


class _Direct:
    """An `AsyncConnection`, as far as transactions in one go use it; its thread waits, and no event loop does."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @property
    def dialect(self) -> Dialect:
        """Which database it is."""
        return self._connection.dialect

    async def execute(
        self, statement: Any, parameters: Any = None, *, execution_options: Any = None
    ) -> CursorResult[Any]:
        """The statement's result."""
        return self._connection.execute(statement, parameters, execution_options=execution_options)


@dataclass(frozen=True, slots=True)
class Joined:
    """The transaction in which code runs."""

    database: object
    connection: AsyncConnection
    may_write: bool


_joined: ContextVar[Joined | None] = ContextVar("joined", default=None)


def joined(database: object) -> Joined | None:
    """The database's transaction that is being gone through in this thread."""
    found = _joined.get()
    return found if found is not None and found.database is database else None


def go_through(connection: Connection, database: object, work: Work[T], *, may_write: bool) -> T:
    """What `work` returns, in the connection's transaction; `RuntimeError` when it waits for something else."""
    token = _joined.set(Joined(database, cast(AsyncConnection, _Direct(connection)), may_write))
    steps = work().__await__()
    try:
        next(steps)
    except StopIteration as end:
        return cast(T, end.value)
    finally:
        _joined.reset(token)
    raise RuntimeError("a transaction in one go awaited something other than its database")
