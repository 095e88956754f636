"""A mailbox on this machine whose letters go out over SMTP."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from email_assistant.adapters.account_check import relay_of
from email_assistant.adapters.maildir import MaildirMailbox, unsent_draft
from email_assistant.adapters.maildir_folder import read_message
from email_assistant.adapters.microsoft import secret_of
from email_assistant.adapters.sends import DONE, Posting, Send, Sends
from email_assistant.adapters.smtp import Relay
from email_assistant.clock import Clock
from email_assistant.errors import ConfigError, NotFoundError
from email_assistant.journal.database import Database
from email_assistant.mail.conversation import first_id
from email_assistant.mail.message import Draft, OutgoingMessage


class RelayedMaildir(MaildirMailbox):
    """A Maildir; a draft is given to the relay first, and moved into Sent once that has taken it."""

    def __init__(
        self,
        path: Path,
        clock: Clock,
        relay: Relay | None,
        database: Database,
        before_opening: Callable[[], object] = lambda: None,
    ) -> None:
        """See `MaildirMailbox`; how far each sending went is on record in `database`."""
        super().__init__(path, clock, before_opening)
        self._relay, self._database = relay, database

    @classmethod
    def of(cls, deps: Any, path: Path) -> "RelayedMaildir":
        """The one that settings name; raises `ConfigError` for the sample mailbox, from which nothing is ever sent."""
        s = deps.settings
        if s.sample_day:
            raise ConfigError(
                "EMAIL_ASSISTANT_SMTP sends no mail of the samples: name a mailbox of yours with EMAIL_ASSISTANT_MAILBOX"
            )
        relay = relay_of(s.account(s.smtp_account), secret_of(s, s.smtp_account))
        return cls(path, deps.clock, relay, deps.database, deps.database.open_now)

    @property
    def _posting(self) -> Posting:
        return Posting(Sends(self._database, self._clock, self.name), self._relay)

    async def save_draft(self, message: OutgoingMessage, *, replaces: str | None = None) -> Draft:
        """See `MaildirMailbox`; in the place of one that may be out already a new one is made, which can be sent."""
        draft = await self.draft(replaces) if replaces else None
        if draft is None or not await self._posting.in_doubt(draft.message.message_id):
            return await super().save_draft(message, replaces=replaces)
        saved = await super().save_draft(message)
        await self.delete_draft(draft.id)
        return saved

    async def send_draft(self, draft_id: str) -> str:
        """Send the draft as it is, dated now; returns the sent message's id. Raises `NotFoundError` when it is gone, or was sent.

        Raises `AccessError`, `ProviderError`, `TransientError` when it is not sent, `UncertainError` when nobody can tell.
        """
        raw = await self._run(lambda index: read_message(unsent_draft(index, draft_id).place.path))
        return await self._file(await self._posting.post(draft_id, raw))

    async def find_sent(self, message_id_header: str) -> str | None:
        """The id of the sent message whose Message-ID header is this, or None."""
        if send := await self._posting.accepted(first_id(message_id_header)):
            return await self._file(send)
        return await super().find_sent(message_id_header)

    async def maybe_sent(self, message_id_header: str) -> str:
        """It was handed over, nobody has answered, and it is not in Sent."""
        doubt = await self._posting.in_doubt(first_id(message_id_header))
        return doubt if doubt and not await self.find_sent(message_id_header) else ""

    async def _file(self, send: Send) -> str:
        """Have what was sent in Sent, the mail that it answers marked, and the draft gone; its id."""
        with suppress(NotFoundError):  # It is there.
            await super().send_draft(send.draft)
        await self._posting.sends.go_on(send, DONE)
        return await super().find_sent(send.message_id) or send.draft
