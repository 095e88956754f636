"""Where context comes from besides past mail."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from langgraph.store.base import BaseStore

from email_assistant.calendars.calendar import Calendar
from email_assistant.clock import Clock
from email_assistant.errors import InputError, ProviderError
from email_assistant.graphs.reply_pipeline.parts import Found
from email_assistant.journal.contacts import Contacts
from email_assistant.mail.message import Conversation

AHEAD = timedelta(days=14)
MAX_EVENTS = 5


@dataclass(frozen=True)
class SharedEvents:
    """Events of the coming days that the sender takes part in, for meeting requests."""

    calendar: Calendar
    clock: Clock
    timezone: str

    async def find(
        self, conversation: Conversation, classification: str, store: BaseStore | None
    ) -> Sequence[Found]:
        """The first few; a calendar that cannot be read yields nothing here: the tool that checks it says so."""
        if classification != "meeting_request":
            return ()
        now, writer = self.clock.now(), conversation.current.sender.key
        try:
            events = await self.calendar.events(now, now + AHEAD)
        except ProviderError:
            return ()
        shared = [e for e in events if writer in {a.key for a in e.attendees}][:MAX_EVENTS]
        return [
            Found(
                f"{e.title}, {e.start.isoformat()} to {e.end.isoformat()}", "your calendar", 1.0, "calendar"
            )
            for e in shared
        ]


@dataclass(frozen=True)
class SenderContact:
    """What the contacts hold about the sender; for complaints and follow-ups the tool that looks them up tells more."""

    contacts: Contacts

    async def find(
        self, conversation: Conversation, classification: str, store: BaseStore | None
    ) -> Sequence[Found]:
        """One item, or none."""
        try:
            contact = await self.contacts.get(conversation.current.sender.email)
        except InputError:
            return ()
        if contact is None:
            return ()
        known = ", ".join(filter(None, (contact.name, contact.role, contact.organisation, contact.notes)))
        return (Found(known or contact.address, f"your contacts ({contact.source})", 1.0, "contact"),)
