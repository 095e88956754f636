"""Where the server keeps its graphs' states: in SQLite in the data folder, or in the PostgreSQL of DATABASE_URL.

To the savers of LangGraph's makers this adds what the server asks of one (rolling a run back, forgetting the past of a
thread), and which threads wait for an answer.
"""

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import aiosqlite
import structlog
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Interrupt
from sqlalchemy.engine import make_url

from email_assistant.clock import SystemClock
from email_assistant.errors import AccessError
from email_assistant.sqlite_files import damage, is_damage

if TYPE_CHECKING:  # Slow to import, for whoever keeps nothing there.
    from email_assistant.checkpoints.postgres import PostgresSaver

ServerSaver: TypeAlias = "SqliteSaver | PostgresSaver"

FILE = "checkpoints.db"
ASIDE = "checkpoints.damaged-"
BUSY_SECONDS = 30.0

INTERRUPT, RESUME = "__interrupt__", "__resume__"
"""LangGraph's names for what a task asked, and for an answer that no later checkpoint has taken in."""

Waiting = Mapping[str, Mapping[str, Sequence[Interrupt]]]
"""Thread → task → what it asks."""
LATEST = "(SELECT thread_id, checkpoint_ns, MAX(checkpoint_id) AS checkpoint_id FROM checkpoints GROUP BY thread_id, checkpoint_ns) AS l"
JOINED = "USING (thread_id, checkpoint_ns, checkpoint_id) WHERE TRUE"
NESTED = "SELECT DISTINCT thread_id, checkpoint_ns FROM checkpoints WHERE checkpoint_ns != ''"


log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class AskedThreads:
    """The threads that have asked, by their latest checkpoints."""

    waiting: Waiting
    stopped: frozenset[str]
    """Those that have been answered since, and were cut off before anything came of it that ends or asks."""


class Saver(Protocol):
    """What is asked of one beyond LangGraph's own interface."""

    async def standing(self) -> AskedThreads:
        """Which threads wait for an answer, and which have got one."""

    async def aget_tuple(self, config: RunnableConfig) -> Any:
        """The latest checkpoint of a thread."""


def standing(
    rows: Iterable[tuple[Any, ...]], nested: Iterable[tuple[str, str]], serde: SerializerProtocol
) -> AskedThreads:
    """From what was asked and answered at the latest checkpoint of each graph, and the graphs within graphs there are.

    While a graph within a graph works, the outer one stands still: what that asked is out of date as soon as the
    inner one asks it no longer.
    """
    asked: defaultdict[str, dict[str, Sequence[Interrupt]]] = defaultdict(dict)
    inner = {key: set[str]() for key in nested}
    answered = set()
    for thread_id, namespace, task_id, channel, kind, value in rows:
        if channel == RESUME:
            answered.add(thread_id)
            continue
        interrupts: Sequence[Interrupt] = tuple(serde.loads_typed((kind, value)))
        if namespace:
            inner[thread_id, namespace] |= {i.id for i in interrupts}
        else:
            asked[thread_id][task_id] = interrupts
    for (thread_id, namespace), ids in inner.items():
        for task_id, interrupts in asked[thread_id].items() if thread_id in asked else ():
            if task_id in namespace and not ids.issuperset(i.id for i in interrupts):
                answered.add(thread_id)
    waiting = {thread_id: tasks for thread_id, tasks in asked.items() if thread_id not in answered}
    return AskedThreads(waiting, frozenset(answered))


