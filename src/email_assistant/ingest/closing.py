"""Closes cards that a person has settled in another way: resolved, cancelled, deleted, or answered from a mail program."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog
from langgraph_sdk.client import LangGraphClient

from email_assistant.effects.outbox import Outbox
from email_assistant.errors import AccessError, ProviderError, TransientError
from email_assistant.ingest.asked import asks_alone, shown_kinds
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import OPEN, MailRecord, MailStatus
from email_assistant.journal.trace import Trace
from email_assistant.mail.email_input import REOPENED, parse_email_input
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.threading import answers, since
from email_assistant.review.kinds import kind_or_unknown
from email_assistant.tools.drafts import Drafts
from email_assistant.tools.elsewhere import conversation_with, written_elsewhere
from email_assistant.workflow_registry import Undo, workflow

RESOLVED = "marked as resolved"
CANCELLED = "its run was cancelled by a person"
DELETED = "its thread was deleted by a person"
BY_HAND = frozenset({RESOLVED, CANCELLED, DELETED})
"""A person wanted the work itself gone, so that what it holds is given back."""
ANSWERED = "answered by you in the mailbox"

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

    async def close_answered(self, mail_thread_ids: Collection[str] | None = None) -> int:
        """Close the cards that are needless because the user has answered their mail with another program; how many.

        None looks at every conversation that has such a card.
        """
        closed = 0
        if mail_thread_ids is not None and not mail_thread_ids:
            return 0
        async for records in self.mail_log.each_with_status(MailStatus.waiting_review):
            named = [r for r in records if mail_thread_ids is None or r.mail_thread_id in mail_thread_ids]
            waiting = [r for r in named if r.mailbox == self.mailbox.name and _can_be_answered(r)]
            kinds = await shown_kinds(self.client, [r.run_thread_id for r in waiting])
            for record in [
                r for r in waiting if "answered" in kind_or_unknown(kinds.get(r.run_thread_id, "")).goes_when
            ]:
                if await self._is_answered(record):
                    await self.close(record, ANSWERED)
                    closed += 1
        if closed:
            log.info("cards_closed", reason="answered in the mailbox", number=closed)
        return closed

    async def _is_answered(self, record: MailRecord) -> bool:
        message = parse_email_input(record.email_input).current
        try:
            message, conversation = await conversation_with(self.mailbox, message)
        except (AccessError, TransientError):
            raise
        except ProviderError as error:  # Of this conversation alone.
            log.warning("card_left", message_id=record.message_id, reason=type(error).__name__)
            return False
        # What we sent ourselves, on approval, leaves the other cards of the conversation open.
        written = await written_elsewhere(since(message, conversation), self.outbox)
        if not any(answers(each, message, conversation, self.own) for each in written):
            return False
        return await asks_alone(self.client, record.run_thread_id, _is_needless) and await self._waits(record)

    async def _waits(self, record: MailRecord) -> bool:
        """Whether nothing else of its run thread is being worked on, such as a newer message."""
        records = await self.mail_log.by_run_thread(record.run_thread_id)
        return [r.status for r in records if r.graph == record.graph and r.status in OPEN] == [
            MailStatus.waiting_review
        ]


def _is_needless(values: Mapping[str, Any]) -> bool:
    return "answered" in kind_or_unknown(values["pending"].get("kind", "")).goes_when


def _can_be_answered(record: MailRecord) -> bool:
    """Not what a person brought back knowing that, and what has no mail."""
    return record.email_input is not None and record.email_input.get(REOPENED) is not True
