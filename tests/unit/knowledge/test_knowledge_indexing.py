"""The past brought in from a mailbox: each conversation once, broken off and gone on with, in flat memory."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from email_assistant.errors import ProviderError, TransientError
from email_assistant.knowledge.embedding import DIMS
from email_assistant.mail.mailbox import Listed, MailQuery
from email_assistant.mail.message import Message
from email_assistant.workflows.reply_pipeline.past_mail.knowledge import TOGETHER, Indexing
from tests.support.shop import ANA, ME, START, Shop, letter


class Past:
    """A mailbox of so many conversations, each of two received mails and an answer, made up when it is asked for."""

    def __init__(self, conversations: int) -> None:
        self.conversations = conversations
        self.read: Counter[str] = Counter()
        self.most = 0
        self.breaks_at = ""

    async def scan(self, query: MailQuery) -> AsyncIterator[Listed]:
        """Both received mails of each."""
        for number in range(min(self.conversations, query.limit or self.conversations)):
            yield Listed(f"a{number}", f"t{number}")
            yield Listed(f"c{number}", f"t{number}")

    async def threads(self, listed: Sequence[Listed]) -> dict[str, list[Message] | ProviderError]:
        """Their conversations."""
        self.most = max(self.most, len(listed))
        if any(each.mail_thread_id == self.breaks_at for each in listed):
            raise TransientError("the connection broke")
        self.read.update(each.mail_thread_id for each in listed)
        return {each.mail_thread_id: self._thread(each.mail_thread_id) for each in listed}

    def _thread(self, thread: str) -> list[Message] | ProviderError:
        if thread == "t13":
            return UnreadableError("it cannot be read")
        number = thread[1:]
        about = f"cargo bike number {number}"
        return [
            letter(about, id=f"a{number}", thread=thread, date=START),
            letter("The price is here.", id=f"b{number}", thread=thread, sender=ME, to=(ANA,), date=START),
            letter(f"Thanks for {number}!", id=f"c{number}", thread=thread, date=START),
        ]


class UnreadableError(ProviderError):
    """A conversation that the mailbox cannot give, for good."""


def shop() -> Shop:
    """An empty store that embeds by the shop's embedder."""
    made = Shop(InMemoryStore())
    made.store = InMemoryStore(index={"dims": DIMS, "embed": made.embedder.embed, "fields": ["text"]})
    return made


async def index(past: Any, into: Shop, query: MailQuery | None = None) -> Counter[str]:
    """All of it."""
    indexing = Indexing(past, past.threads, into.knowledge)
    return sum([some async for some in indexing.run(into.store, query or MailQuery())], Counter())


async def test_each_conversation_is_read_once_and_a_few_together() -> None:
    """However many of its mails are listed; one that cannot be read is counted and keeps nothing up."""
    past, into = Past(2 * TOGETHER + 3), shop()
    assert await index(past, into) == {"added": 3 * (2 * TOGETHER + 2), "unreadable": 1}
    assert set(past.read.values()) == {1}
    assert past.most == TOGETHER
    assert await index(past, into) == {"unchanged": 3 * (2 * TOGETHER + 2), "unreadable": 1}


async def test_what_was_broken_off_goes_on() -> None:
    """What is written stays; the next time it is known."""
    past, into = Past(2 * TOGETHER), shop()
    past.breaks_at = f"t{TOGETHER + 1}"
    with pytest.raises(TransientError):
        await index(past, into)
    past.breaks_at = ""
    counts = await index(past, into)
    assert (counts["unchanged"], counts["added"]) == (3 * (TOGETHER - 1), 3 * TOGETHER)
