"""A LangGraph deployment of one compiled graph, in this process: threads and runs over HTTP, as ingestion and recovery ask for them.

Its rows are made from the states after each request, as the real server's are; a test may change either behind the other's
back. The real server is what tests/e2e and tests/soak are about.
"""

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import httpx
from langgraph_sdk.client import LangGraphClient


@dataclass
class GraphServer:
    """The graph with its checkpointer, and the rows of its threads."""

    graph: Any
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    runs: list[dict[str, Any]] = field(default_factory=list)
    crons: list[dict[str, Any]] = field(default_factory=list)

    @property
    def client(self) -> LangGraphClient:
        """A client whose requests come here."""
        transport = httpx.MockTransport(self._handle)
        return LangGraphClient(httpx.AsyncClient(transport=transport, base_url="http://graph.test"))

    async def show(self, thread_id: str) -> None:
        """Make the thread's row from its state."""
        state = await self.state(thread_id)
        row = self._made(thread_id)
        row["status"] = "interrupted" if state["next"] else "idle"
        row["interrupts"] = {"task": state["interrupts"]} if state["interrupts"] else {}
        row["values"] = state["values"]
        row["updated_at"] = row["state_updated_at"] = datetime.now(UTC).isoformat()

    async def state(self, thread_id: str) -> dict[str, Any]:
        """The thread's state, as the server gives it."""
        return _told(await self.graph.aget_state(_config(thread_id), subgraphs=True))

    async def _handle(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content or b"null")
        answer = await self._answer(request.method, request.url.path, body)
        return httpx.Response(404) if answer is None else httpx.Response(200, json=answer)

    async def _answer(self, method: str, path: str, body: Any) -> Any:
        if path == "/threads/search":
            return self._found(body)
        if path == "/threads":
            return self._made(body["thread_id"])
        if path == "/threads/prune":
            return {"pruned_count": sum([await self._delete(i) for i in body["thread_ids"]])}
        if path == "/runs/crons/search":
            return self.crons
        match = re.fullmatch(r"/threads/([^/]+)(/.*)?", path)
        if match and match[2] == "/runs" and method == "POST" and body.get("if_not_exists") == "create":
            self._made(match[1])
        if match is None or match[1] not in self.rows:
            return None
        return await self._on_thread(match[1], method, match[2] or "", body)

    def _made(self, thread_id: str) -> dict[str, Any]:
        """The thread's row, made when there is none."""
        now = datetime.now(UTC).isoformat()
        fresh = {
            "thread_id": thread_id,
            "metadata": {},
            "status": "idle",
            "interrupts": {},
            "created_at": now,
            "updated_at": now,
        }
        return self.rows.setdefault(thread_id, fresh)

    def _found(self, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
        ids, status = asked.get("ids") or self.rows, asked.get("status")
        rows = [self.rows[i] for i in ids if i in self.rows and status in (None, self.rows[i]["status"])]
        if asked.get("sort_by"):
            rows.sort(key=lambda row: row[asked["sort_by"]])
        start = asked.get("offset", 0)
        return rows[start : start + asked["limit"]]

    async def _delete(self, thread_id: str) -> bool:
        await self.graph.checkpointer.adelete_thread(thread_id)
        return self.rows.pop(thread_id, None) is not None

    async def _on_thread(self, thread_id: str, method: str, rest: str, body: Any) -> Any:
        if rest == "/runs" and method == "POST":
            return await self._run(thread_id, body)
        if rest == "/runs":
            return [run for run in reversed(self.runs) if run["thread_id"] == thread_id]
        if rest == "/state" and method == "POST":
            await self.graph.aupdate_state(_config(thread_id), body["values"], as_node=body["as_node"])
            await self.show(thread_id)
            return {"checkpoint": {}}
        return await self.state(thread_id) if rest == "/state" else self.rows[thread_id]

    async def _run(self, thread_id: str, body: Any) -> dict[str, Any]:
        run = {"run_id": str(uuid.uuid4()), "thread_id": thread_id, "status": "success"}
        self.runs.append(run | {"created_at": datetime.now(UTC).isoformat()})
        await self.graph.ainvoke(body.get("input"), _config(thread_id))
        await self.show(thread_id)
        return run


def _config(thread_id: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": thread_id}}


def _told(state: Any) -> dict[str, Any]:
    """A state, and those of the graphs within it."""
    within = [{"state": _told(task.state) if hasattr(task.state, "values") else None} for task in state.tasks]
    return {
        "values": _plain(state.values),
        "next": list(state.next),
        "metadata": _plain(state.metadata or {}),
        "interrupts": [{"id": i.id, "value": i.value} for i in state.interrupts],
        "tasks": within,
    }


def _plain(values: Mapping[str, Any]) -> Any:
    return json.loads(json.dumps(dict(values), default=_as_json))


def _as_json(value: Any) -> Any:
    return value.model_dump() if hasattr(value, "model_dump") else str(value)
