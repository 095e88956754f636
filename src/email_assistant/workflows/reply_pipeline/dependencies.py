"""What the nodes of this graph work with."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from langgraph.store.base import BaseStore

from email_assistant.clock import Clock
from email_assistant.kit.conversations import conversation_of
from email_assistant.kit.reply.reply_workflow import reply_turn
from email_assistant.kit.senders import Senders, sender
from email_assistant.mail.message import Conversation
from email_assistant.memory.learner import Learner
from email_assistant.memory.profiles import Profiles
from email_assistant.models.runner import Models
from email_assistant.review.risk import Sender
from email_assistant.tools.drafts import Drafts
from email_assistant.tools.invitations import InvitationDesk
from email_assistant.tools.mail_tools import SendEmail
from email_assistant.tools.tool import Reading, Turn, User
from email_assistant.workflows.reply_pipeline.policy import review_reasons
from email_assistant.workflows.reply_pipeline.state import WorkState


@dataclass(frozen=True, slots=True)
class Found:
    """Something that may help to answer."""

    text: str
    source: str
    """Where it comes from, as a person would say it: `Mail of Ana Petrova, 3 March 2026: Ring fitting`."""
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
        """What is similar enough, the best first."""
        ...


class PipelineTool(Protocol):
    """A tool of the pipeline: its arguments come from the state, never from the model."""

    @property
    def seconds(self) -> float:
        """How long it may take."""
        ...

    def run(self, turn: Turn) -> Awaitable[Reading]:
        """Look up; raises `InputError` or `ProviderError`."""
        ...


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft whose facts were looked up."""

    text: str
    """With a gap in place of each fact that nothing supports."""
    gaps: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    """What is supported, each with its source."""


class FactChecker(Protocol):
    """Compares a draft with what it may rest on."""

    async def check(self, draft: str, state: WorkState, conversation: Conversation) -> Checked:
        """The draft with its gaps."""
        ...


class Examples(Protocol):
    """Keeps answers that were sent, with the mail they answer. Never raises."""

    async def keep(self, conversation: Conversation, store: BaseStore | None) -> None:
        """For the next similar mail."""
        ...


@dataclass(frozen=True)
class PipelineDependencies:
    """What the nodes work with, built from the container."""

    models: Models
    senders: Senders
    profiles: Profiles
    learner: Learner
    retrievers: tuple[Retriever, ...]
    tools: Mapping[str, PipelineTool]
    send_email: SendEmail
    drafts: Drafts
    user: User
    clock: Clock
    checker: FactChecker
    invitations: InvitationDesk
    graph: ClassVar[str] = "reply_pipeline"
    examples: Examples | None = None
    """Where answers are kept for the next similar mail."""

    async def blocking_reason(self, state: WorkState) -> str:
        """Nothing but the mailbox, which the tool looks at."""
        return ""

    async def sent(self, state: WorkState, store: BaseStore | None) -> dict[str, Any]:
        """Keep the answer as an example; not for a sender in doubt."""
        if self.examples is None or sender(state.get("sender_warnings")) is Sender.IN_DOUBT:
            return {}
        await self.examples.keep(conversation_of(state.get("email_input")), store)
        return {}

    async def rejected(self, state: WorkState) -> dict[str, Any]:
        """Nothing waits for the answer."""
        return {}

    def turn(self, state: WorkState, thread_id: str, revision: int = 1) -> Turn:
        """What a tool may know, from the state."""
        return reply_turn(state, thread_id, revision, self.user, "reply_pipeline", is_checked=True)

    def review_reasons(self, state: WorkState) -> list[str]:
        """See `policy`."""
        return review_reasons(state)

    def card_lines(self, state: WorkState) -> tuple[str, ...]:
        """What was used, each with its source."""
        return tuple(
            f"Used: {item['source']} (similarity {item['score']:.2f})"
            for item in state.get("retrieved") or []
        )

    def headline(self, state: WorkState) -> str:
        """Whose mail it is, and what it wants."""
        return f"{{who}} {{wants}} ({_told_class(state)})"


def _told_class(state: Mapping[str, Any]) -> str:
    """The classification in words."""
    return f"{str(state.get('classification', '')).replace('_', ' ')}, {100 * float(state.get('confidence', 0)):.0f}% sure"
