"""What the nodes of this graph work with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from email_assistant.clock import Clock
from email_assistant.mail.mailbox import Mailbox
from email_assistant.memory.learner import Learner
from email_assistant.memory.profiles import Profiles
from email_assistant.models.runner import Models
from email_assistant.review.action import Action, Problem
from email_assistant.review.card import CardContext, describe, title, verified, who
from email_assistant.review.kinds import kind_of
from email_assistant.tools.drafts import Drafts
from email_assistant.tools.tool import AskAgain, Done, Toolbox, Turn, User
from email_assistant.workflows.inbox_organizer.labelling import Labelling
from email_assistant.workflows.inbox_organizer.notes.vault import Vault
from email_assistant.workflows.inbox_organizer.records.hints import CategoryHints
from email_assistant.workflows.inbox_organizer.state import WorkState
from email_assistant.workflows.inbox_organizer.unsubscribing.unsubscribing import Unsubscribing
from email_assistant.workflows.kit.conversations import conversation_of
from email_assistant.workflows.kit.senders import Senders


class Actor(Protocol):
    """What becomes of an action after it was shown; see `ActionTool`."""

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """The action as the human edited it, or what is wrong with the edit."""
        ...

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Do exactly what was reviewed, once."""
        ...

    async def discard(self, action: Action) -> None:
        """The action is not wanted."""
        ...


@dataclass(frozen=True)
class Parts:
    """The dependencies, built once by `bootstrap`."""

    mailbox: Mailbox
    models: Models
    hints: CategoryHints
    senders: Senders
    labelling: Labelling
    toolbox: Toolbox
    """What proposals other than labels are performed by."""
    unsubscribing: Unsubscribing
    drafts: Drafts
    profiles: Profiles
    learner: Learner
    user: User
    clock: Clock
    vault: Vault | None = None
    """Where notes go; None when no vault is configured."""
    vips: frozenset[str] = frozenset()
    """Addresses and domains whose mail weighs most."""

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories that mail is sorted into."""
        return self.labelling.categories

    def actor(self, kind: str) -> Actor:
        """What performs an action of this kind; raises `LookupError` when nothing does."""
        return self.unsubscribing if kind == self.unsubscribing.name else self.toolbox.actor(kind)

    def turn(self, state: WorkState, thread_id: str, kind: str, revision: int = 1) -> Turn:
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


def card_for(action: Action, state: WorkState, user: User) -> str:
    """The description of the card for an action."""
    conversation = conversation_of(state["email_input"])
    current = conversation.current
    name = title(current.sender.name or current.sender.email or who(current))
    context = CardContext(
        conversation=conversation,
        timezone=user.timezone,
        headline=(action.headline or kind_of(action.kind).headline).replace("{who}", name),
        sender_warnings=tuple(state.get("sender_warnings") or ()),
        offline=bool(action.facts.get("offline", state.get("offline"))),
        problem=state.get("problem") or "",
        verified=verified(current, user.mail_host),
    )
    return describe(action, context)
