"""The `Mailbox` port on Gmail."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from email_assistant.adapters.google.api import GoogleApi
from email_assistant.adapters.google.gmail_answers import ME, checked_id
from email_assistant.adapters.google.gmail_drafts import GmailDrafts
from email_assistant.adapters.google.gmail_history import History
from email_assistant.adapters.google.gmail_labels import GmailLabels, fold
from email_assistant.adapters.google.gmail_listing import Listing
from email_assistant.adapters.google.gmail_reading import GmailReading
from email_assistant.clock import Clock
from email_assistant.errors import AccessError, NotFoundError, ProviderError, TransientError
from email_assistant.mail.mailbox import Changes, Listed, MailQuery
from email_assistant.mail.message import Draft, Message, OutgoingMessage


class GmailMailbox:
    """The mailbox of one Google account. All ids are Gmail's.

    Nothing is kept between calls but the list of labels, for a minute, and the ids of some sent messages. Every
    method raises what `GoogleApi.call` does, and `ProviderError` for an answer that cannot be understood.
    """

    def __init__(self, api: GoogleApi, address: str, clock: Clock) -> None:
        """Opens nothing; `address` is the account's."""
        self._api = api
        self._address = address
        self._listing = Listing(api, clock)
        self._history = History(api)
        self._reading = GmailReading(api)
        self._labels = GmailLabels(api, clock)
        self._drafts = GmailDrafts(api)

    @classmethod
    def of(cls, built: Any, path: None) -> "GmailMailbox":
        """The one that settings name; raises `ConfigError` when they do not say whose account it is."""
        return cls(built.google, built.account("EMAIL_ASSISTANT_MAILBOX=gmail"), built.clock)

    @property
    def name(self) -> str:
        """ "gmail:" and the account's address in lower case."""
        return f"gmail:{self._address.lower()}"

    async def inbox(self, query: MailQuery) -> list[str]:
        """Ids of the inbox messages that match, oldest first; raises `InputError` for naive times.

        Words are found whole, as Gmail's search does, not as parts of words.
        """
        return await self._listing.inbox(query)

    def scan(self, query: MailQuery) -> AsyncIterator[Listed]:
        """The messages of `inbox`, one at a time, found window by window of time."""
        return self._listing.scan(query)

    async def cursor(self) -> str:
        """The account's history id."""
        return await self._history.cursor()

    async def changes(self, cursor: str, *, unread_only: bool = False) -> Changes:
        """What came into the inbox after the cursor and is there now; raises `CursorExpiredError`."""
        return await self._history.changes(cursor, unread_only=unread_only)

    async def fetch(self, message_id: str) -> Message:
        """The message; raises `NotFoundError`."""
        return await self._reading.fetch(message_id)

    async def attachment(self, message_id: str, index: int) -> bytes:
        """What is in one attachment; raises `NotFoundError`."""
        return await self._reading.attachment(message_id, index)

    async def thread(self, mail_thread_id: str) -> list[Message]:
        """Received and sent messages of the conversation, the newest 100, oldest first; [] when unknown."""
        return (await self.threads([mail_thread_id]))[mail_thread_id]

    async def threads(self, mail_thread_ids: Sequence[str]) -> dict[str, list[Message]]:
        """`thread` of each id, in batches."""
        return await self._reading.threads(mail_thread_ids)

    async def mark_read(self, message_id: str) -> None:
        """Take the label UNREAD away; no error when it is away already; raises `NotFoundError`."""
        await self._modify(message_id, [], ["UNREAD"])

    async def is_read(self, message_id: str) -> bool:
        """Whether the message has no label UNREAD; raises `NotFoundError`."""
        return "UNREAD" not in await self._reading.labels_of(message_id)

    async def labels(self, message_id: str) -> frozenset[str]:
        """Full names of the message's own labels; raises `NotFoundError`."""
        return await self._labels.names(await self._reading.labels_of(message_id))

    async def change_labels(
        self, message_id: str, *, add: frozenset[str] = frozenset(), remove: frozenset[str] = frozenset()
    ) -> None:
        """Add and remove labels; one in both is removed. New ones are created with those they are nested in.

        Raises `NotFoundError`, and `InputError` for a name that cannot be a label's or is one of Gmail's own.
        """
        removed = {fold(name) for name in remove}
        wanted = [name for name in sorted(add) if fold(name) not in removed]
        missing = await self._labels.missing(wanted)
        if missing:
            await self._reading.labels_of(message_id)  # No labels are created for a message that is gone.
            await self._labels.create(missing)
        try:
            await self._change(message_id, wanted, remove)
        except (TransientError, AccessError):
            raise
        except (NotFoundError, ProviderError):
            # Perhaps a label was deleted since the labels were read.
            before = set((await self._labels.ids([*wanted, *remove])).values())
            if before <= await self._labels.forget():
                raise
            await self._labels.create(await self._labels.missing(wanted))
            await self._change(message_id, wanted, remove)

    async def save_draft(self, message: OutgoingMessage, *, replaces: str | None = None) -> Draft:
        """Save a draft, with `replaces` in place of that one and under its id; when its conversation is gone, without.

        Raises `NotFoundError` when `replaces` names no draft, `InputError` when the message cannot be written.
        """
        return await self._drafts.save(message, replaces)

    async def draft(self, draft_id: str) -> Draft | None:
        """The draft as it is in the mailbox now, or None when it is gone."""
        return await self._drafts.get(draft_id)

    async def find_draft(self, message_id_header: str) -> Draft | None:
        """The draft that we gave this Message-ID, or None; also when Gmail has put its own in place of it."""
        return await self._drafts.find(message_id_header)

    async def delete_draft(self, draft_id: str) -> None:
        """Delete the draft; no error when it is gone."""
        await self._drafts.delete(draft_id)

    async def send_draft(self, draft_id: str) -> str:
        """Send the draft as it is; the call is not repeated. Raises `NotFoundError` when it is gone."""
        return await self._drafts.send(draft_id)

    async def find_sent(self, message_id_header: str) -> str | None:
        """The id of the sent message that we gave this Message-ID, or None; also right after it was sent."""
        return await self._drafts.find_sent(message_id_header)

    async def _change(self, message_id: str, add: Sequence[str], remove: frozenset[str]) -> None:
        ids = await self._labels.ids([*add, *remove])
        added = [ids[fold(name)] for name in add if fold(name) in ids]
        removed = [ids[fold(name)] for name in remove if fold(name) in ids]
        await self._modify(message_id, added, removed)

    async def _modify(self, message_id: str, add: list[str], remove: list[str]) -> None:
        checked_id(message_id)
        if not add and not remove:
            await self._reading.labels_of(message_id)
            return
        body = {"addLabelIds": sorted(set(add)), "removeLabelIds": sorted(set(remove))}
        await self._api.call(
            "gmail", lambda gmail: gmail.users().messages().modify(userId=ME, id=message_id, body=body)
        )
