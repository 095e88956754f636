"""Counts what a piece of work costs the journal and the states, so that no quiet machine is needed to see that it became dearer."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from aiosqlite import Connection as ThreadedConnection
from langgraph.checkpoint.memory import InMemorySaver
from sqlalchemy import Connection, Engine, event


@dataclass
class Cost:
    """How often each thing was done."""

    writes: int = 0
    """Transactions that may write."""
    reads: int = 0
    """Transactions that only read."""
    statements: int = 0
    """Their beginnings and ends are none."""
    hops: int = 0
    """Times that the event loop waits for another thread on the journal's account."""
    threads: int = 0
    """Times that it waits for one on any other: the mailbox's files, the offline rules."""
    checkpoints: int = 0

    def within(self, **most: int) -> dict[str, str]:
        """What is above its bound, in words, and what was not counted at all."""
        found = {name: getattr(self, name) for name in most}
        return {
            name: f"{count} of {most[name]}" for name, count in found.items() if not 0 < count <= most[name]
        }

    def _begun(self, connection: Connection) -> None:
        if connection.get_execution_options().get("reading", False):
            self.reads += 1
        else:
            self.writes += 1

    def _executed(self, connection: Connection, cursor: object, statement: str, *rest: object) -> None:
        self.statements += not statement.startswith(("BEGIN", "PRAGMA"))


@contextmanager
def counting() -> Iterator[Cost]:
    """The cost of what happens within, in the whole process."""
    cost = Cost()
    submit, execute, put = ThreadPoolExecutor.submit, ThreadedConnection._execute, InMemorySaver.aput

    def submitted(pool: ThreadPoolExecutor, *args: Any, **kwargs: Any) -> Any:
        if pool._thread_name_prefix.startswith("journal"):
            cost.hops += 1
        else:
            cost.threads += 1
        return submit(pool, *args, **kwargs)

    async def executed(connection: ThreadedConnection, *args: Any, **kwargs: Any) -> Any:
        cost.hops += 1
        return await execute(connection, *args, **kwargs)

    async def saved(saver: InMemorySaver, *args: Any, **kwargs: Any) -> Any:
        cost.checkpoints += 1
        return await put(saver, *args, **kwargs)

    heard = [("begin", cost._begun), ("before_cursor_execute", cost._executed)]
    with ExitStack() as stack:
        stack.enter_context(patch.object(ThreadPoolExecutor, "submit", submitted))
        stack.enter_context(patch.object(ThreadedConnection, "_execute", executed))
        stack.enter_context(patch.object(InMemorySaver, "aput", saved))
        for name, listener in heard:
            event.listen(Engine, name, listener)
        try:
            yield cost
        finally:
            for name, listener in heard:
                event.remove(Engine, name, listener)
