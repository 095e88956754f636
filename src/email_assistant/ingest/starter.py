"""Starts the runs of messages that were claimed, each once."""

import asyncio
import hashlib
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph_sdk.client import LangGraphClient

from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord
from email_assistant.journal.thread_past import Past, ThreadPast
from email_assistant.workflow_registry import workflow


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
    account would fill (docs/adr/0023)."""

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
                "wanted": past.words,
            }
            await self.client.threads.update_state(thread_id, known, as_node=workflow(record.graph).last_node)


def _is_empty(thread: Mapping[str, Any]) -> bool:
    return thread.get("status") == "idle" and not thread.get("values") and not thread.get("interrupts")
