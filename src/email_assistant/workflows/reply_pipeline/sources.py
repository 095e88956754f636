"""Sources that an answer may rest on: where context is found, and the draft held against it."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

import structlog
from langgraph.store.base import BaseStore

from email_assistant.calendars.calendar import Calendar
from email_assistant.clock import Clock, now_for
from email_assistant.errors import ConfigError, InputError, ProviderError
from email_assistant.facts.fact import CheckedDraft, Source
from email_assistant.mail.authenticity import Authorship
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.message import Conversation
from email_assistant.tools.draft_check import MAX_EARLIER, MAX_SOURCE, mail_sources, with_gaps
from email_assistant.tools.tool import User
from email_assistant.workflows.reply_pipeline.past_mail.knowledge import FoundMail, Knowledge
from email_assistant.workflows.reply_pipeline.records.contacts import Contacts
from email_assistant.workflows.reply_pipeline.state import WorkState

log = structlog.get_logger(__name__)

MAX_PAST = 4
AHEAD = timedelta(days=14)
MAX_EVENTS = 5


@dataclass(frozen=True, slots=True)
class Found:
    """Something that may help to answer."""

    text: str
    source: str
    """Its origin, as a person would say it: `Mail of Ana Petrova, 3 March 2026: Ring fitting`."""
    score: float
    """0 to 1; see docs/knowledge.md. 1 for what was looked up by its key."""
    kind: str
    """"mail", "contact" or "calendar"."""
    ours: str = ""
    """The part of the text that our side has said: promises may rest on it."""


class Retriever(Protocol):
    """Finds what helps to answer."""

    async def find(
        self, conversation: Conversation, classification: str, store: BaseStore | None
    ) -> Sequence[Found]:
        """Items that are similar enough, the best first."""


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
        now, writer = now_for(self.clock, conversation.arrived), conversation.current.sender.key
        try:
            events = await self.calendar.events(now, now + AHEAD)
        except ProviderError:
            return ()
        shared = [e for e in events if not e.unread and writer in {a.key for a in e.attendees}][:MAX_EVENTS]
        return [
            Found(
                f"{e.title}, {e.start.isoformat()} to {e.end.isoformat()}", "your calendar", 1.0, "calendar"
            )
            for e in shared
        ]


@dataclass(frozen=True)
class SenderContact:
    """The sender's entry in the contacts; for complaints and follow-ups the tool that looks them up tells more."""

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
        text = known or contact.address
        return (Found(text, f"your contacts ({contact.source})", 1.0, "contact", ours=text),)


@dataclass(frozen=True)
class PastMail:
    """Similar mail of other conversations, and the answers that were sent for it; this conversation is kept for later."""

    knowledge: Knowledge
    authorship: Authorship

    async def find(
        self, conversation: Conversation, classification: str, store: BaseStore | None
    ) -> Sequence[Found]:
        """The best few; an embedding that fails yields nothing, and the log says so."""
        if store is None:
            return ()
        try:
            past = await self.knowledge.find(store, conversation.current, limit=MAX_PAST)
        except (ConfigError, ProviderError) as error:
            log.warning("knowledge_not_searched", reason=type(error).__name__, detail=str(error)[:200])
            past = []
        await self.knowledge.note(store, conversation)
        return list(await asyncio.gather(*(self._found(each) for each in past)))

    async def _found(self, past: FoundMail) -> Found:
        item, answer = past.source, ""
        who = "you" if item.role == "ours" else item.sender
        # It is kept as ours when its sender is the user's address, which anybody may have written there.
        if past.answer and await self.authorship.sent(past.answer.message_id):
            answer = past.answer.text  # Without its subject, which is the other party's.
        source = f"mail of {who}, {item.date[:10] or 'no date'}: {item.subject or '(no subject)'}"
        return Found(past.words, source, past.score, "mail", ours=answer)


@dataclass(frozen=True)
class SentAnswers:
    """Keeps what was sent, as an example for the next similar mail."""

    knowledge: Knowledge
    mailbox: Mailbox

    async def keep(self, conversation: Conversation, store: BaseStore | None) -> None:
        """The conversation as the mailbox has it now; a failure is logged."""
        if store is None:
            return
        try:
            await self.knowledge.index(store, await self.mailbox.thread(conversation.current.mail_thread_id))
        except Exception as error:  # noqa: BLE001 - the answer is sent; that it is not found later must change nothing
            log.warning("answer_not_kept", reason=type(error).__name__, detail=str(error)[:200])


@dataclass(frozen=True)
class FactCheck:
    """See docs/fact_check.md."""

    user: User
    clock: Clock
    authorship: Authorship

    async def check(
        self, draft: str, state: WorkState, conversation: Conversation, said: str
    ) -> CheckedDraft:
        """The draft with a gap for each fact and promise that nothing supports; `said` is what the user said."""
        mail = mail_sources(conversation, await self._genuine(conversation))
        sources = [*mail, Source("what you said", said, "ours"), *_of_past_mail(state), *_of_tools(state)]
        return await with_gaps(draft, sources, self.user, now_for(self.clock, conversation.arrived))

    async def _genuine(self, conversation: Conversation) -> Mapping[str, str]:
        """Earlier texts of the user, by the message's id: as the mailbox has it, not as the run was told."""
        claimed = [m for m in conversation.earlier[-MAX_EARLIER:] if m.sender.key in self.user.own]
        sent = await asyncio.gather(*(self.authorship.sent(message.id) for message in claimed))
        return {message.id: message.text for message in sent if message}


def _of_past_mail(state: WorkState) -> Iterator[Source]:
    for item in state.get("retrieved") or []:
        if item["ours"]:
            yield Source(item["source"], item["ours"][:MAX_SOURCE], "ours")
        if item["ours"] != item["text"]:
            yield Source(item["source"], item["text"][:MAX_SOURCE], "theirs")


def _of_tools(state: WorkState) -> Iterator[Source]:
    for name, result in (state.get("tool_results") or {}).items():
        if result["success"]:
            ours = (state.get("tool_ours") or {}).get(name, "")
            if ours:
                yield Source(name, ours[:MAX_SOURCE], "ours")
            if ours != result["result"]:
                yield Source(name, result["result"][:MAX_SOURCE], "theirs")
