"""A transaction in one go: all its statements in another thread, which the event loop waits for once.

Through an asynchronous driver every statement, and every beginning and end, is a wait of its own. The code of a transaction is the same
either way: asynchronous, over `Database.begin` or `Database.read`. Here those give a connection on which nothing waits, so that the code
runs through from its first line to its last. It may await nothing else.
"""

from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar, cast

from sqlalchemy import Connection
from sqlalchemy.engine import CursorResult, Dialect
from sqlalchemy.ext.asyncio import AsyncConnection

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
