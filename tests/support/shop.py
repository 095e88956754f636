"""Mail of a small shop for tests of what is known of the past."""

import itertools
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from langgraph.store.base import BaseStore

from email_assistant.knowledge.embedding import Embedder, LexicalEmbedding
from email_assistant.mail.address import Address
from email_assistant.mail.message import Message
from email_assistant.workflows.reply_pipeline.past_mail.knowledge import Knowledge

ME = Address("robin@vale.example", "Robin Vale")
ANA = Address("ana@petrova.example", "Ana Petrova")
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
_numbers = itertools.count(1)


def letter(
    text: str, *, sender: Address = ANA, subject: str = "", thread: str = "", **fields: Any
) -> Message:
    """A message with ids of its own."""
    number = next(_numbers)
    defaults: dict[str, Any] = {
        "id": f"id-{number}",
        "mail_thread_id": thread or f"thread-{number}",
        "message_id": f"<{number}@mail.example>",
        "date": START + timedelta(hours=number),
        "to": (ME,),
    }
    return Message(sender=sender, subject=subject, text=text, **defaults | fields)


def exchange(asked: str, answer: str, *, subject: str = "") -> list[Message]:
    """A mail and the answer that the user sent."""
    theirs = letter(asked, subject=subject)
    ours = letter(
        answer,
        sender=ME,
        subject=f"Re: {subject}",
        thread=theirs.mail_thread_id,
        to=(ANA,),
        in_reply_to=theirs.message_id,
    )
    return [theirs, ours]


@dataclass
class Doubted:
    """Whose mail is in doubt."""

    addresses: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)

    async def __call__(self, message: Message) -> list[str]:
        """One sign for those."""
        self.asked.append(message.id)
        return ["It is not from whom it seems to be."] if message.sender.key in self.addresses else []


@dataclass
class Shop:
    """A store, what is known in it, and whose mail is in doubt."""

    store: BaseStore
    embedder: Embedder = field(default_factory=lambda: Embedder(LexicalEmbedding()))
    doubted: Doubted = field(default_factory=Doubted)
    mailbox: str = "maildir:robin"

    @property
    def knowledge(self) -> Knowledge:
        """Of this mailbox."""
        return Knowledge(self.mailbox, frozenset({ME.key}), self.embedder, self.doubted)

    async def knows(self, *messages: Message) -> dict[str, int]:
        """Index a conversation."""
        return dict(await self.knowledge.index(self.store, messages))

    async def sources(self, about: Message | str, **how: Any) -> list[str]:
        """The ids of what is found."""
        return [one.source.message_id for one in await self.knowledge.find(self.store, about, **how)]
