"""`get_contact`: what the user's contacts hold about a person."""

import json
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from email_assistant.journal.contact import contact_address
from email_assistant.journal.contacts import Contacts
from email_assistant.review.risk import Risk
from email_assistant.tools.tool import Arguments, Reading, Turn


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
