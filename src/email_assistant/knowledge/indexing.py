"""The past brought into the store: a mailbox's conversations, a few at a time, in flat memory."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from langgraph.store.base import BaseStore

from email_assistant.errors import ProviderError
from email_assistant.knowledge.knowledge import Knowledge
from email_assistant.mail.mailbox import Listed, Mailbox, MailQuery
from email_assistant.mail.message import Message

TOGETHER = 50
"""Conversations read together: as many as a batch of Gmail's holds."""
WRITING = 8
"""Conversations that are written side by side."""

Threads = Callable[[Sequence[Listed]], Awaitable[Mapping[str, Sequence[Message] | ProviderError]]]
"""The conversations of these messages, by their ids; for one that cannot be read the reason."""


@dataclass(frozen=True)
class Indexing:
    """Brings the conversations of the inbox's mail into the store, what was sent in them included."""

    mailbox: Mailbox
    threads: Threads
    knowledge: Knowledge

    async def run(self, store: BaseStore, query: MailQuery) -> AsyncIterator[Counter[str]]:
        """What became of the messages, some conversations at a time; can be broken off and repeated at any time."""
        # Ids only: a hundred thousand of them are a few megabytes.
        seen: set[str] = set()
        batch: list[Listed] = []
        async for listed in self.mailbox.scan(query):
            if listed.mail_thread_id in seen:
                continue
            seen.add(listed.mail_thread_id)
            batch.append(listed)
            if len(batch) == TOGETHER:
                yield await self._index(store, batch)
                batch = []
        if batch:
            yield await self._index(store, batch)

    async def _index(self, store: BaseStore, batch: Sequence[Listed]) -> Counter[str]:
        found = await self.threads(batch)
        room = asyncio.Semaphore(WRITING)

        async def one(messages: Sequence[Message] | ProviderError) -> Counter[str]:
            if isinstance(messages, ProviderError):
                return Counter(unreadable=1)
            async with room:
                return Counter({str(k): v for k, v in (await self.knowledge.index(store, messages)).items()})

        # A group, because the others have to be over when one fails: they use the database.
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(messages)) for messages in found.values()]
        return sum((task.result() for task in tasks), Counter())
