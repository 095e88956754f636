"""Finds again what a crash lost, and closes what a person settled outside the graph.

The journal knows which messages were being worked on or waited for an answer. The development server
can forget the last seconds of its own state; then the card is gone although the journal says it waits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

import structlog
from langgraph_sdk.client import LangGraphClient

from email_assistant.errors import ProviderError
from email_assistant.graphs.ingest.closing import RESOLVED, Closing
from email_assistant.graphs.ingest.starter import Starter
from email_assistant.graphs.mail_status import ENDED
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import OPEN, MailRecord, MailStatus

FIRST_PAUSE = timedelta(seconds=30)
"""How long a message that failed once is left alone; four times as long after each further failure."""
HELD_PAUSE = timedelta(minutes=5)
"""How long a message waits that failed for want of access to the mailbox."""

Finding = Literal["fine", "restarted", "resumed", "closed", "put_off"]

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Recovery:
    """Compares the journal with the server, and mends whichever is behind."""

    client: LangGraphClient
    mail_log: MailLog
    starter: Starter
    closing: Closing
    graphs: frozenset[str]

    async def recover(self, untouched_since: datetime, *, after_start: bool = False) -> dict[Finding, int]:
        """Look at every message that is not settled; returns how many were found in which condition.

        With `after_start` what has failed does not wait for its time: the start may have brought the setting that was wrong.

        Messages that somebody worked on after `untouched_since` are left alone: they may be on their way. Only what
        is merely claimed is not, because of those who would start it one alone can.
        """
        counts: dict[Finding, int] = {}
        async for records in self.mail_log.each_with_status(*OPEN):
            due = [r for r in records if self._is_due(r, untouched_since, after_start)]
            threads = await self._threads(due)
            for record in due:
                finding = await self._try(record, threads.get(record.run_thread_id))
                counts[finding] = counts.get(finding, 0) + 1
        if set(counts) - {"fine"}:
            log.info("recovery", **counts)
        return counts

    def _is_due(self, record: MailRecord, untouched_since: datetime, after_start: bool) -> bool:
        if record.graph not in self.graphs or record.email_input is None or record.updated_at is None:
            return False
        if record.status is MailStatus.claimed:
            return True
        pause = timedelta()
        if record.status is MailStatus.needs_review and not after_start:
            pause = FIRST_PAUSE * 4 ** (record.attempts - 1) if record.attempts else HELD_PAUSE
        return record.updated_at + pause <= untouched_since

    async def _threads(self, records: Sequence[MailRecord]) -> dict[str, Mapping[str, Any]]:
        ids = list(dict.fromkeys(r.run_thread_id for r in records))
        if not ids:
            return {}
        found: Any = await self.client.threads.search(ids=ids, limit=len(ids))
        return {str(thread["thread_id"]): thread for thread in found}

    async def _try(self, record: MailRecord, thread: Mapping[str, Any] | None) -> Finding:
        try:
            return await self._mend(record, thread)
        except (
            ProviderError
        ) as error:  # The mailbox: the next round tries again, and the others are mended now.
            log.warning("recovery_put_off", message_id=record.message_id, reason=type(error).__name__)
            return "put_off"

    async def _mend(self, record: MailRecord, thread: Mapping[str, Any] | None) -> Finding:
        status = thread["status"] if thread else "lost"
        failed = status == "error" and await self._failed_with(record)
        if record.status is MailStatus.claimed and not failed:
            return "restarted" if await self.starter.begin([record]) == [True] else "fine"
        if status == "interrupted":
            await self._note(record, MailStatus.waiting_review)
        if status in {"interrupted", "busy"}:
            return "fine"
        if thread and status == "idle" and _belongs(thread, record) and await self._is_finished(record):
            return "closed"
        if not await self.mail_log.take_over(record):
            return "fine"
        if failed:
            await self.client.runs.create(record.run_thread_id, record.graph, input=None)
            return "resumed"
        await self.starter.run(record)
        return "restarted"

    async def _failed_with(self, record: MailRecord) -> bool:
        """Whether it was this message's run that failed on its thread, so that it can go on where it failed.

        Otherwise a newer message of the conversation was about to be started there.
        """
        state: Any = await self.client.threads.get_state(record.run_thread_id)
        return _is_about(state.get("values") or {}, record)

    async def _is_finished(self, record: MailRecord) -> bool:
        """Whether the idle thread's run came to its end, by itself or because a person marked it as resolved."""
        state: Any = await self.client.threads.get_state(record.run_thread_id)
        values = state.get("values") or {}
        resolved = (state.get("metadata") or {}).get("source") == "update"
        if resolved:
            # That never reaches the graph, so its draft still waits.
            await self.closing.close(record, RESOLVED)
            return True
        if state.get("next") or not _is_about(values, record) or not values.get("outcome"):
            return False
        outcome = str(values["outcome"])
        await self._note(record, ENDED.get(outcome, MailStatus.done), outcome)
        return True

    async def _note(self, record: MailRecord, status: MailStatus, outcome: str = "") -> None:
        if record.status != status:
            await self.mail_log.set_status(
                record.mailbox, record.message_id, record.graph, status, outcome=outcome
            )


def _is_about(values: Mapping[str, Any], record: MailRecord) -> bool:
    return bool((values.get("email_input") or {}).get("id") == (record.email_input or {}).get("id"))


def _belongs(thread: Mapping[str, Any], record: MailRecord) -> bool:
    return bool((thread.get("metadata") or {}).get("email_id") == record.message_id)
