"""The boundaries of a process: everything it leaves on the disk, and the beginning and end of each node. It can die at any of them.

A process that is killed leaves what it had written. Between two writes it does not matter when it dies: the disk is the same. So a
kill after each write is a kill at every moment, and a boundary with no write since the last one needs no kill of its own. That this
holds of the journal's transactions, too, is tried out: each of their statements that changes something is a boundary.
"""

import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from sqlalchemy import Connection, Engine, event
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.adapters.ics_calendar import IcsCalendar
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.journal import database as journal
from email_assistant.journal.database import Database
from email_assistant.journal.engines import Work, joined
from email_assistant.workflows.inbox_organizer.notes import ObsidianVault

OUTSIDE: tuple[tuple[type[Any], tuple[str, ...]], ...] = (
    (MaildirMailbox, ("save_draft", "send_draft", "delete_draft", "mark_read", "change_labels")),
    (IcsCalendar, ("create", "put", "cancel", "answer")),
    (ObsidianVault, ("write",)),
)
"""What is changed beside the databases."""
NODE, STATE, TRACE, EFFECT, STATEMENT = "node", "state", "trace", "effect", "statement"
"""Kinds of boundaries: a node begins or ends, the server saves its state, the journal tells of a step, anything else is done, the journal's
writer is within a transaction."""
RESULT, CHECKPOINT, SERVER_SAVES = "AsyncSqliteSaver.aput_writes", "AsyncSqliteSaver.aput", "LocalServer.save"
_THE_SAME = {(RESULT, CHECKPOINT), (SERVER_SAVES, SERVER_SAVES)}
_CALLER = 3
"""Frames from `_caller` to who begins a transaction: the watch, and the context manager it is made into, are between them."""


@dataclass(frozen=True, slots=True)
class Point:
    """A boundary, by its number in its process from 1 on."""

    number: int
    kind: str
    name: str


@dataclass
class Points:
    """Counts them, and dies at one."""

    kill_at: int = 0
    """0: it lives."""
    passed: list[Point] = field(default_factory=list)

    def come_to(self, kind: str, name: str) -> None:
        """Here is one."""
        self.passed.append(Point(len(self.passed) + 1, kind, name))
        if len(self.passed) == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def write(self, path: Path) -> None:
        """A line each, for `read`."""
        lines = [f"{p.number}\t{p.kind}\t{p.name}\n" for p in self.passed]
        path.write_text("".join(lines), encoding="utf-8")

    def watch(self) -> None:
        """Come to a boundary after every write from now on, in the whole process."""
        for owner, names in OUTSIDE:
            for name in names:
                setattr(owner, name, self._after(getattr(owner, name), EFFECT))
        for name in ("aput", "aput_writes"):
            setattr(AsyncSqliteSaver, name, self._after(getattr(AsyncSqliteSaver, name), STATE))
        begin, in_one_write = Database.begin, Database.in_one_write

        @asynccontextmanager
        async def watched(database: Database) -> AsyncIterator[AsyncConnection]:
            caller = _caller()
            async with begin(database) as connection:
                yield connection
            if not joined(database):
                self.come_to(TRACE if caller.startswith("Trace.") else EFFECT, caller)

        async def written(database: Database, work: Work[Any]) -> Any:
            result = await in_one_write(database, work)
            if not joined(database):
                self.come_to(EFFECT, getattr(work, "func", work).__qualname__)
            return result

        Database.begin = watched  # type: ignore[method-assign,assignment]
        Database.in_one_write = written  # type: ignore[method-assign]
        # When a second is over differs from run to run; whatever is noted is written with the next transaction.
        journal.FLUSH_SECONDS = 3_600.0
        event.listen(Engine, "after_cursor_execute", self._executed)

    def _executed(self, connection: Connection, cursor: object, statement: str, *rest: object) -> None:
        is_change = not statement.startswith(("BEGIN", "PRAGMA", "SELECT"))
        if is_change and threading.current_thread().name.startswith(journal.WRITER):
            self.come_to(STATEMENT, " ".join(statement.split()[:3]))

    def _after(self, original: Callable[..., Awaitable[Any]], kind: str) -> Callable[..., Awaitable[Any]]:
        async def watched(*args: Any, **kwargs: Any) -> Any:
            result = await original(*args, **kwargs)
            self.come_to(kind, original.__qualname__)
            return result

        watched.__qualname__ = original.__qualname__
        return watched


def _caller() -> str:
    """Who begins the transaction, or who asked a private helper to."""
    name: str = sys._getframe(_CALLER).f_code.co_qualname
    return sys._getframe(_CALLER + 1).f_code.co_qualname if "._" in name else name


def read(path: Path) -> list[Point]:
    """What `Points.write` wrote."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [Point(int(number), kind, name) for number, kind, name in rows]


class NodeWatcher(AsyncCallbackHandler):
    """Tells of nodes, before the journal's observer hears of them."""

    run_inline = True

    def __init__(self, points: Points) -> None:
        self._points = points
        self._nodes: dict[UUID, str] = {}

    async def on_chain_start(
        self,
        serialized: dict[str, Any] | None,
        inputs: Any,
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A node's run begins, or something in it that is no node."""
        if kwargs.get("name") == (metadata or {}).get("langgraph_node"):
            self._nodes[run_id] = str(kwargs["name"])
            self._points.come_to(NODE, f"{kwargs['name']} begins")

    async def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """A node has come to its end."""
        if run_id in self._nodes:
            self._points.come_to(NODE, f"{self._nodes[run_id]} ends")


def different(points: list[Point], *, is_state_kept: bool) -> list[Point]:
    """Those at which a death makes a difference to the work that follows.

    The journal's record of steps is left out: no work goes by it. So is a checkpoint saved right after the result that
    it holds, for the next node is the same, and the second of two saves of threads and runs in a row. When the server's
    state is lost as well, what was only saved there makes no difference either.
    """
    written = [point for point in points if point.kind in {EFFECT, STATE}]
    if not is_state_kept:
        return [point for point in written if point.kind == EFFECT]
    return [
        point
        for before, point in zip([None, *written], written, strict=False)
        if before is None or (before.name, point.name) not in _THE_SAME
    ]
