"""`get_contact` and `search_memory`: what the contacts, the preferences and the mailbox hold about somebody or something."""

import json
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from email_assistant.journal.contact import contact_address
from email_assistant.journal.contacts import Contacts
from email_assistant.mail.mailbox import Mailbox, MailQuery
from email_assistant.mail.text import fence
from email_assistant.memory.profiles import Profiles
from email_assistant.review.risk import Risk
from email_assistant.tools.tool import Arguments, Reading, Turn

MAX_RESULTS = 8


class GetContactArguments(Arguments):
    """Whose details."""

    address: str = Field(min_length=3, max_length=254, description="The person's email address.")


@dataclass(frozen=True)
class GetContact:
    """Tells what is known about a person."""

    contacts: Contacts
    name: ClassVar[str] = "get_contact"
    description: ClassVar[str] = (
        "What the user's contacts hold about the person with this email address: name, organisation, role, phone, "
        "notes, tags, and where that came from."
    )
    arguments: ClassVar[type[Arguments]] = GetContactArguments
    risk: ClassVar[Risk] = Risk.READ

    async def read(self, args: GetContactArguments, turn: Turn) -> Reading:
        """The contact as a JSON object on one line, which no text in it can end; details that are empty are left out."""
        found = await self.contacts.get(args.address)
        if found is None:
            nothing = f"The contacts hold nothing about {contact_address(args.address)}."
            return Reading(nothing, ours=nothing)
        known = {"address": found.address} | {k: v for k, v in found.fields().items() if v}
        known["source"] = found.source
        told = ", ".join(filter(None, (found.name, found.role, found.organisation, found.phone)))
        line = json.dumps(known, ensure_ascii=False)
        return Reading(
            line, (f"Contact: {found.address}: {told or 'no details'} (from {found.source}).",), ours=line
        )


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
