"""A server of graphs in one process, for recovery and ingestion: threads, runs, and its state in a folder.

It does as the development server does: a run that was going when it died is executed again, answer included. What the real
server does is tested in tests/soak.
"""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackHandler
from langgraph.types import Command
from langgraph_sdk.client import LangGraphClient

INTERRUPTED, IDLE, ERROR, BUSY = "interrupted", "idle", "error", "busy"


@dataclass
class LocalServer:
    """Both `client.threads` and `client.runs`, as far as ingestion and recovery use them."""

    folder: Path
    graph: Any
    callbacks: list[AsyncCallbackHandler] = field(default_factory=list)
    on_save: Callable[[], None] = lambda: None
    """Told when threads and runs were saved."""
    errors: list[str] = field(default_factory=list)
    """What runs failed with."""

    def __post_init__(self) -> None:
        self._path = self.folder / "server.json"
        known = json.loads(self._path.read_text(encoding="utf-8")) if self._path.exists() else {}
        self._threads: dict[str, dict[str, Any]] = known.get("threads", {})
        self._going: list[dict[str, Any]] = known.get("runs", [])

    @property
    def client(self) -> LangGraphClient:
        """What takes the place of a client."""
        return cast(LangGraphClient, _Client(_Threads(self), _Runs(self)))

    def waiting(self) -> list[str]:
        """Threads with a card."""
        return [thread_id for thread_id, each in self._threads.items() if each["status"] == INTERRUPTED]

    async def card(self, thread_id: str) -> dict[str, Any]:
        """The card that waits there."""
        state = await self.graph.aget_state({"configurable": {"thread_id": thread_id}})
        return dict(state.interrupts[0].value[0])

    async def work(self) -> None:
        """Execute every run that is there, one after another."""
        while self._going:
            await self._execute(self._going[0])

    def thread(self, thread_id: str, graph: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """The thread, made when there is none."""
        fresh = {"thread_id": thread_id, "status": IDLE, "metadata": dict(metadata) | {"graph_id": graph}}
        return self._threads.setdefault(thread_id, fresh)

    def add_run(self, thread_id: str, values: Any, resume: Any = None) -> dict[str, Any]:
        """Take a run; `resume` is the answer to a card."""
        run = {"run_id": str(uuid.uuid4()), "thread_id": thread_id, "input": values, "resume": resume}
        self._going.append(run)
        self._threads[thread_id]["status"] = BUSY
        self._save()
        return run

    def _save(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        unfinished = self._path.with_suffix(".tmp")
        unfinished.write_text(json.dumps({"threads": self._threads, "runs": self._going}), encoding="utf-8")
        unfinished.replace(self._path)
        self.on_save()

    async def _execute(self, run: dict[str, Any]) -> None:
        thread_id = run["thread_id"]
        config = {
            "configurable": {"thread_id": thread_id, "run_id": run["run_id"]},
            "metadata": {"run_id": run["run_id"]},
            "callbacks": self.callbacks,
        }
        work = Command(resume=run["resume"]) if run["resume"] is not None else run["input"]
        status = IDLE
        try:
            await self.graph.ainvoke(work, config, durability="sync")
        except Exception as error:  # noqa: BLE001 - as a server does: the thread is told to have failed
            self.errors.append(f"{type(error).__name__}: {error}")
            status = ERROR
        else:
            state = await self.graph.aget_state({"configurable": {"thread_id": thread_id}})
            status = INTERRUPTED if state.interrupts else IDLE
            shown = {one.id: [{"id": one.id, "value": one.value}] for one in state.interrupts}
            self._threads[thread_id] |= {"interrupts": shown, "state_updated_at": run["run_id"]}
        self._threads[thread_id]["status"] = status
        self._going.remove(run)
        self._save()


@dataclass(frozen=True)
class _Client:
    threads: "_Threads"
    runs: "_Runs"


@dataclass(frozen=True)
class _Threads:
    server: LocalServer

    async def search(
        self, *, ids: list[str], limit: int, select: list[str] | None = None
    ) -> list[dict[str, Any]]:
        """Ingestion, which selects fields, looks which runs are over: nobody else in this process works on them meanwhile."""
        if select:
            await self.server.work()
        known = self.server._threads
        return [known[each] for each in ids[:limit] if each in known]

    async def create(self, *, thread_id: str, if_exists: str, graph_id: str, metadata: Any) -> dict[str, Any]:
        thread = self.server.thread(thread_id, graph_id, metadata)
        self.server._save()
        return thread

    async def update(self, thread_id: str, *, metadata: Any) -> None:
        self.server._threads[thread_id]["metadata"] |= metadata
        self.server._save()

    async def get_state(self, thread_id: str) -> dict[str, Any]:
        state = await self.server.graph.aget_state({"configurable": {"thread_id": thread_id}})
        return {
            "values": dict(state.values),
            "next": list(state.next),
            "metadata": dict(state.metadata or {}),
            "interrupts": [{"id": each.id} for each in state.interrupts],
        }

    async def update_state(self, thread_id: str, values: Any, *, as_node: str) -> None:
        config = {"configurable": {"thread_id": thread_id}}
        await self.server.graph.aupdate_state(config, values, as_node=as_node)


@dataclass(frozen=True)
class _Runs:
    server: LocalServer

    async def create(
        self, thread_id: str, graph: str, *, input: Any, metadata: Any = None, **options: Any
    ) -> dict[str, Any]:
        if options.get("if_not_exists") == "create":
            self.server.thread(thread_id, graph, metadata or {})
        return self.server.add_run(thread_id, input)

    async def list(self, thread_id: str, *, limit: int) -> list[dict[str, Any]]:
        """None that somebody has cancelled: a run that a crash cut off is still among those going."""
        return []