class SqliteSaver(AsyncSqliteSaver):
    """Checkpoints in a SQLite file; one that cannot be written leaves nothing half done behind it."""

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Write a checkpoint; raises `sqlite3.OperationalError` when the disk is full."""
        async with self._whole():
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Write what a task has done so far; raises like `aput`."""
        async with self._whole():
            await super().aput_writes(config, writes, task_id, task_path)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint; raises `AccessError` when the file is damaged."""
        async with self._whole():
            return await super().aget_tuple(config)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete everything of a thread."""
        await self.setup()
        async with self._whole():
            await super().adelete_thread(thread_id)

    async def adelete_for_runs(self, run_ids: Iterable[str]) -> None:
        """Delete the checkpoints that these runs have written."""
        runs = [(str(run_id),) for run_id in run_ids]
        await self.setup()
        of_run = "json_extract(CAST(metadata AS TEXT), '$.run_id') = ?"
        key = "(thread_id, checkpoint_ns, checkpoint_id)"
        async with self._whole(), self.lock:
            inner = f"SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints WHERE {of_run}"
            await self.conn.executemany(f"DELETE FROM writes WHERE {key} IN ({inner})", runs)
            await self.conn.executemany(f"DELETE FROM checkpoints WHERE {of_run}", runs)
            await self.conn.commit()

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete the past of threads, or ("delete", "delete_all") everything of them."""
        if strategy != "keep_latest":
            for thread_id in thread_ids:
                await self.adelete_thread(thread_id)
            return
        await self.setup()
        last = "(SELECT MAX(checkpoint_id) FROM checkpoints c WHERE c.thread_id = t.thread_id AND c.checkpoint_ns = t.checkpoint_ns)"
        threads = [(str(thread_id),) for thread_id in thread_ids]
        async with self._whole(), self.lock:
            for table in ("writes", "checkpoints"):
                older = f"DELETE FROM {table} AS t WHERE t.thread_id = ? AND t.checkpoint_id < {last}"
                await self.conn.executemany(older, threads)
            await self.conn.commit()

    async def standing(self) -> AskedThreads:
        """See `Saver`."""
        await self.setup()
        columns = "thread_id, checkpoint_ns, task_id, channel, type, value"
        writes = f"SELECT {columns} FROM writes JOIN {LATEST} {JOINED} AND channel IN (?, ?)"
        async with self.lock:
            async with self.conn.execute(writes, (INTERRUPT, RESUME)) as cursor:
                rows = [tuple(row) for row in await cursor.fetchall()]
            async with self.conn.execute(NESTED) as cursor:
                nested = [(str(row[0]), str(row[1])) for row in await cursor.fetchall()]
        return standing(rows, nested, self.serde)

    @asynccontextmanager
    async def _whole(self) -> AsyncIterator[None]:
        """Takes back what was begun when it fails: an open transaction would keep every other writer out."""
        try:
            yield
        except sqlite3.Error as error:
            async with self.lock:
                await self.conn.rollback()
            if is_damage(error):
                raise AccessError(
                    f"{FILE} is damaged ({error}): start the server anew, which sets it aside"
                ) from error
            raise


def open_saver(database_url: str, folder: Path) -> AbstractAsyncContextManager[ServerSaver]:
    """The saver of a server: in its database where that is PostgreSQL, else in its data folder."""
    url = make_url(database_url)
    if url.get_backend_name() == "postgresql":
        from email_assistant.checkpoints.postgres import postgres_saver

        return postgres_saver(url.set(drivername="postgresql").render_as_string(hide_password=False))
    return sqlite_saver(folder)


def set_aside(folder: Path) -> None:
    """Move a damaged file out of the way; blocks. The server begins with an empty one, and recovery makes its cards anew."""
    file = folder / FILE
    if not (problem := damage(file)):
        return
    away = folder / f"{ASIDE}{SystemClock().now():%Y%m%dT%H%M%S%f}.db"
    for ending in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            Path(f"{file}{ending}").rename(f"{away}{ending}")
    log.warning("checkpoints_set_aside", file=str(file), reason=problem, now_at=str(away))


def aside_notice(folder: Path) -> str:
    """A line on the file that was set aside last; "" when none lies there."""
    found = sorted(folder.glob(f"{ASIDE}*.db"))
    return (
        f"{folder / FILE} was damaged and is {found[-1].name} beside it now. Its cards are made anew from journal and mailbox; "
        f"delete {found[-1].name} when all are there."
        if found
        else ""
    )


@asynccontextmanager
async def sqlite_saver(folder: Path) -> AsyncIterator[SqliteSaver]:
    """The saver of the data folder, for the event loop that opens it."""
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    async with aiosqlite.connect(folder / FILE, timeout=BUSY_SECONDS) as connection:
        # Every commit is in the log before it counts, which a kill does not undo; only a machine that loses its
        # power may forget the last ones.
        await connection.execute("PRAGMA journal_mode = WAL")
        await connection.execute("PRAGMA synchronous = NORMAL")
        saver = SqliteSaver(connection)
        await saver.setup()
        yield saver
