"""Keeps a message's status in the journal in step with its runs, for runs from ingestion and from elsewhere."""

from dataclasses import dataclass
from typing import Any

from email_assistant.errors import AccessError, ConfigError, InputError, UnsettledError
from email_assistant.journal.mail_log import MAX_ATTEMPTS, MailLog
from email_assistant.journal.records import OPEN, MailRecord, MailStatus
from email_assistant.mail.email_input import parse_email_input
from email_assistant.mail.message import Conversation, Message

ENDED = {"ignored": MailStatus.ignored}
SETTLED = frozenset({MailStatus.done, MailStatus.ignored})


@dataclass(frozen=True)
class MailStatusKeeper:
    """Writes statuses; a run whose input is no email has none."""

    log: MailLog
    mailbox: str

    async def started(self, run_thread_id: str, graph: str, email_input: object) -> None:
        """A run begins with new mail (then what the thread was busy with is superseded), or goes on (None)."""
        if email_input is None:
            await self._move(run_thread_id, graph, MailStatus.processing)
            return
        try:
            conversation = parse_email_input(email_input)
            record = self._record(run_thread_id, graph, conversation, email_input)
            await self.log.claim(record)
        except InputError:
            return  # The run itself says what is wrong with its input.
        for other in await self._open(run_thread_id, graph):
            newest = other.message_id == record.message_id
            status = MailStatus.processing if newest else MailStatus.superseded
            await self._set(other, status, "" if newest else "a newer message of the conversation came first")

    async def waiting(self, run_thread_id: str, graph: str) -> None:
        """A card waits for an answer, also of mail that is settled: a server that has forgotten the answer asks once more."""
        records = [r for r in await self.log.by_run_thread(run_thread_id) if r.graph == graph]
        again = [r for r in records[:1] if r.status in SETTLED]
        for record in [r for r in records if r.status in OPEN] or again:
            await self._set(record, MailStatus.waiting_review)

    async def ended(self, run_thread_id: str, graph: str, outcome: str, reason: str = "") -> None:
        """A run came to its end, or ("") stopped to ask."""
        if outcome:
            status = ENDED.get(outcome, MailStatus.done)
            await self._move(run_thread_id, graph, status, outcome=outcome, reason=reason)

    async def failed(self, run_thread_id: str, graph: str, reason: str, error: BaseException) -> None:
        """A run failed. A wrong input is not tried again; what is no fault of the mail's (a setting, want of access, something
        to wait for) counts as no attempt.
        """
        for record in await self._open(run_thread_id, graph):
            key = (record.mailbox, record.message_id, graph)
            if isinstance(error, AccessError | ConfigError | UnsettledError):
                await self.log.set_status(*key, MailStatus.needs_review, reason=reason)
            else:
                attempts = 1 if isinstance(error, InputError) else MAX_ATTEMPTS
                await self.log.fail(*key, reason, max_attempts=attempts)

    async def _move(
        self, run_thread_id: str, graph: str, status: MailStatus, outcome: str = "", reason: str = ""
    ) -> None:
        for record in await self._open(run_thread_id, graph):
            await self._set(record, status, reason, outcome)

    async def _set(self, record: MailRecord, status: MailStatus, reason: str = "", outcome: str = "") -> None:
        await self.log.set_status(
            record.mailbox, record.message_id, record.graph, status, reason=reason, outcome=outcome
        )

    async def _open(self, run_thread_id: str, graph: str) -> list[MailRecord]:
        records = await self.log.by_run_thread(run_thread_id)
        return [r for r in records if r.graph == graph and r.status in OPEN]

    def _record(
        self, run_thread_id: str, graph: str, conversation: Conversation, email_input: Any
    ) -> MailRecord:
        current = conversation.current
        return MailRecord(
            mailbox=self.mailbox,
            message_id=_message_id(run_thread_id, current),
            graph=graph,
            mail_thread_id=current.mail_thread_id,
            run_thread_id=run_thread_id,
            status=MailStatus.processing,
            email_input=dict(email_input),
            received_at=current.date,
        )


def message_id_of(run_thread_id: str, email_input: object) -> str | None:
    """Under which id the journal has this mail; None when it cannot be read."""
    try:
        return _message_id(run_thread_id, parse_email_input(email_input).current)
    except InputError:
        return None


def _message_id(run_thread_id: str, message: Message) -> str:
    return message.id or f"run:{run_thread_id}"
