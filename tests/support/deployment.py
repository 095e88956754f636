"""A stand-in for a LangGraph deployment, in memory: it keeps threads and runs and runs no graph.

For what is about ingestion alone (claims, cursors, crashes, 100,000 messages). The real server's behaviour is what the
tests in tests/e2e and tests/soak are about.
"""

import json
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
from langgraph_sdk.client import LangGraphClient

Run = dict[str, Any]


@dataclass
class Deployment:
    """What was started; `on_run` may raise or change a thread's status ("interrupted" when left alone)."""

    threads: dict[str, dict[str, Any]] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    keep_runs: bool = True
    count: int = 0
    on_request: Callable[[str], None] = lambda _: None
    """Hears of each request as "METHOD /path" before it is done; an exception breaks the connection."""
    after_request: Callable[[str], None] = lambda _: None
    """The same after it is done: an exception loses the answer."""

    @property
    def client(self) -> LangGraphClient:
        """A client whose requests come here."""
        transport = httpx.MockTransport(self._handle)
        return LangGraphClient(httpx.AsyncClient(transport=transport, base_url="http://deployment.test"))

    def started(self) -> list[str]:
        """The message ids that runs were started for, in order."""
        return [run["input"]["email_input"]["id"] for run in self.runs if run["input"]]

    def _handle(self, request: httpx.Request) -> httpx.Response:
        told = f"{request.method} {request.url.path}"
        body = json.loads(request.content or b"null")
        try:
            self.on_request(told)
            answer = self._answer(request.method, request.url.path, body)
            self.after_request(told)
        except ConnectionError as error:
            raise httpx.ReadError(str(error), request=request) from None
        return httpx.Response(404) if answer is None else httpx.Response(200, json=answer)

    def _answer(self, method: str, path: str, body: Any) -> Any:
        if path == "/assistants/search":
            return [{"assistant_id": "stand-in"}]
        if path == "/threads/search":
            return [self.threads[i] for i in body["ids"] if i in self.threads]
        if path == "/threads":
            return self._thread(body["thread_id"], body.get("metadata") or {})
        match = re.fullmatch(r"/threads/([^/]+)(/.*)?", path)
        if match and match[2] == "/runs" and (body or {}).get("if_not_exists") == "create":
            self._thread(match[1], body.get("metadata") or {})
        if match is None or match[1] not in self.threads:
            return None
        return self._on_thread(self.threads[match[1]], method, match[2] or "", body)

    def _on_thread(self, thread: dict[str, Any], method: str, rest: str, body: Any) -> Any:
        if rest == "/runs":
            return self._run(thread, body) if method == "POST" else []
        if rest == "/state":
            return thread.get("state", {"values": {}, "next": [], "metadata": {}, "interrupts": []})
        if method == "PATCH":
            thread["metadata"] |= body.get("metadata") or {}
        return thread if not rest.endswith("/join") else {}

    def _thread(self, thread_id: str, metadata: dict[str, Any]) -> dict[str, Any]:
        fresh = {"thread_id": thread_id, "status": "idle", "metadata": dict(metadata)}
        return self.threads.setdefault(thread_id, fresh)

    def _run(self, thread: dict[str, Any], body: Any) -> Run:
        run = {"run_id": str(uuid.uuid4()), "thread_id": thread["thread_id"], "input": body.get("input")}
        # It asks, and its state says the same.
        pending = {"kind": "send_email", "tool_call_id": ""}
        asked = [{"id": run["run_id"], "value": [{"view": pending}]}]
        values = {"email_input": (run["input"] or {}).get("email_input"), "pending": pending}
        thread |= {
            "status": "interrupted",
            "interrupts": {"task": asked},
            "state": {"values": values, "next": ["ask"], "metadata": {"source": "loop"}, "interrupts": asked},
        }
        self.count += 1
        if self.keep_runs:
            self.runs.append(run)
        return {"run_id": run["run_id"], "thread_id": run["thread_id"]}
