"""Checkpoints in the PostgreSQL of DATABASE_URL; imported where there is one."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from email_assistant.checkpoints.savers import (
    INTERRUPT,
    JOINED,
    LATEST,
    NESTED,
    RESUME,
    AskedThreads,
    standing,
)

CONNECTIONS = 4
"""Of an event loop."""
LOCK = 6_480_915_237
"""Whoever makes the tables holds it."""
LOOK_SECONDS = 0.2


class PostgresSaver(AsyncPostgresSaver):
    """Checkpoints in PostgreSQL."""

    async def adelete_for_runs(self, run_ids: Iterable[str]) -> None:
        """Delete the checkpoints that these runs have written."""
        runs = [str(run_id) for run_id in run_ids]
        key = "(thread_id, checkpoint_ns, checkpoint_id)"
        of_runs = "metadata->>'run_id' = ANY(%s)"
        async with self._cursor() as cursor, cursor.connection.transaction():
            inner = f"SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints WHERE {of_runs}"
            await cursor.execute(f"DELETE FROM checkpoint_writes WHERE {key} IN ({inner})", (runs,))
            await cursor.execute(f"DELETE FROM checkpoints WHERE {of_runs}", (runs,))

    async def standing(self) -> AskedThreads:
        """See `Saver`."""
        columns = "thread_id, checkpoint_ns, task_id, channel, type, blob"
        writes = f"SELECT {columns} FROM checkpoint_writes JOIN {LATEST} {JOINED} AND channel = ANY(%s)"
        async with self._cursor() as cursor:
            await cursor.execute(writes, ([INTERRUPT, RESUME],))
            rows = [tuple(row.values()) for row in await cursor.fetchall()]
            await cursor.execute(NESTED)
            nested = [(row["thread_id"], row["checkpoint_ns"]) for row in await cursor.fetchall()]
        return standing(rows, nested, self.serde)


async def _locked(connection: AsyncConnection[Any]) -> bool:
    row = await (await connection.execute("SELECT pg_try_advisory_lock(%s) AS is_ours", (LOCK,))).fetchone()
    return bool(row and row["is_ours"])


@asynccontextmanager
async def postgres_saver(url: str) -> AsyncIterator[PostgresSaver]:
    """The saver of a database, given as libpq takes it, for the event loop that opens it."""
    options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
        url,
        kwargs=options,
        min_size=1,
        max_size=CONNECTIONS,
        open=False,
        check=AsyncConnectionPool.check_connection,
    )
    async with pool:
        saver = PostgresSaver(pool)
        # Workers start together, and its tables are made without regard to that.
        # Asked again and again: whoever waits for the lock in a statement holds up an index that is made meanwhile, for ever.
        async with pool.connection() as connection:
            while not await _locked(connection):  # noqa: ASYNC110 - the event is in another process
                await asyncio.sleep(LOOK_SECONDS)
            try:
                await saver.setup()
            finally:
                await connection.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))
        yield saver
