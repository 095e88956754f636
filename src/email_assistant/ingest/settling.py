"""Messages of a listing, read by conversation and settled, so many conversations at a time."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from email_assistant.errors import AccessError, ProviderError, TransientError
from email_assistant.ingest.intake import FoundConversation, Intake
from email_assistant.ingest.window import IN_FLIGHT, Room, Settled, Window, plenty
from email_assistant.journal.correspondents import Correspondents
from email_assistant.mail.authenticity import written_to
from email_assistant.mail.mailbox import Listed, Mailbox
from email_assistant.mail.message import Message

READ_TOGETHER = 50
"""Conversations read together: as many as a batch of Gmail's holds."""
CONCURRENT_PROOFS = 8
"""Messages that the mailbox is asked about at a time, whether the user has sent them."""


@dataclass(frozen=True)
class Settling:
    """Reads conversations and settles them, each for the graph that owns it."""

    mailbox: Mailbox
    intake: Intake
    correspondents: Correspondents
    in_flight: int = IN_FLIGHT
    """Runs that are under way at a time."""
    waits: bool = True
    """As of `Window`."""

    async def by_conversation(self, listed: Sequence[Listed], *, rerun: bool = False) -> list[list[Listed]]:
        """The messages that are new (with `rerun`: all of them), together with those of the same conversation."""
        known: set[str] = set()
        if not rerun:
            ids = [each.id for each in listed]
            known = await self.intake.mail_log.known(
                self.mailbox.name, ids, *self.intake.ownership.dealt_with_by
            )
        conversations: dict[str, list[Listed]] = {}
        for each in listed:
            if each.id not in known:
                conversations.setdefault(each.mail_thread_id, []).append(each)
        return list(conversations.values())

    async def read(self, conversations: Sequence[Sequence[Listed]]) -> list[FoundConversation]:
        """Each with all of its messages, calendar mail apart. Raises `AccessError` or `TransientError` when the mailbox cannot be read."""
        threads = await self._threads(conversations)
        await self._note_correspondents(threads)
        found = [FoundConversation(listed, threads[listed[0].mail_thread_id]) for listed in conversations]
        return [each for conversation in found for each in conversation.apart()]

    def settle(
        self,
        groups: AsyncIterable[Sequence[FoundConversation]],
        room: Room = plenty,
        *,
        rerun: bool = False,
        in_groups: bool = False,
    ) -> AsyncIterator[Settled]:
        """Decide what becomes of conversations and do it, as `Window.settle`; `in_groups` as there."""
        window = Window(self.intake, self.in_flight, self.waits, in_groups)
        return window.settle(groups, room, rerun=rerun)

    async def _note_correspondents(self, threads: Mapping[str, list[Message] | ProviderError]) -> None:
        """Remember whom the user has written to, before a run judges by that who a sender is.

        A message that names somebody new is believed only when it is proven to be the user's: anybody can write in the
        user's name. Mailboxes are not asked for what is on record already.
        """
        own, name = self.intake.own, self.mailbox.name
        messages = [m for thread in threads.values() if not isinstance(thread, ProviderError) for m in thread]
        new = await self.correspondents.unknown(name, written_to(messages, own))
        doubtful = [m for m in messages if any(a.key in new for a in written_to([m], own))]
        refused = await self._not_sent(doubtful)
        await self.correspondents.note_sent(name, [m for m in messages if m.id not in refused], own)

    async def _not_sent(self, messages: Sequence[Message]) -> set[str]:
        """The ids of those that are not proven to be the user's."""
        limit = asyncio.Semaphore(CONCURRENT_PROOFS)

        async def is_refused(message: Message) -> bool:
            async with limit:
                return await self.intake.authorship.sent(message.id) is None

        found = await asyncio.gather(*map(is_refused, messages))
        return {message.id for message, refused in zip(messages, found, strict=True) if refused}

    async def _threads(
        self, conversations: Sequence[Sequence[Listed]]
    ) -> dict[str, list[Message] | ProviderError]:
        """The conversations; one that cannot be read for good must not keep the others from being read."""
        ids = [listed[0].mail_thread_id for listed in conversations]
        try:
            return dict(await self.mailbox.threads(ids))
        except (AccessError, TransientError):
            raise
        except ProviderError:
            return {each: await self._thread(each) for each in ids}

    async def _thread(self, mail_thread_id: str) -> list[Message] | ProviderError:
        try:
            return await self.mailbox.thread(mail_thread_id)
        except (AccessError, TransientError):
            raise
        except ProviderError as error:
            return error
