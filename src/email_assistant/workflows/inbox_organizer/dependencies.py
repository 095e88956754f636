"""Models, records and labels of the organizer's nodes."""

from dataclasses import dataclass

from email_assistant.kit.conversations import conversation_of
from email_assistant.kit.reply_workflow import MailWorkflow
from email_assistant.kit.review_loop import Actor
from email_assistant.kit.senders import sender
from email_assistant.meetings.own_meetings import OwnMeetings
from email_assistant.review.risk import Sender
from email_assistant.tools.tool import Toolbox, Turn
from email_assistant.workflows.inbox_organizer.labelling import Labelling
from email_assistant.workflows.inbox_organizer.notes.obsidian import ObsidianVault
from email_assistant.workflows.inbox_organizer.records.hints import CategoryHints
from email_assistant.workflows.inbox_organizer.state import OrganizerWork
from email_assistant.workflows.inbox_organizer.unsubscribing.unsubscribing import Unsubscribing


@dataclass(frozen=True, kw_only=True)
class OrganizerDependencies(MailWorkflow):
    """Labels, records and tools, beside what every graph works with."""

    hints: CategoryHints
    labelling: Labelling
    toolbox: Toolbox
    """The tools that perform proposals other than labels."""
    meetings: OwnMeetings
    unsubscribing: Unsubscribing
    vault: ObsidianVault | None = None
    """The vault that notes go to; None when none is configured."""
    vips: frozenset[str] = frozenset()
    """Addresses and domains whose mail weighs most."""

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories that mail is sorted into."""
        return self.labelling.categories

    def actor(self, kind: str) -> Actor:
        """The performer of actions of this kind; raises `LookupError` when nothing does."""
        if kind in self.invitations.kinds:
            return self.invitations.actor(kind)
        return self.unsubscribing if kind == self.unsubscribing.name else self.toolbox.actor(kind)

    def turn(self, state: OrganizerWork, thread_id: str, kind: str, revision: int = 1) -> Turn:
        """What a tool may know, from the state."""
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
