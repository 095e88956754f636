"""`search_memory`: what the preferences and the mailbox hold about something."""

from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from email_assistant.mail.mailbox import Mailbox, MailQuery
from email_assistant.mail.text import fence
from email_assistant.memory.profiles import Profiles
from email_assistant.review.risk import Risk
from email_assistant.tools.tool import Arguments, Reading, Turn

MAX_RESULTS = 8


class SearchMemoryArguments(Arguments):
    """What to look for."""

    query: str = Field(min_length=1, max_length=200)


@dataclass(frozen=True)
class SearchMemory:
    """Finds preference lines and past messages by words."""

    profiles: Profiles
    mailbox: Mailbox
    name: ClassVar[str] = "search_memory"
    description: ClassVar[str] = "Search the user's preferences and the headers of past messages for words."
    arguments: ClassVar[type[Arguments]] = SearchMemoryArguments
    risk: ClassVar[Risk] = Risk.READ

    async def read(self, args: SearchMemoryArguments, turn: Turn) -> Reading:
        """Matching preference lines and the newest matching messages, as data."""
        words = {w for w in args.query.lower().split() if len(w) > 2}
        lines = [line for line in await self.profiles.lines() if words & set(line.lower().split())]
        ids = (await self.mailbox.inbox(MailQuery(text=args.query)))[-MAX_RESULTS:]
        messages = [await self.mailbox.fetch(i) for i in ids if i != turn.conversation.current.id]
        found = [*lines[:MAX_RESULTS], *[f"{m.date}: {m.sender.email}: {m.subject}" for m in messages]]
        return Reading(fence("\n".join(found)) if found else "Nothing was found.")
