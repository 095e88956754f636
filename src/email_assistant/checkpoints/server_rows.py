"""Agreement of the development server's rows with the checkpoints, before it answers anybody.

Its threads and runs are written down every ten seconds, and after a crash they are behind the checkpoints, which are on disk at once. A
list of cards is made from those rows: it would show a card that was answered, and take an answer to it for the card that has come since.
"""

import uuid
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

import structlog

from email_assistant.checkpoints.savers import Saver, Waiting
from email_assistant.clock import Clock

Row = MutableMapping[str, Any]
Rows = Mapping[str, list[Any]]
"""The server's tables by name; `threads` and `runs` are looked at."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Agreement:
    """What the rows are compared with."""

    saver: Saver
    ended: Callable[[Collection[str]], Awaitable[Collection[str]]]
    """Which of these runs came to their end, or to a card."""
    clock: Clock

    async def reach(self, rows: Rows) -> Mapping[str, str]:
        """Mend the rows; the threads, with their graphs, that were cut off at work on an answer and shall go on.

        To be called while no run is worked on.
        """
        await self._close_ended(rows["runs"])
        standing = await self.saver.standing()
        waiting = standing.waiting
        under_way = {str(run["thread_id"]) for run in rows["runs"] if run["status"] in {"pending", "running"}}
        known = {str(row["thread_id"]) for row in rows["threads"]}
        made = [await self._made(thread_id) for thread_id in (waiting.keys() | standing.stopped) - known]
        rows["threads"].extend(row for row in made if row is not None)
        mended = [await self._mend(row, waiting, under_way) for row in rows["threads"]]
        stopped = {
            str(row["thread_id"]): str(row["metadata"].get("graph_id", ""))
            for row in rows["threads"]
            if str(row["thread_id"]) in standing.stopped - under_way and row["status"] == "idle"
        }
        if any(mended):
            log.info("thread_rows_mended", number=sum(mended), stopped=len(stopped))
        return stopped

    async def _close_ended(self, runs: list[Any]) -> None:
        """A run that is over must not be done again because the server has forgotten its end."""
        again = {str(run["run_id"]): run for run in runs if run["status"] in {"pending", "running"}}
        for run_id in await self.ended(again) if again else ():
            again[run_id]["status"] = "success"

    async def _mend(self, row: Row, waiting: Waiting, under_way: Collection[str]) -> int:
        thread_id = str(row["thread_id"])
        tasks = waiting.get(thread_id, {})
        wanted = {i.id for asked in tasks.values() for i in asked}
        shown = {i["id"] for asked in (row.get("interrupts") or {}).values() for i in asked}
        busy = thread_id in under_way
        status = "busy" if busy else "interrupted" if wanted else "idle"
        if row["status"] == "error" and not busy:
            status = "error"  # Recovery takes it from there.
        if shown == wanted and row["status"] == status:
            return 0
        checkpoint = await self._checkpoint(thread_id)
        if checkpoint is not None:
            row["values"] = _values(checkpoint)
        row["interrupts"] = {
            task: [{"id": i.id, "value": i.value} for i in asked] for task, asked in tasks.items()
        }
        row["status"] = status
        row["updated_at"] = row["state_updated_at"] = self.clock.now()
        return 1

    async def _made(self, thread_id: str) -> Row | None:
        """A row for a thread that the server has forgotten altogether."""
        checkpoint = await self._checkpoint(thread_id)
        graph = (checkpoint.metadata or {}).get("graph_id") if checkpoint else None
        if checkpoint is None or not graph:
            return None
        values = _values(checkpoint)
        email = values.get("email_input")
        metadata = {"graph_id": graph}
        if isinstance(email, Mapping) and email.get("id"):
            metadata["email_id"] = email["id"]
        now = self.clock.now()
        return {
            "thread_id": uuid.UUID(thread_id), "created_at": now, "updated_at": now, "state_updated_at": now,
            "metadata": metadata, "status": "idle", "config": {}, "values": values,
        }  # fmt: skip

    async def _checkpoint(self, thread_id: str) -> Any:
        return await self.saver.aget_tuple({"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}})


def _values(checkpoint: Any) -> dict[str, Any]:
    """The state as the server lists it, without LangGraph's own channels."""
    channels = checkpoint.checkpoint["channel_values"]
    return {name: value for name, value in channels.items() if not name.startswith(("__", "branch:"))}
