"""Follows where another program puts mail that has a card, or had one.

Mail that is deleted or marked as junk takes its card along, and gets it anew when it comes back; of mail that is only put elsewhere the
card says so, and stays: who files mail before answering it loses nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta

import structlog

from email_assistant.errors import AccessError, ProviderError, TransientError
from email_assistant.ingest.closing import Closing, Values, asks, kind_of
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.mail.email_input import parse_email_input
from email_assistant.mail.mailbox import Listed, Whereabouts
from email_assistant.mail.message import Message
from email_assistant.review.moved_mail import DELETED_THERE, JUNK, LEFT, MOVED

REASONS: Mapping[Whereabouts, str] = {
    Whereabouts.MOVED: MOVED,
    Whereabouts.JUNK: JUNK,
    Whereabouts.THROWN_AWAY: DELETED_THERE,
}
LOOKED_AGAIN = timedelta(minutes=10)
"""After so long it is asked again where mail is whose card stays: to find it may take many requests."""
COMES_BACK = timedelta(days=30)
"""So long trash is usually kept."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Elsewhere:
    """What becomes of cards when their mail leaves the inbox, or comes back."""

    closing: Closing

    async def follow(self, moved: Collection[str] | None) -> list[Listed]:
        """Close the cards whose mail is gone, say of others where it is; the mail that has come back, which is to be taken up anew.

        `moved` are ids of the messages that may have been moved; None looks at every one. Raises `AccessError`, `TransientError`.
        """
        if moved is not None and not moved:
            return []
        came_back = await self._come_back(moved)
        async for records in self._log.each_with_status(MailStatus.waiting_review):
            named = [r for r in records if moved is None or r.message_id in moved]
            mine = [r for r in named if r.mailbox == self.closing.mailbox.name and r.email_input]
            there = await self.closing.mailbox.in_place({r.message_id for r in mine})
            for record in mine:
                if self._is_due(record, is_there=record.message_id in there):
                    await self._tell(record, is_there=record.message_id in there)
        return came_back

    @property
    def _log(self) -> MailLog:
        return self.closing.mail_log

    def _is_due(self, record: MailRecord, *, is_there: bool) -> bool:
        if is_there or record.reason not in LEFT:
            return is_there == (record.reason in LEFT)
        return record.updated_at is None or self._log.clock.now() - record.updated_at >= LOOKED_AGAIN

    async def _tell(self, record: MailRecord, *, is_there: bool) -> None:
        message = parse_email_input(record.email_input).current
        if not message.arrived or message.sent:  # What a run was started with by hand is in no folder.
            return
        where = Whereabouts.IN_PLACE if is_there else await self._where(message)
        if where is None:
            return
        reason = REASONS.get(where, "")
        if reason in {JUNK, DELETED_THERE} and await self._goes(record):
            await self.closing.close(record, reason)
            log.info("card_closed", message_id=record.message_id, reason=reason)
        elif reason or record.reason:
            await self._log.note(record, reason)

    async def _where(self, message: Message) -> Whereabouts | None:
        """None where the mailbox cannot tell of this message alone."""
        try:
            return await self.closing.mailbox.where(message)
        except (AccessError, TransientError):
            raise
        except ProviderError as error:
            log.warning("card_left", message_id=message.id, reason=type(error).__name__)
            return None

    async def _goes(self, record: MailRecord) -> bool:
        closing = self.closing
        if not closing.mailbox.sends:  # What was accepted waits among the drafts, and would go with its card.
            return False
        is_meant = await asks(closing.client, record.run_thread_id, _goes_with_mail)
        return is_meant and await closing.waits(record)

    async def _come_back(self, moved: Collection[str] | None) -> list[Listed]:
        since = self._log.clock.now() - COMES_BACK
        closed = await self._log.closed_because(self.closing.mailbox.name, (JUNK, DELETED_THERE), since)
        records = {r.message_id: r for r in closed if moved is None or r.message_id in moved}
        there = await self.closing.mailbox.in_place(records) if records else frozenset[str]()
        return [Listed(r.message_id, r.mail_thread_id) for key, r in records.items() if key in there]


def _goes_with_mail(values: Values) -> bool:
    return kind_of(values).goes_with_mail
