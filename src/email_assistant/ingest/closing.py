"""Closes cards that a person has settled in another way: resolved, cancelled, deleted, or answered from a mail program."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog
from langgraph_sdk.client import LangGraphClient

from email_assistant.effects.outbox import Outbox
from email_assistant.errors import ProviderError
from email_assistant.ingest.starter import run_thread_id
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import OPEN, MailRecord, MailStatus
from email_assistant.journal.trace import Trace
from email_assistant.mail.authorship import Authorship
from email_assistant.mail.mailbox import Mailbox
from email_assistant.tools.drafts import Drafts, reply_key
from email_assistant.workflows.registry import Undo, answering, workflow

RESOLVED = "marked as resolved"
CANCELLED = "its run was cancelled by a person"
DELETED = "its thread was deleted by a person"
BY_HAND = frozenset({RESOLVED, CANCELLED, DELETED})
"""A person wanted the work itself gone, so that what it holds is given back."""
ANSWERED = "answered by you in the mailbox"
LOOKED_AT = 100
"""Messages of a conversation that the latest one may be our answer to."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Closing:
    """Ends the work on a conversation without its graph."""

    client: LangGraphClient
    mail_log: MailLog
    trace: Trace
    outbox: Outbox
    mailbox: Mailbox
    own: frozenset[str]
    """The user's addresses, lower case."""
    undo: Mapping[str, Undo] = field(default_factory=dict)
    """Graph → what else is undone when its work is `BY_HAND` at an end."""

    async def close(self, record: MailRecord, reason: str) -> None:
        """Delete the draft that waits (unless a person has changed it), end the thread, and put it on record."""
        undone = await self._undone(record) if reason in BY_HAND else {}
        await self.end(record.run_thread_id, record.graph, undone)
        await self._on_record(record, reason)

    async def end(self, run_thread_id: str, graph: str, update: Mapping[str, Any] | None = None) -> None:
        """Delete the draft that waits, and end the thread; the record is the caller's."""
        await Drafts(self.mailbox, self.outbox).sweep(run_thread_id)
        # The thread's own state says so, too, for when the conversation goes on.
        ended: dict[str, Any] = {"outcome": "resolved", "pending": None, "settled": True, **(update or {})}
        await self.client.threads.update_state(run_thread_id, ended, as_node=workflow(graph).last_node)

    async def forget(self, run_thread_id: str) -> int:
        """A person is about to delete this thread: put what is under way there on record as not wanted; how much was."""
        records = [r for r in await self.mail_log.by_run_thread(run_thread_id) if r.status in OPEN]
        for record in records:
            try:
                await self._undone(record)
                await Drafts(self.mailbox, self.outbox).sweep(run_thread_id)
            except ProviderError as error:  # A draft may be left behind; the mail must not come back for it.
                log.warning("draft_left", message_id=record.message_id, reason=type(error).__name__)
            await self._on_record(record, DELETED)
        return len(records)

    async def _undone(self, record: MailRecord) -> Mapping[str, Any]:
        undo = self.undo.get(record.graph)
        if undo is None:
            return {}
        state = await self.client.threads.get_state(record.run_thread_id)
        values = state["values"]
        return await undo(values if isinstance(values, Mapping) else {})

    async def _on_record(self, record: MailRecord, reason: str) -> None:
        await self.trace.reviews_closed(record.run_thread_id, reason, "nothing was done")
        await self.mail_log.set_status(
            record.mailbox, record.message_id, record.graph, MailStatus.done, reason=reason
        )

    async def close_answered(self, mail_thread_ids: Iterable[str], graph: str) -> int:
        """Close the waiting cards of those conversations in which the user has written last, by other means than ours."""
        closed = 0
        for mail_thread_id in dict.fromkeys(mail_thread_ids if graph in answering() else ()):
            record = await self._waiting(mail_thread_id, graph)
            if record and await self._is_answered(record):
                await self.close(record, ANSWERED)
                closed += 1
        if closed:
            log.info("cards_closed", reason="answered in the mailbox", number=closed)
        return closed

    async def _waiting(self, mail_thread_id: str, graph: str) -> MailRecord | None:
        threads = (run_thread_id(mail_thread_id), run_thread_id(mail_thread_id, graph))
        records = [
            r for thread in threads for r in await self.mail_log.by_run_thread(thread) if r.graph == graph
        ]
        # The user's own answer may be on record above it, settled; what is still being worked on is left to that.
        unsettled = [record for record in records if record.status in OPEN]
        waits = len(unsettled) == 1 and unsettled[0].status is MailStatus.waiting_review
        return unsettled[0] if waits else None

    async def _is_answered(self, record: MailRecord) -> bool:
        messages = await self.mailbox.thread(record.mail_thread_id)
        if not messages or messages[-1].sender.key not in self.own:
            return False
        # Anybody can put the user's address into From; only what the mailbox has as sent is the user's answer.
        if await Authorship(self.mailbox, self.own).sent(messages[-1].id) is None:
            return False
        # What we sent ourselves, on approval, leaves the other cards of the conversation open.
        answers = [reply_key(self.mailbox.name, message) for message in messages[-LOOKED_AT:]]
        return messages[-1].id not in await self.outbox.sent_ids(record.run_thread_id, answers)
