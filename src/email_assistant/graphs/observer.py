"""The observer on a compiled graph: it writes the journal, so that no node has to.

It listens to LangChain's callbacks. A step is recorded when a node's own run ends; a review when a node's
run ends in an interrupt; a decision and the tool executions when a node's output carries them.
"""

import hashlib
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.load import dumps
from langchain_core.messages import ToolMessage
from langgraph.errors import GraphInterrupt
from langgraph.types import Command

from email_assistant.errors import EmailAssistantError
from email_assistant.graphs.mail_status import MailStatusKeeper
from email_assistant.journal.trace import SUPERSEDED, Trace


@dataclass
class _Open:
    """A node's run, or a graph's, that has begun."""

    run_id: str
    """The journal's id of the whole run."""
    name: str
    root: bool
    started: float
    thread_id: str
    inputs: Mapping[str, Any]


@dataclass
class _Run:
    """What is remembered of a run while it goes on."""

    steps: int = 0
    outcome: str = ""
    asked: bool = False
    """Whether it stopped at a card."""
    answered: set[str] = field(default_factory=set)
    """Tool calls on record: the node that holds the lower level repeats the messages of its nodes."""


class JournalObserver(AsyncCallbackHandler):
    """Records runs, steps, tool executions, model usage, reviews and decisions of one graph."""

    raise_error = False

    def __init__(self, graph_name: str, trace: Trace, mail: MailStatusKeeper) -> None:
        self._graph = graph_name
        self._trace = trace
        self._mail = mail
        self._open: dict[UUID, _Open] = {}
        self._journal_ids: dict[UUID, str] = {}
        self._runs: defaultdict[str, _Run] = defaultdict(_Run)

    async def on_chain_start(
        self,
        serialized: dict[str, Any] | None,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Remember a run or a node's run; other runnables inside nodes are passed over."""
        meta = metadata or {}
        name, root = str(kwargs.get("name") or ""), parent_run_id is None
        inherited = self._journal_ids.get(parent_run_id) if parent_run_id else None
        journal_id = self._journal_ids[run_id] = str(meta.get("run_id") or inherited or run_id)
        if not root and name != meta.get("langgraph_node"):
            return
        thread_id = str(meta.get("thread_id") or "local")
        opened = _Open(journal_id, name, root, time.perf_counter(), thread_id, _mapping(inputs))
        self._open[run_id] = opened
        if root:
            await self._trace.run_started(journal_id, run_thread_id=thread_id, graph=self._graph)
            if opened.inputs.get("email_input") is not None:
                await self._trace.reviews_closed(
                    thread_id, SUPERSEDED, "a newer message of the conversation came first"
                )
            await self._mail.started(thread_id, self._graph, opened.inputs.get("email_input"))

    async def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Record the step, and what its output says about decisions and tools."""
        self._journal_ids.pop(run_id, None)
        opened = self._open.pop(run_id, None)
        if opened is None:
            return
        if opened.root:
            run = self._runs.pop(opened.run_id, _Run())
            await self._trace.run_ended(opened.run_id, status="waiting" if run.asked else "ended")
            await self._mail.ended(opened.thread_id, self._graph, "" if run.asked else run.outcome)
            return
        update = _update(outputs)
        if update.get("outcome"):
            self._runs[opened.run_id].outcome = str(update["outcome"])
        await self._step(opened, update, None)
        await self._decision(opened, update)
        await self._tools(opened, update)

    async def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Record a card that is shown, or a failure."""
        self._journal_ids.pop(run_id, None)
        opened = self._open.pop(run_id, None)
        if opened is None:
            return
        if isinstance(error, GraphInterrupt):
            self._runs[opened.run_id].asked = True
            await self._shown(opened, error)
        elif opened.root:
            self._runs.pop(opened.run_id, None)
            await self._trace.run_ended(opened.run_id, status="failed", error=_one_line(error))
            await self._mail.failed(opened.thread_id, self._graph, _one_line(error), error)
        else:
            await self._step(opened, {}, _one_line(error))

    async def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Record what a model call used."""
        if name == "model_usage":
            await self._trace.model_call(self._journal_ids.get(run_id, str(run_id)), data)

    async def _step(self, opened: _Open, update: Mapping[str, Any], error: str | None) -> None:
        run = self._runs[opened.run_id]
        run.steps += 1
        await self._trace.step(
            opened.run_id,
            name=opened.name,
            order=run.steps,
            input_digest=_digest(opened.inputs),
            output_digest=_digest(update),
            latency_ms=_elapsed_ms(opened),
            error=error,
        )

    async def _shown(self, opened: _Open, error: GraphInterrupt) -> None:
        for interrupted in error.args[0] if error.args else ():
            card = interrupted.value[0]
            await self._trace.review_shown(
                review_id=_review_id(opened.thread_id, card["action_request"]["action"]),
                run_id=opened.run_id,
                run_thread_id=opened.thread_id,
                title=card["action_request"]["action"],
                card=card,
            )
        await self._mail.waiting(opened.thread_id, self._graph)

    async def _decision(self, opened: _Open, update: Mapping[str, Any]) -> None:
        pending = opened.inputs.get("pending")
        if (
            pending
            and (update.get("decision") or update.get("problem"))
            and opened.name.endswith("interrupt_handler")
        ):
            answer = update.get("decision") or {"problem": update["problem"]}
            await self._trace.review_decided(
                _review_id(opened.thread_id, pending["title"]),
                decision=str(answer.get("type", "not understood")),
                answer=answer,
            )

    async def _tools(self, opened: _Open, update: Mapping[str, Any]) -> None:
        for done in update.get("performed") or ():
            await self._trace.tool_execution(
                opened.run_id,
                tool_call_id=str(done["id"]),
                name=str(done["name"]),
                params=dict(done["params"]),
                result=str(done["result"]),
                success=bool(done["success"]),
                error=None,
                latency_ms=_elapsed_ms(opened),
            )
        answered = self._runs[opened.run_id].answered
        for message in update.get("messages") or ():
            if isinstance(message, ToolMessage) and message.tool_call_id not in answered:
                answered.add(message.tool_call_id)
                await self._trace.tool_execution(
                    opened.run_id,
                    tool_call_id=message.tool_call_id,
                    name=message.name or "",
                    params=_params(opened.inputs, message.tool_call_id),
                    result=str(message.text),
                    success=message.status != "error",
                    error=str(message.text) if message.status == "error" else None,
                    latency_ms=_elapsed_ms(opened),
                )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _update(outputs: Any) -> Mapping[str, Any]:
    return _mapping(outputs.update if isinstance(outputs, Command) else outputs)


def _params(inputs: Mapping[str, Any], tool_call_id: str) -> dict[str, Any]:
    for message in reversed(inputs.get("messages") or []):
        for call in getattr(message, "tool_calls", []):
            if call["id"] == tool_call_id:
                return dict(call["args"])
    return {}


def _digest(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(dumps(dict(value)).encode()).hexdigest()[:32]


def _review_id(thread_id: str, title: str) -> str:
    return hashlib.sha256(f"{thread_id}\0{title}".encode()).hexdigest()[:32]


def _elapsed_ms(opened: _Open) -> float:
    return round((time.perf_counter() - opened.started) * 1000, 3)


def _one_line(error: BaseException) -> str:
    """What a person is told; our own errors say it in a sentence, others need their name."""
    told = str(error) if isinstance(error, EmailAssistantError) else f"{type(error).__name__}: {error}"
    return " ".join(told.split())[:500]
