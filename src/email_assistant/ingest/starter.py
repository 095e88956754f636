"""Starts the runs of messages: of those that were claimed, each once, and of one that a person wants to see after all."""

import asyncio
import hashlib
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langgraph_sdk.client import LangGraphClient

from email_assistant.errors import InputError, NotFoundError
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.journal.run_threads import Past, ThreadPast
from email_assistant.mail.email_input import REOPENED
from email_assistant.workflow_registry import NAMES, workflow

SETTLED = frozenset({MailStatus.done, MailStatus.ignored})
LAST_ROW = 10**15
"""No journal has more, and no database takes a much larger number."""


def run_thread_id(mail_thread_id: str, graph: str = "") -> str:
    """The LangGraph thread of a mail thread: the MD5 of its id, read as a UUID.

    With `graph` the thread for a graph that finds that one taken by another graph.
    """
    key = f"{graph}\n{mail_thread_id}" if graph else mail_thread_id
    return str(uuid.UUID(hex=hashlib.md5(key.encode(), usedforsecurity=False).hexdigest()))


@dataclass(frozen=True)
class Starter:
    """Takes claimed messages to the server."""

    client: LangGraphClient
    mail_log: MailLog
    in_bulk: bool = False
    """Whether the runs leave a checkpoint where they ask, fail or end only, and none after each step, whose disk a whole
    account would fill."""

    async def begin(self, records: Sequence[MailRecord]) -> list[bool]:
        """Start the runs of claimed messages side by side; False for those that somebody else has begun."""
        begun = await self.mail_log.begin_all(records)
        ours = [record for record, is_ours in zip(records, begun, strict=True) if is_ours]
        pasts = await self._past.before(ours) if ours else []
        async with asyncio.TaskGroup() as tasks:
            for record, past in zip(ours, pasts, strict=True):
                tasks.create_task(self._run(record, past))
        return begun

    async def at_rest(self, run_threads: Collection[str]) -> list[str]:
        """Those that no run works on any more: it asks, has ended, or is gone together with its thread."""
        found: Any = await self.client.threads.search(
            ids=list(run_threads), select=["thread_id", "status"], limit=len(run_threads)
        )
        busy = {thread["thread_id"] for thread in found if thread["status"] == "busy"}
        return [each for each in run_threads if each not in busy]

    async def run(self, record: MailRecord) -> None:
        """Start the run, on the thread of its conversation; how it goes is in the journal."""
        (past,) = await self._past.before([record])
        await self._run(record, past)

    @property
    def _past(self) -> ThreadPast:
        return ThreadPast(self.mail_log.database)

    async def _run(self, record: MailRecord, past: Past | None) -> None:
        if past is not None:
            await self._make_ready(record, past)
        # A thread's first run makes it, under the metadata of the run: one request in place of two.
        await self.client.runs.create(
            record.run_thread_id,
            record.graph,
            input={"email_input": record.email_input},
            metadata={"email_id": record.message_id},
            if_not_exists="create",
            multitask_strategy="enqueue",
            durability="exit" if self.in_bulk else "async",
        )

    async def _make_ready(self, record: MailRecord, past: Past) -> None:
        """Name the message on a thread that has dealt with others, and tell it what it had done when the server keeps nothing of it."""
        thread_id, metadata = record.run_thread_id, {"email_id": record.message_id}
        thread: Any = await self.client.threads.create(
            thread_id=thread_id, if_exists="do_nothing", graph_id=record.graph, metadata=metadata
        )
        if (thread.get("metadata") or {}).get("email_id") != record.message_id:
            await self.client.threads.update(thread_id, metadata=metadata)
        if _is_empty(thread) or not (await self.client.threads.get_state(thread_id))["values"]:
            # It numbers on, knows its effects, and what a person wants of it.
            known = {
                "round": past.rounds,
                "actions": list(past.actions),
                "outcome": "resolved",
                "settled": True,
                "replaced": "new_mail",
                "wanted": past.words,
            }
            await self.client.threads.update_state(thread_id, known, as_node=workflow(record.graph).last_node)


def _is_empty(thread: Mapping[str, Any]) -> bool:
    return thread.get("status") == "idle" and not thread.get("values") and not thread.get("interrupts")


async def bring_back(starter: Starter, row: int) -> str:
    """Let the first workflow show the mail of that row, whichever one has settled it; the run thread that its card will wait on.

    What was done stays done. Raises `NotFoundError` where there is none, and `InputError` for a mail that somebody is at work on, and
    for one that the journal has lost.
    """
    mail_log = starter.mail_log
    record = await mail_log.in_row(row) if row < LAST_ROW else None
    if record is None:
        raise NotFoundError("There is no such mail.")
    if record.status not in SETTLED:
        raise InputError("This mail is being dealt with.")
    if record.email_input is None:
        raise InputError("The journal does not have this mail any more: look into the mailbox.")
    shown = await _of_first(mail_log, record, {**record.email_input, REOPENED: str(record.status)})
    if not await mail_log.claim(shown):
        await mail_log.reopen(shown)
    await starter.begin([shown])
    return shown.run_thread_id


async def _of_first(mail_log: MailLog, record: MailRecord, email_input: dict[str, object]) -> MailRecord:
    graph = NAMES[0]
    known = await mail_log.get(record.mailbox, record.message_id, graph)
    if known is not None and known.status not in SETTLED | {MailStatus.superseded}:
        raise InputError("This mail is being dealt with.")
    usual = run_thread_id(record.mail_thread_id)
    taken = (await mail_log.graphs_on([usual])).get(usual, frozenset({graph}))
    thread = usual if graph in taken else run_thread_id(record.mail_thread_id, graph)
    return replace(
        known or record,
        graph=graph,
        run_thread_id=known.run_thread_id if known else thread,
        status=MailStatus.claimed,
        outcome="",
        reason="",
        attempts=0,
        email_input=email_input,
    )
