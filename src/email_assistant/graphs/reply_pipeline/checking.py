"""The draft's facts, looked up in the mail, in what was found and in what the tools said."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from email_assistant.clock import Clock
from email_assistant.facts.check import check
from email_assistant.facts.fact import Own, Source
from email_assistant.graphs.reply_pipeline.parts import Checked
from email_assistant.graphs.reply_pipeline.state import WorkState
from email_assistant.mail.message import Conversation, Message
from email_assistant.tools.tool import User

MAX_SOURCE = 8_000
"""Characters of a source that are read: as many as the writer gets, about."""
MAX_EARLIER = 8


@dataclass(frozen=True)
class FactCheck:
    """See docs/fact_check.md."""

    user: User
    clock: Clock

    async def check(self, draft: str, state: WorkState, conversation: Conversation) -> Checked:
        """The draft with a gap for each fact and promise that nothing supports."""
        own = Own(self.user.address.name, self.user.address.email, (self.user.background,))
        sources = list(_sources(state, conversation, self.user))
        found = await asyncio.to_thread(
            check, draft, sources, now=self.clock.now(), timezone=self.user.timezone, own=own
        )
        facts = tuple(f"{fact.quoted} ({fact.source})" for fact in found.facts if fact.source)
        return Checked(found.text, tuple(gap.quoted for gap in found.gaps), facts)


def _sources(state: WorkState, conversation: Conversation, user: User) -> Iterator[Source]:
    yield _of_message(conversation.current, "the mail", user)
    for message in conversation.earlier[-MAX_EARLIER:]:
        yield _of_message(message, "earlier mail", user)
    for item in state.get("retrieved") or []:
        if item["ours"]:
            yield Source(item["source"], item["ours"][:MAX_SOURCE], "ours")
        if item["ours"] != item["text"]:
            yield Source(item["source"], item["text"][:MAX_SOURCE], "theirs")
    for name, result in (state.get("tool_results") or {}).items():
        if result["success"]:
            yield Source(name, result["result"][:MAX_SOURCE], "ours")


def _of_message(message: Message, name: str, user: User) -> Source:
    ours = message.sender.key in user.own
    text = f"{message.sender.name}\n{message.subject}\n{message.text}"[:MAX_SOURCE]
    return Source(name, text, "ours" if ours else "theirs", message.date)
