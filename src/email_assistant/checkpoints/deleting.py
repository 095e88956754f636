"""Has the development server delete one thread at a time, and of one that is over all that it keeps.

It finds a thread's place in its list, waits for the checkpoints to be deleted, and then removes whatever is at that place
(docs/measured.md): of two deletions at one moment one takes another thread's row, card and all.
"""

import asyncio
import sys
import threading
from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

STREAMS, OPERATIONS = "langgraph_runtime_inmem.inmem_stream", "langgraph_runtime_inmem.ops"
KEPT_BY_THREAD = ("queues", "control_keys", "control_queues", "thread_streams", "message_stores")
"""What its stream manager keeps of the runs of a thread, and of a deleted one for good."""
KEPT_BY_RUN = ("_counters", "_locks")
"""What its counter of attempts keeps."""
TURN_SECONDS = 0.002


def one_at_a_time(only_idle: Collection[str]) -> None:
    """From now on; of `only_idle`, which may change, those are refused (409) that have begun to work or wait meanwhile."""
    operations = sys.modules[OPERATIONS]
    original, turn = operations.Threads.delete, threading.Lock()

    async def delete(conn: Any, thread_id: Any, ctx: Any = None) -> Any:
        while not turn.acquire(blocking=False):  # noqa: ASYNC110 - deletions come from several event loops
            await asyncio.sleep(TURN_SECONDS)
        try:
            runs = [run["run_id"] for run in conn.store["runs"] if str(run["thread_id"]) == str(thread_id)]
            is_over = str(thread_id) in only_idle
            if is_over and _is_busy(conn.store, str(thread_id)):
                raise operations.HTTPException(status_code=409, detail="the thread is at work again")
            deleted = await original(conn, thread_id, ctx)
        finally:
            turn.release()
        # Not of a thread that a run without one has had: who waits for that run is told only now what came of it.
        if is_over:
            _forget(UUID(str(thread_id)), runs, conn.retry_counter)
        return deleted

    operations.Threads.delete = staticmethod(delete)


def _is_busy(rows: Any, thread_id: str) -> bool:
    return any(row["status"] != "idle" for row in rows["threads"] if str(row["thread_id"]) == thread_id)


def _forget(thread_id: UUID, runs: Iterable[UUID], attempts: Any) -> None:
    streams = sys.modules[STREAMS].get_stream_manager()
    for name in KEPT_BY_THREAD:
        getattr(streams, name, {}).pop(thread_id, None)
    for run_id in runs:
        for name in KEPT_BY_RUN:
            getattr(attempts, name, {}).pop(run_id, None)
