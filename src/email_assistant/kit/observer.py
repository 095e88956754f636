"""The observer on a compiled graph: it writes the journal, so that no node has to.

It listens to LangChain's callbacks. A step is recorded when a node's own run ends; a review when a node's
run ends in an interrupt; a decision and the tool executions when a node's output carries them.

What work goes by is written at once: that new mail is dealt with, each decision, and how a run ends. The rest is noted, and written with
the next of these or the next effect.
"""

import hashlib
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import ToolMessage
from langgraph.constants import START
from langgraph.errors import GraphInterrupt
from langgraph.types import Command

from email_assistant.clock import FixedClock
from email_assistant.errors import EmailAssistantError
from email_assistant.journal.database import Database
from email_assistant.journal.records import ENDED, SUPERSEDED, WAITING
from email_assistant.journal.sql import fields_of, state_as_json
from email_assistant.journal.trace import Trace
from email_assistant.kit.conversations import MailStatusKeeper, message_id_of
from email_assistant.review.card import card_of

PERFORMED = "performed"
"""False among the extras of a call's answer where it was neither done nor tried, because a person or newer mail came first."""
REASONS = ("reason", "triage_reason", "reasoning")
"""The fields of a node's update that say why the work on a mail has ended, whichever graph it is."""
MailOf = Callable[[Mapping[str, Any]], Any]
"""Reads off a run's input which mail it is to deal with, as an `email_input`; None when it brings none. Never raises:
a mail that cannot be read is given as something that is no `email_input`, and the run itself says what is wrong."""


def new_mail(inputs: Mapping[str, Any]) -> Any:
    """The mail of a run that is started with an `email_input`."""
    return inputs.get("email_input")


def mapping_of(value: Any) -> Mapping[str, Any]:
    """The fields of a state in any of its forms; none for anything else."""
    return value if isinstance(value, Mapping) else fields_of(value) or {}


def update_of(outputs: Any) -> Mapping[str, Any]:
    """The update of the state in a node's output."""
    return mapping_of(outputs.update if isinstance(outputs, Command) else outputs)


def params_of(inputs: Mapping[str, Any], tool_call_id: str) -> dict[str, Any]:
    """The arguments of a tool call."""
    for message in reversed(inputs.get("messages") or []):
        for call in getattr(message, "tool_calls", []):
            if call["id"] == tool_call_id:
                return dict(call["args"])
    return {}


def review_id_of(thread_id: str, title: str) -> str:
    """The id of a card: its title is unique within its run thread."""
    return hashlib.sha256(f"{thread_id}\0{title}".encode()).hexdigest()[:32]


def one_line(error: BaseException) -> str:
    """The error for a person; our own errors say it in a sentence, others need their name."""
    message = str(error) if isinstance(error, EmailAssistantError) else f"{type(error).__name__}: {error}"
    return " ".join(message.split())[:500]


def named_of(card: Mapping[str, Any]) -> dict[str, str]:
    """How a card is called once it waits no more."""
    view = card.get("view") or {}
    who = view.get("sender") or view.get("address")
    return {
        "kind": str(view.get("kind") or ""),
        "who": str(who or ""),
        "subject": str(view.get("subject") or ""),
    }


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
    """Notes on a run while it goes on."""

    trace_id: str = ""
    """"" until its beginning is written."""
    earlier_steps: int = 0
    """Steps that the trace has from its earlier runs."""
    steps: int = 0
    lost: bool = False
    """It brings an answer, and no node has been given it together with its mail."""
    outcome: str = ""
    reason: str = ""
    """Why no answer was drafted, when none was."""
    asked: bool = False
    """It stopped at a card."""
    answered: set[str] = field(default_factory=set)
    """Tool calls on record: the node that holds the lower level repeats the messages of its nodes."""
    shown: set[str] = field(default_factory=set)
    """Cards on record: the node that holds the lower level is interrupted with the node that asks."""
    decided: set[str] = field(default_factory=set)
    """Answers on record: the node that holds the lower level gives its nodes' answers again."""


