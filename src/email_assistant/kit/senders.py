"""Who a message is from, as far as that is known."""

from collections.abc import Sequence
from dataclasses import dataclass

from email_assistant.journal.mailboxes import Correspondents
from email_assistant.journal.records import OutboxRow
from email_assistant.mail.authenticity import Authorship, KnownSender, sender_warnings, sought
from email_assistant.mail.headers import vouched_by
from email_assistant.mail.message import Message
from email_assistant.models.offline.triage import lure
from email_assistant.review.action import Sender
from email_assistant.tools.drafts import Drafts
from email_assistant.tools.tool import User

NOT_PROVEN = "It bears your own address, and nothing proves that you sent it."


@dataclass(frozen=True)
class Senders:
    """Compares senders with the people the user has written to, and with what the receiving host found."""

    mailbox_name: str
    correspondents: Correspondents
    user: User
    authorship: Authorship

    async def known(self, message: Message) -> KnownSender:
        """What the record says about the sender."""
        # What is sought is worked out in the reading thread: domains are looked up in a file.
        return await self.correspondents.database.in_one_read(
            lambda: self.correspondents.known(self.mailbox_name, sought(message))
        )

    async def doubts_after_sweep(self, message: Message, drafts: Drafts, run_thread_id: str) -> list[str]:
        """`doubts`, and the drafts of earlier runs swept: with what every run begins, in one look into the record."""

        async def read() -> tuple[Sequence[OutboxRow], Sequence[str]]:
            return await drafts.of(run_thread_id), await self.warnings(message)

        left, warnings = await drafts.outbox.in_one_read(read)
        await drafts.sweep(run_thread_id, left=left)
        return await self.judged(message, warnings)

    async def doubts(self, message: Message) -> list[str]:
        """Signs that a message is not from whom it seems to be, by all that is known."""
        warnings = await self.correspondents.database.in_one_read(lambda: self.warnings(message))
        return await self.judged(message, warnings)

    async def warnings(self, message: Message) -> Sequence[str]:
        """What its headers and the record tell against the sender; for a read in one go, as `known`."""
        user, known = self.user, await self.known(message)
        warnings = sender_warnings(
            message, own=user.own, name=user.address.name, host=user.mail_host, known=known
        )
        lured = "" if known.sender or message.sender.key in user.own else lure(message)
        return (*warnings, lured) if lured else warnings

    async def judged(self, message: Message, warnings: Sequence[str]) -> list[str]:
        """The doubts that the warnings come to."""
        if not warnings and not await self._is_honest(message):
            return [NOT_PROVEN]
        return list(warnings)

    async def _is_honest(self, message: Message) -> bool:
        """Whether a message under the user's address is the user's: the mailbox has it as sent, or the receiving host vouches."""
        user = self.user
        if message.sender.key not in user.own or vouched_by(message, host=user.mail_host):
            return True
        return bool(message.id) and await self.authorship.sent(message.id) is not None


def sender(doubts: object) -> Sender:
    """Whether a sender of whom these doubts are known is in doubt, for policy and learning."""
    return Sender.IN_DOUBT if doubts else Sender.PLAIN
