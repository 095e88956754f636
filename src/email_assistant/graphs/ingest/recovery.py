"""Finds again what a crash of the server lost.

The journal knows which messages were being worked on or waited for an answer. The development server
can forget the last seconds of its own state; then the card is gone although the journal says it waits.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import structlog
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError as ThreadNotFound

from email_assistant.graphs.ingest.starter import Starter
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord, MailStatus

OPEN = (MailStatus.claimed, MailStatus.processing, MailStatus.waiting_review, MailStatus.needs_review)
BATCH = 1_000

Finding = Literal["fine", "restarted", "resumed", "closed"]

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Recovery:
    """Compares the journal with the server, and mends the server's side."""

    client: LangGraphClient
    mail_log: MailLog
    starter: Starter

    async def recover(self, untouched_since: datetime) -> dict[Finding, int]:
        """Look at every message that is not settled; returns how many were found in which condition.

        Messages that somebody worked on after `untouched_since` are left alone: they may be on their way.
        """
        counts: dict[Finding, int] = {}
        for record in await self.mail_log.with_status(*OPEN, limit=BATCH):
            touched = record.updated_at is None or record.updated_at > untouched_since
            if touched or record.graph != self.starter.graph or record.email_input is None:
                continue
            finding = await self._mend(record)
            counts[finding] = counts.get(finding, 0) + 1
        if set(counts) - {"fine"}:
            log.info("recovery", **counts)
        return counts

    async def _mend(self, record: MailRecord) -> Finding:
        thread = await self._thread(record)
        status = thread["status"] if thread else "lost"
        if status == "busy":
            return "fine"
        if status == "interrupted":
            await self._note(record, MailStatus.waiting_review)
            return "fine"
        if status == "error":
            await self.client.runs.create(record.run_thread_id, record.graph, input=None)
            return "resumed"
        if thread and _belongs(thread, record) and await self._is_finished(record):
            return "closed"
        await self.starter.run(record)
        return "restarted"

    async def _thread(self, record: MailRecord) -> Any:
        try:
            return await self.client.threads.get(record.run_thread_id)
        except ThreadNotFound:
            return None

    async def _is_finished(self, record: MailRecord) -> bool:
        """Whether the idle thread's run came to its end, by itself or because a person marked it as resolved."""
        state: Any = await self.client.threads.get_state(record.run_thread_id)
        values = state.get("values") or {}
        resolved = (state.get("metadata") or {}).get("source") == "update"
        same = (values.get("email_input") or {}).get("id") == (record.email_input or {}).get("id")
        if not resolved and (state.get("next") or not same or not values.get("outcome")):
            return False
        reason = "marked as resolved" if resolved else str(values["outcome"])
        await self._note(record, MailStatus.done, reason)
        return True

    async def _note(self, record: MailRecord, status: MailStatus, reason: str = "") -> None:
        if record.status != status:
            await self.mail_log.set_status(
                record.mailbox, record.message_id, record.graph, status, reason=reason
            )


def _belongs(thread: Any, record: MailRecord) -> bool:
    return bool((thread.get("metadata") or {}).get("email_id") == record.message_id)
