"""Models, records and labels of the organizer's nodes."""

from dataclasses import dataclass

from langgraph.store.base import BaseStore

from email_assistant.journal.mail_log import MailLog
from email_assistant.kit.conversations import conversation_of
from email_assistant.kit.response.dependencies import AssistantDependencies
from email_assistant.kit.response.state import AssistantWork
from email_assistant.kit.review_loop import Actor
from email_assistant.kit.senders import sender
from email_assistant.mail.message import Message
from email_assistant.review.action import Sender
from email_assistant.tools.tool import Turn
from email_assistant.workflows.inbox_organizer.guesses import LabelGuesses
from email_assistant.workflows.inbox_organizer.importance import is_vip
from email_assistant.workflows.inbox_organizer.labelling import Labelling
from email_assistant.workflows.inbox_organizer.notes import ObsidianVault
from email_assistant.workflows.inbox_organizer.records.hints import CategoryHints, hint_keys
from email_assistant.workflows.inbox_organizer.state import OrganizerWork
from email_assistant.workflows.inbox_organizer.unsubscribing.unsubscribing import Unsubscribing


@dataclass(frozen=True, kw_only=True)
class OrganizerDependencies(AssistantDependencies):
    """Labels and records, beside what the response agent works with."""

    hints: CategoryHints
    guesses: LabelGuesses
    labelling: Labelling
    mail_log: MailLog
    unsubscribing: Unsubscribing
    vault: ObsidianVault | None = None
    """The vault that notes go to; None when none is configured."""
    vips: frozenset[str] = frozenset()
    """Addresses and domains whose mail weighs most."""

    async def taught_keys(self, state: OrganizerWork) -> tuple[str, ...]:
        """What a person's correction of the mail's label teaches about; () of a sender in doubt, whose mail teaches nothing."""
        message = conversation_of(state["email_input"]).current
        if sender(state.get("sender_warnings")) is not Sender.PLAIN or not message.id:
            return ()
        known = await self.senders.known(message)
        return hint_keys(message, is_correspondent=known.sender is not None)

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories that mail is sorted into."""
        return self.labelling.categories

    async def learn(self, state: AssistantWork, store: BaseStore | None) -> None:
        """As in every graph, but that a reply which is not wanted says nothing about triage: the mail is sorted all the same."""
        if (state.get("lesson") or {}).get("profile") != "triage_preferences":
            await super().learn(state, store)

    async def is_known(self, message: Message) -> bool:
        """As in every graph; VIPs are somebody, too."""
        return is_vip(message.sender, self.vips) or await super().is_known(message)

    async def is_with_another(self, message: Message) -> bool:
        """Whether another workflow has taken the message up: one alone proposes, and this one sorts what the others have."""
        return bool(message.id and await self.mail_log.elsewhere(self.mailbox.name, message.id, self.graph))

    def actor(self, kind: str) -> Actor:
        """The performer of actions of this kind; raises `LookupError` when nothing does."""
        if kind in self.invitations.kinds:
            return self.invitations.actor(kind)
        if kind == self.unsubscribing.name:
            return self.unsubscribing
        raise LookupError(f"nothing performs {kind!r}")

    def card_turn(self, state: OrganizerWork, thread_id: str, kind: str, revision: int = 1) -> Turn:
        """What makes a card that no tool call asked for may know, from the state."""
        conversation = conversation_of(state["email_input"])
        message_id = conversation.current.id or conversation.current.mail_thread_id
        call_id = f"{self.graph}:{kind}:{message_id}:{state.get('round') or 1}"
        return Turn(
            thread_id,
            conversation,
            self.user,
            call_id,
            revision,
            known_actions=tuple(state.get("actions") or ()),
            graph=self.graph,
            round=state.get("round") or 1,
            is_doubted=sender(state.get("sender_warnings")) is Sender.IN_DOUBT,
        )
