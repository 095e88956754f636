"""Which messages the user has written, as far as that is proven."""

from dataclasses import dataclass

import structlog

from email_assistant.errors import NotFoundError, ProviderError
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.message import Message

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Authorship:
    """Proves it by the mailbox: what lies among its sent messages was sent from there.

    A sender's address can be forged, and so can a conversation that somebody quotes. Checks that a mail passed where
    it was received prove its domain at best, and not every mailbox has them.
    """

    mailbox: Mailbox
    own: frozenset[str]
    """The user's addresses, as `Address.key`s."""

    async def sent(self, message_id: str) -> Message | None:
        """The message that the mailbox has under this id, when the user has sent it.

        None for any other, and when the mailbox cannot tell for now.
        """
        try:
            message = await self.mailbox.fetch(message_id)
            if message.sender.key not in self.own or not message.message_id:
                return None
            # Another message may bear the same Message-ID, which its sender chooses.
            is_sent = await self.mailbox.find_sent(message.message_id) == message.id
        except NotFoundError:
            return None
        except ProviderError as error:
            log.warning("authorship_not_proven", reason=type(error).__name__)
            return None
        return message if is_sent else None