class JournalObserver(AsyncCallbackHandler):
    """Records runs, steps, tool executions, model usage, reviews and decisions of one graph.

    A run that is started with anything joins no earlier one: it begins a trace. One that goes on (with an answer, or
    after a failure) joins its thread's latest. With `snapshots` each step's states are kept whole, mail included.
    `mail_of` is for graphs that can be started with mail in another form.
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
        # Where a graph chooses its first node, that choice runs under the name of its beginning, which is no step.
        if not root and (name != meta.get("langgraph_node") or name == START):
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
            goes_on = inputs is None or isinstance(inputs, Command)
            mail = self._mail_of(opened.inputs)
            began = partial(self._started, self._now, opened, self._runs[opened.run_id], mail, goes_on)
            if mail is None:
                self._database.note(began)
            else:
                await self._database.in_one_write(began)

    @property
    def _database(self) -> Database:
        return self._trace.database

    @property
    def _now(self) -> Trace:
        """The record as of this moment, for what is written later."""
        return replace(self._trace, clock=FixedClock(self._trace.clock.now()))

    async def _started(self, trace: Trace, opened: _Open, run: _Run, mail: Any, goes_on: bool) -> None:
        run.trace_id, run.earlier_steps = await trace.run_started(
            opened.run_id,
            run_thread_id=opened.thread_id,
            graph=self._graph,
            goes_on=goes_on,
            message_id=None if mail is None else message_id_of(opened.thread_id, mail),
        )
        if mail is not None:
            await trace.reviews_closed(
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
            await self._database.in_one_write(partial(self._ended, opened, run, _elapsed_ms(opened)))
            return
        update = update_of(outputs)
        if update.get("outcome"):
            self._runs[opened.run_id].outcome = str(update["outcome"])
            why = next(filter(None, map(update.get, REASONS)), "")
            self._runs[opened.run_id].reason = str(why)
        self._step(opened, update, None)
        self._tools(opened, update)
        await self._decision(opened, update)

    async def _ended(self, opened: _Open, run: _Run, latency_ms: float) -> None:
        status = WAITING if run.asked else ENDED
        await self._trace.run_ended(opened.run_id, status=status, latency_ms=latency_ms)
        await self._mail.ended(opened.thread_id, self._graph, "" if run.asked else run.outcome, run.reason)

    async def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Record a card that is shown, or a failure."""
        self._journal_ids.pop(run_id, None)
        self._step_ids.pop(run_id, None)
        opened = self._open.pop(run_id, None)
        if opened is None:
            return
        if isinstance(error, GraphInterrupt):
            self._runs[opened.run_id].asked = True
            self._shown(opened, error)
        elif opened.root:
            run = self._runs.pop(opened.run_id, _Run())
            await self._database.in_one_write(partial(self._failed, opened, run, error, _elapsed_ms(opened)))
        else:
            self._step(opened, {}, one_line(error))

    async def _failed(self, opened: _Open, run: _Run, error: BaseException, latency_ms: float) -> None:
        message = one_line(error)
        await self._trace.run_ended(opened.run_id, status="failed", error=message, latency_ms=latency_ms)
        if not run.lost:  # That the thread has nothing left to go on with is not the mail's fault.
            await self._mail.failed(opened.thread_id, self._graph, message, error)

    async def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Record what a model call used."""
        if name == "model_usage":
            journal_id = self._journal_ids.get(run_id, str(run_id))
            step_id = self._step_ids.get(run_id)
            self._database.note(partial(self._now.model_call, journal_id, data, step_id=step_id))

    def _step(self, opened: _Open, update: Mapping[str, Any], error: str | None) -> None:
        run = self._runs[opened.run_id]
        run.steps += 1
        worked = partial(
            self._now.step,
            opened.run_id,
            name=opened.name,
            latency_ms=_elapsed_ms(opened),
            error=error,
            step_id=opened.step_id,
            input_state=state_as_json(opened.inputs) if self._snapshots else None,
            output_state=state_as_json(update) if self._snapshots else None,
        )
        order = run.steps
        # The run's beginning is written before: only then it is known how many steps its trace has.
        self._database.note(lambda: worked(order=run.earlier_steps + order))

    def _shown(self, opened: _Open, error: GraphInterrupt) -> None:
        for interrupted in error.args[0] if error.args else ():
            card = card_of(interrupted.value) or {}
            title = card["action_request"]["action"]
            review_id, shown = review_id_of(opened.thread_id, title), self._runs[opened.run_id].shown
            if review_id in shown:
                continue
            shown.add(review_id)
            put_up = partial(
                self._now.review_shown,
                review_id=review_id,
                step_name=opened.name,
                run_id=opened.run_id,
                run_thread_id=opened.thread_id,
                title=title,
                card={name: value for name, value in card.items() if name != "view"}
                | {"named": named_of(card)},
            )
            self._database.note(put_up)
            self._database.note(partial(self._mail.waiting, opened.thread_id, self._graph))

    async def _decision(self, opened: _Open, update: Mapping[str, Any]) -> None:
        given = update.get("last_answer")
        decided = self._runs[opened.run_id].decided
        if given and given != opened.inputs.get("last_answer") and given["id"] not in decided:
            await self._trace.review_decided(
                review_id_of(opened.thread_id, given["title"]),
                decision=given["decision"],
                answer=given["answer"],
                answer_id=given["id"],
                given=given.get("given", ""),
            )
            decided.add(given["id"])

    def _tools(self, opened: _Open, update: Mapping[str, Any]) -> None:
        took = _elapsed_ms(opened)
        executed = partial(self._now.tool_execution, opened.run_id, step_id=opened.step_id)
        for done in update.get("performed") or ():
            self._database.note(
                partial(
                    executed,
                    tool_call_id=str(done["id"]),
                    name=str(done["name"]),
                    params=dict(done["params"]),
                    result=str(done["result"]),
                    success=bool(done["success"]),
                    error=done.get("error"),
                    latency_ms=float(done.get("latency_ms") or took),
                )
            )
        answered = self._runs[opened.run_id].answered
        for message in filter(_is_answer, update.get("messages") or ()):
            if message.tool_call_id not in answered:
                answered.add(message.tool_call_id)
                text, success = str(message.text), message.status != "error"
                self._database.note(
                    partial(
                        executed,
                        tool_call_id=message.tool_call_id,
                        name=message.name or "",
                        params=params_of(opened.inputs, message.tool_call_id),
                        result=text,
                        success=success,
                        error=None if success else text,
                        latency_ms=took,
                    )
                )


def _is_answer(message: Any) -> bool:
    """Whether it answers a call that was done, or tried."""
    return isinstance(message, ToolMessage) and message.additional_kwargs.get(PERFORMED) is not False


def _elapsed_ms(opened: _Open) -> float:
    return round((time.perf_counter() - opened.started) * 1000, 3)
