"""Writes down every few seconds what the development server holds in memory beside the checkpoints: threads, runs, store.

It would do so itself, but stops (docs/measured.md): a table that is empty at that moment is never looked at again, and
one error, such as a full disk, ends it for good.
"""

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

import structlog

SECONDS = 10.0
TRIES = 5
DATABASE, STORE, FLUSHING = (
    f"langgraph_runtime_inmem.{name}" for name in ("database", "store", "_persistence")
)

log = structlog.get_logger(__name__)


class Table(Protocol):
    """One file's worth of it."""

    filename: str

    def sync(self) -> None:
        """Write it; raises `OSError`, or `RuntimeError` when it was changed meanwhile."""


def server_rows() -> Any:
    """The tables of the development server this process is; None in any other."""
    database = sys.modules.get(DATABASE)
    return database.GLOBAL_STORE if database else None


@asynccontextmanager
async def keeps_saving(seconds: float = SECONDS) -> AsyncIterator[None]:
    """Save until the block ends, in place of the server. What it holds must be loaded before."""
    if server_rows() is None:
        yield
        return
    await asyncio.to_thread(sys.modules[FLUSHING].stop_flush_loop)
    over = threading.Event()
    thread = threading.Thread(target=_save_until, args=(over, seconds), name="saving", daemon=True)
    thread.start()
    try:
        yield
    finally:
        # Before the server closes its tables: saved after that they would be empty.
        over.set()
        await asyncio.to_thread(thread.join)


def _save_until(over: threading.Event, seconds: float) -> None:
    while not over.wait(seconds):
        save(_tables())


def save(tables: Sequence[Table]) -> None:
    """Write each; one that cannot be written now is left as it is on disk until the next time."""
    for table in tables:
        for left in reversed(range(TRIES)):
            try:
                table.sync()
                break
            except RuntimeError:
                if not left:
                    log.warning("not_saved", file=table.filename, reason="it is changed all the time")
            except Exception as error:  # noqa: BLE001 - whatever it is, the other tables are saved, and this one next time
                reason = getattr(error, "strerror", None) or type(error).__name__
                log.warning("not_saved", file=table.filename, reason=reason)
                break


def _tables() -> list[Table]:
    """Counts of attempts before runs: a crash in between counts one too many."""
    database, store = sys.modules[DATABASE], sys.modules[STORE].STORE
    tables = [database.GLOBAL_RETRY_COUNTER._counters, database.GLOBAL_STORE, store._data, store._vectors]
    return [table for table in tables if hasattr(table, "sync")]
