"""Models, records and labels of the organizer's nodes."""

from dataclasses import dataclass

from email_assistant.clock import Clock
from email_assistant.kit.conversations import conversation_of
from email_assistant.kit.review_loop import Actor, ReviewLoop
from email_assistant.kit.senders import Senders
from email_assistant.mail.mailbox import Mailbox
from email_assistant.memory.learner import Learner
from email_assistant.memory.profiles import Profiles
from email_assistant.models.runner import Models
from email_assistant.tools.drafts import Drafts
from email_assistant.tools.invitations import InvitationDesk
from email_assistant.tools.own_meetings import OwnMeetings
from email_assistant.tools.tool import Toolbox, Turn, User
from email_assistant.workflows.inbox_organizer.labelling import Labelling
from email_assistant.workflows.inbox_organizer.notes.vault import Vault
from email_assistant.workflows.inbox_organizer.records.hints import CategoryHints
from email_assistant.workflows.inbox_organizer.state import OrganizerWork
from email_assistant.workflows.inbox_organizer.unsubscribing.unsubscribing import Unsubscribing


@dataclass(frozen=True)
class OrganizerDependencies:
    """What the nodes work with, built from the container."""

    mailbox: Mailbox
    models: Models
    hints: CategoryHints
    senders: Senders
    labelling: Labelling
    toolbox: Toolbox
    """What proposals other than labels are performed by."""
    meetings: OwnMeetings
    unsubscribing: Unsubscribing
    drafts: Drafts
    profiles: Profiles
    learner: Learner
    user: User
    clock: Clock
    invitations: InvitationDesk
    vault: Vault | None = None
    """Where notes go; None when no vault is configured."""
    vips: frozenset[str] = frozenset()
    """Addresses and domains whose mail weighs most."""

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories that mail is sorted into."""
        return self.labelling.categories

    @property
    def review(self) -> ReviewLoop:
        """How its cards are asked about."""
        return ReviewLoop(self.user, self.mailbox.name)

    def actor(self, kind: str) -> Actor:
        """What performs an action of this kind; raises `LookupError` when nothing does."""
        if kind in self.invitations.kinds:
            return self.invitations.actor(kind)
        return self.unsubscribing if kind == self.unsubscribing.name else self.toolbox.actor(kind)

    def turn(self, state: OrganizerWork, thread_id: str, kind: str, revision: int = 1) -> Turn:
        """What a tool may know, from the state."""
        conversation = conversation_of(state["email_input"])
        message_id = conversation.current.id or conversation.current.mail_thread_id
        call_id = f"inbox_organizer:{kind}:{message_id}:{state.get('round') or 1}"
        return Turn(
            thread_id,
            conversation,
            self.user,
            call_id,
            revision,
            known_actions=tuple(state.get("actions") or ()),
            graph="inbox_organizer",
            round=state.get("round") or 1,
        )
