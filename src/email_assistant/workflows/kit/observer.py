"""The observer on a compiled graph: it writes the journal, so that no node has to.

It listens to LangChain's callbacks. A step is recorded when a node's own run ends; a review when a node's
run ends in an interrupt; a decision and the tool executions when a node's output carries them.
"""

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import ToolMessage
from langgraph.errors import GraphInterrupt
from langgraph.types import Command

from email_assistant.journal.snapshots import snapshot_of
from email_assistant.journal.trace import ENDED, SUPERSEDED, Trace
from email_assistant.journal.traces import WAITING
from email_assistant.workflows.kit.mail_status import MailStatusKeeper, message_id_of
from email_assistant.workflows.kit.observed import (
    MailOf,
    digest_of,
    mapping_of,
    new_mail,
    one_line,
    params_of,
    review_id_of,
    update_of,
)


@dataclass
class _Open:
    """A node's run, or a graph's, that has begun."""

    run_id: str
    """The journal's id of the whole run."""
    step_id: str
    name: str
    root: bool
    started: float
    thread_id: str
    inputs: Mapping[str, Any]


@dataclass
class _Run:
    """What is remembered of a run while it goes on."""

    trace_id: str = ""
    steps: int = 0
    """How many the trace has, those of its earlier runs included."""
    lost: bool = False
    """Whether it brings an answer, and no node has been given it together with its mail."""
    outcome: str = ""
    reason: str = ""
    """Why no answer was drafted, when none was."""
    asked: bool = False
    """Whether it stopped at a card."""
    answered: set[str] = field(default_factory=set)
    """Tool calls on record: the node that holds the lower level repeats the messages of its nodes."""
    shown: set[str] = field(default_factory=set)
    """Cards on record: the node that holds the lower level is interrupted with the node that asks."""


