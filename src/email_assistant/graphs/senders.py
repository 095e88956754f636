"""Who a message is from, as far as that is known."""

import asyncio
from dataclasses import dataclass

from email_assistant.journal.correspondents import Correspondents
from email_assistant.mail.authenticity import Known, sender_warnings, sought
from email_assistant.mail.message import Message
from email_assistant.review.risk import Sender
from email_assistant.tools.tool import User


@dataclass(frozen=True)
class Senders:
    """Compares senders with the people the user has written to, and with what the receiving host found."""

    mailbox_name: str
    correspondents: Correspondents
    user: User

    async def known(self, message: Message) -> Known:
        """What the record says about the sender."""
        wanted = await asyncio.to_thread(sought, message)
        return await self.correspondents.known(self.mailbox_name, wanted)

    async def doubts(self, message: Message, known: Known | None = None) -> list[str]:
        """Signs that a message is not from whom it seems to be, by all that is known."""
        user, record = self.user, known or await self.known(message)
        found = await asyncio.to_thread(
            sender_warnings, message, own=user.own, name=user.address.name, host=user.mail_host, known=record
        )
        return list(found)


def sender(doubts: object) -> Sender:
    """Whether a sender of whom these doubts are known is in doubt, for policy and learning."""
    return Sender.IN_DOUBT if doubts else Sender.PLAIN
