"""Starts the runs of messages that were claimed, each once."""

import asyncio
import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from langgraph_sdk.client import LangGraphClient

from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord


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
    wait: bool = True
    """Whether to wait until each run asks or ends, which keeps the server's queue short. A run that starts others
    must not wait for them: with one worker job it would wait for itself."""
    in_bulk: bool = False
    """Whether the runs leave a checkpoint where they ask, fail or end only, and none after each step, whose disk a whole
    account would fill (docs/adr/0023)."""

    async def begin(self, records: Sequence[MailRecord]) -> list[bool]:
        """Start the runs of claimed messages side by side; False for those that somebody else has begun."""
        begun = await self.mail_log.begin_all(records)
        async with asyncio.TaskGroup() as tasks:
            for record, ours in zip(records, begun, strict=True):
                if ours:
                    tasks.create_task(self.run(record))
        return begun

    async def run(self, record: MailRecord) -> None:
        """Start the run, on the thread of its conversation; how it goes is in the journal."""
        thread_id, metadata = record.run_thread_id, {"email_id": record.message_id}
        await self.client.threads.create(
            thread_id=thread_id, if_exists="do_nothing", graph_id=record.graph, metadata=metadata
        )
        await self.client.threads.update(thread_id, metadata=metadata)
        run = await self.client.runs.create(
            thread_id,
            record.graph,
            input={"email_input": record.email_input},
            multitask_strategy="enqueue",
            durability="exit" if self.in_bulk else "async",
        )
        if self.wait:
            await self.client.runs.join(thread_id, run["run_id"])