class JournalObserver(AsyncCallbackHandler):
    """Records runs, steps, tool executions, model usage, reviews and decisions of one graph.

    A run that is started with anything joins no earlier one: it begins a trace. One that goes on (with an answer, or
    after a failure) joins its thread's latest. With `snapshots` each step's states are kept whole, mail included;
    without, their digests. `mail_of` is for graphs that can be started with mail in another form.
    """

    raise_error = False

    def __init__(
        self,
        graph_name: str,
        trace: Trace,
        mail: MailStatusKeeper,
        *,
        snapshots: bool = False,
        mail_of: MailOf = new_mail,
    ) -> None:
        self._graph = graph_name
        self._mail_of = mail_of
        self._snapshots = snapshots
        self._trace = trace
        self._mail = mail
        self._open: dict[UUID, _Open] = {}
        self._journal_ids: dict[UUID, str] = {}
        self._step_ids: dict[UUID, str] = {}
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
            if parent_run_id in self._step_ids:
                self._step_ids[run_id] = self._step_ids[parent_run_id]
            return
        if not root:
            self._step_ids[run_id] = str(run_id)
        thread_id = str(meta.get("thread_id") or "local")
        opened = _Open(
            journal_id, str(run_id), name, root, time.perf_counter(), thread_id, mapping_of(inputs)
        )
        self._open[run_id] = opened
        if not root:
            self._runs[opened.run_id].lost &= self._mail_of(opened.inputs) is None
        else:
            self._runs[opened.run_id].lost = isinstance(inputs, Command)
            await self._started(opened, goes_on=inputs is None or isinstance(inputs, Command))

    async def _started(self, opened: _Open, *, goes_on: bool) -> None:
        mail = self._mail_of(opened.inputs)
        trace_id, steps = await self._trace.run_started(
            opened.run_id,
            run_thread_id=opened.thread_id,
            graph=self._graph,
            goes_on=goes_on,
            message_id=None if mail is None else message_id_of(opened.thread_id, mail),
        )
        run = self._runs[opened.run_id]
        run.trace_id, run.steps = trace_id, steps
        if mail is not None:
            await self._trace.reviews_closed(
                opened.thread_id, SUPERSEDED, "a newer message of the conversation came first"
            )
        await self._mail.started(opened.thread_id, self._graph, mail)

    async def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Record the step, and what its output says about decisions and tools."""
        self._journal_ids.pop(run_id, None)
        self._step_ids.pop(run_id, None)
        opened = self._open.pop(run_id, None)
        if opened is None:
            return
        if opened.root:
            run = self._runs.pop(opened.run_id, _Run())
            status = WAITING if run.asked else ENDED
            await self._trace.run_ended(opened.run_id, status=status, latency_ms=_elapsed_ms(opened))
            await self._mail.ended(
                opened.thread_id, self._graph, "" if run.asked else run.outcome, run.reason
            )
            return
        update = update_of(outputs)
        if update.get("outcome"):
            self._runs[opened.run_id].outcome = str(update["outcome"])
            self._runs[opened.run_id].reason = str(update.get("reason") or "")
        await self._step(opened, update, None)
        await self._decision(opened, update)
        await self._tools(opened, update)

    async def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Record a card that is shown, or a failure."""
        self._journal_ids.pop(run_id, None)
        self._step_ids.pop(run_id, None)
        opened = self._open.pop(run_id, None)
        if opened is None:
            return
        if isinstance(error, GraphInterrupt):
            self._runs[opened.run_id].asked = True
            await self._shown(opened, error)
        elif opened.root:
            lost = self._runs.pop(opened.run_id, _Run()).lost
            await self._trace.run_ended(
                opened.run_id, status="failed", error=one_line(error), latency_ms=_elapsed_ms(opened)
            )
            if lost:
                return  # That the thread has nothing left to go on with is not the mail's fault.
            await self._mail.failed(opened.thread_id, self._graph, one_line(error), error)
        else:
            await self._step(opened, {}, one_line(error))

    async def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Record what a model call used."""
        if name == "model_usage":
            journal_id = self._journal_ids.get(run_id, str(run_id))
            await self._trace.model_call(journal_id, data, step_id=self._step_ids.get(run_id))

    async def _step(self, opened: _Open, update: Mapping[str, Any], error: str | None) -> None:
        run = self._runs[opened.run_id]
        run.steps += 1
        order, latency_ms = run.steps, _elapsed_ms(opened)
        await self._trace.step(
            opened.run_id,
            name=opened.name,
            order=order,
            input_digest=digest_of(opened.inputs),
            output_digest=digest_of(update),
            latency_ms=latency_ms,
            trace_id=run.trace_id,
            snapshot=snapshot_of(opened.inputs, update) if self._snapshots else None,
            error=error,
            step_id=opened.step_id,
        )

    async def _shown(self, opened: _Open, error: GraphInterrupt) -> None:
        for interrupted in error.args[0] if error.args else ():
            card = interrupted.value[0]
            title = card["action_request"]["action"]
            review_id, shown = review_id_of(opened.thread_id, title), self._runs[opened.run_id].shown
            if review_id in shown:
                continue
            shown.add(review_id)
            await self._trace.review_shown(
                review_id=review_id,
                step_name=opened.name,
                run_id=opened.run_id,
                run_thread_id=opened.thread_id,
                title=title,
                card={name: value for name, value in card.items() if name != "view"},
            )
        await self._mail.waiting(opened.thread_id, self._graph)

    async def _decision(self, opened: _Open, update: Mapping[str, Any]) -> None:
        given = update.get("last_answer")
        if given and given != opened.inputs.get("last_answer"):
            await self._trace.review_decided(
                review_id_of(opened.thread_id, given["title"]),
                decision=given["decision"],
                answer=given["answer"],
                answer_id=given["id"],
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
                error=done.get("error"),
                latency_ms=float(done.get("latency_ms") or _elapsed_ms(opened)),
                step_id=opened.step_id,
            )
        answered = self._runs[opened.run_id].answered
        for message in update.get("messages") or ():
            if isinstance(message, ToolMessage) and message.tool_call_id not in answered:
                answered.add(message.tool_call_id)
                await self._trace.tool_execution(
                    opened.run_id,
                    tool_call_id=message.tool_call_id,
                    name=message.name or "",
                    params=params_of(opened.inputs, message.tool_call_id),
                    result=str(message.text),
                    success=message.status != "error",
                    error=str(message.text) if message.status == "error" else None,
                    latency_ms=_elapsed_ms(opened),
                    step_id=opened.step_id,
                )


def _elapsed_ms(opened: _Open) -> float:
    return round((time.perf_counter() - opened.started) * 1000, 3)
