"""Takes up the newest state of a conversation, once; closes what needs no run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import structlog

from email_assistant.graphs.ingest.starter import Starter, run_thread_id
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.mailbox import Listed
from email_assistant.mail.message import Conversation, Message

Result = Literal["started", "known", "own", "superseded", "gone", "dead_letter"]

OWN_LAST = "the user has written last"
TAKEN_UP = "a newer message of the conversation was taken up"
MAX_EARLIER = 100
"""Earlier messages that go into a run's input, the latest ones."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Intake:
    """Decides what becomes of each listed message of a conversation."""

    starter: Starter
    mail_log: MailLog
    mailbox_name: str
    graph: str
    own: frozenset[str]
    """The user's addresses, lower case."""

    async def settle(
        self, listed: Sequence[Listed], messages: Sequence[Message], *, rerun: bool = False
    ) -> dict[Result, int]:
        """Settle the listed messages of one conversation; `messages` is the whole of it, oldest first.

        The last message is claimed before the older ones are closed: a crash in between leaves nothing unclaimed
        that was not listed as new.
        """
        if not messages:
            return {"gone": len(listed)}  # Deleted since it was listed: nothing to do for it.
        last = messages[-1]
        if last.sender.key in self.own:
            return {"own": await self._close_all(listed, MailStatus.done, OWN_LAST)}
        conversation = Conversation(last, tuple(messages[:-1][-MAX_EARLIER:]))
        result = await self._take_up(self._record(last.id, last, to_email_input(conversation)), rerun)
        older = [each for each in listed if each.id != last.id]
        closed = await self._close_all(older, MailStatus.superseded, TAKEN_UP)
        return {result: 1, "superseded": closed} if closed else {result: 1}

    async def bury(self, listed: Sequence[Listed], reason: str) -> dict[Result, int]:
        """Give up messages that cannot be read at all, with the reason, for a person to see."""
        for each in listed:
            await self.mail_log.claim(self._record(each.id, each, None))
            await self.mail_log.fail(self.mailbox_name, each.id, self.graph, reason, max_attempts=1)
        return {"dead_letter": len(listed)}

    async def _take_up(self, record: MailRecord, rerun: bool) -> Result:
        if not await self.mail_log.claim(record):
            if not rerun:
                return "known"
            await self.mail_log.reopen(record)
        return "started" if await self.starter.begin(record) else "known"

    async def _close_all(self, listed: Sequence[Listed], status: MailStatus, reason: str) -> int:
        for each in listed:
            # Claimed and closed in one step: there is no run to be found again after a crash.
            await self.mail_log.claim(
                replace(self._record(each.id, each, None), status=status, reason=reason)
            )
        return len(listed)

    def _record(
        self, message_id: str, of: Message | Listed, email_input: dict[str, Any] | None
    ) -> MailRecord:
        return MailRecord(
            mailbox=self.mailbox_name,
            message_id=message_id,
            graph=self.graph,
            mail_thread_id=of.mail_thread_id,
            run_thread_id=run_thread_id(of.mail_thread_id),
            status=MailStatus.claimed,
            email_input=email_input,
            received_at=of.date if isinstance(of, Message) else None,
        )
