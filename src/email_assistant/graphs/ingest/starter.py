"""Starts one run for each conversation that has something new."""

import asyncio
import hashlib
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import structlog
from langgraph_sdk.client import LangGraphClient

from email_assistant.clock import Clock
from email_assistant.errors import NotFoundError
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.mailbox import Mailbox, MailQuery
from email_assistant.mail.message import Conversation, Message

CONCURRENT_RUNS = 8

Result = Literal["started", "known", "own", "superseded", "failed"]

log = structlog.get_logger(__name__)


def run_thread_id(mail_thread_id: str) -> str:
    """The LangGraph thread of a mail thread: the MD5 of its id, read as a UUID."""
    return str(uuid.UUID(hex=hashlib.md5(mail_thread_id.encode(), usedforsecurity=False).hexdigest()))


@dataclass(frozen=True)
class Starter:
    """Takes messages from the mailbox to the server."""

    client: LangGraphClient
    mailbox: Mailbox
    mail_log: MailLog
    graph: str
    own: frozenset[str]
    clock: Clock

    async def new_messages(self, query: MailQuery) -> list[str]:
        """Ids of the inbox messages that nobody has claimed, oldest first."""
        ids = await self.mailbox.inbox(query)
        known = await self.mail_log.known(self.mailbox.name, ids, self.graph)
        return [i for i in ids if i not in known]

    async def start_all(self, ids: Sequence[str], on_settled: Callable[[Result], None]) -> dict[Result, int]:
        """Start a run for the newest new message of each conversation, and wait until it asks or ends."""
        counts: dict[Result, int] = {}
        limit = asyncio.Semaphore(CONCURRENT_RUNS)

        def settled(result: Result, number: int = 1) -> None:
            counts[result] = counts.get(result, 0) + number
            for _ in range(number):
                on_settled(result)

        async def one(messages: list[Message]) -> None:
            async with limit:
                settled(await self._conversation(messages))
                settled("superseded", len(messages) - 1)

        conversations = await self._by_conversation(ids)
        async with asyncio.TaskGroup() as group:
            for messages in conversations:
                group.create_task(one(messages))
        return counts

    async def _by_conversation(self, ids: Sequence[str]) -> list[list[Message]]:
        conversations: dict[str, list[Message]] = {}
        for message_id in ids:
            try:
                message = await self.mailbox.fetch(message_id)
            except NotFoundError:
                continue  # Deleted since it was listed: nothing to do for it.
            conversations.setdefault(message.mail_thread_id, []).append(message)
        return list(conversations.values())

    async def _conversation(self, messages: list[Message]) -> Result:
        *older, newest = messages
        for message in older:
            await self._close(
                message, MailStatus.superseded, "a newer message of the conversation was taken up"
            )
        thread = await self.mailbox.thread(newest.mail_thread_id)
        earlier = tuple(m for m in thread if m.id != newest.id)
        last = thread[-1] if thread else newest
        if last.id != newest.id and last.sender.key in self.own:
            await self._close(newest, MailStatus.done, "the user has written last")
            return "own"
        conversation = Conversation(newest, earlier)
        record = self._record(newest, to_email_input(conversation))
        if not await self.mail_log.claim(record):
            return "known"
        return "started" if await self.run(record) else "failed"

    async def run(self, record: MailRecord) -> bool:
        """Run a claimed message until it asks or ends; False when the run failed (the journal says why)."""
        await self.client.threads.create(
            thread_id=record.run_thread_id,
            if_exists="do_nothing",
            graph_id=self.graph,
            metadata=_metadata(record),
        )
        await self.client.threads.update(record.run_thread_id, metadata=_metadata(record))
        state: Any = await self.client.runs.wait(
            record.run_thread_id,
            self.graph,
            input={"email_input": record.email_input},
            multitask_strategy="enqueue",
            raise_error=False,
        )
        failed = isinstance(state, dict) and "__error__" in state
        if failed:
            log.warning(
                "run_failed", run_thread_id=record.run_thread_id, error=state["__error__"].get("error")
            )
        return not failed

    async def _close(self, message: Message, status: MailStatus, reason: str) -> None:
        if await self.mail_log.claim(self._record(message, None)):
            await self.mail_log.set_status(self.mailbox.name, message.id, self.graph, status, reason=reason)

    def _record(self, message: Message, email_input: dict[str, Any] | None) -> MailRecord:
        return MailRecord(
            mailbox=self.mailbox.name,
            message_id=message.id,
            graph=self.graph,
            mail_thread_id=message.mail_thread_id,
            run_thread_id=run_thread_id(message.mail_thread_id),
            status=MailStatus.claimed,
            email_input=email_input,
            received_at=message.date,
        )


def _metadata(record: MailRecord) -> dict[str, str]:
    return {"email_id": record.message_id}
