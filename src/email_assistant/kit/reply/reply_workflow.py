"""The `ReplyWorkflow` protocol: a graph's own side of asking for and sending its reply."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from langgraph.store.base import BaseStore

from email_assistant.facts.fact import Source
from email_assistant.kit.conversations import conversation_of
from email_assistant.kit.review_loop import ReviewLoop
from email_assistant.memory.learner import Learner
from email_assistant.tools.mail_tools import SendEmail
from email_assistant.tools.tool import Turn, User

State = Any
"""A graph's own state, which has the fields of `ReplyState`."""


class ReplyWorkflow(Protocol):
    """One graph's side."""

    @property
    def send_email(self) -> SendEmail:
        """The tool that prepares and sends."""
        ...

    @property
    def user(self) -> User:
        """Who the assistant works for."""
        ...

    @property
    def learner(self) -> Learner | None:
        """What learns from answers; None for a graph that reads no preferences."""
        ...

    def turn(self, state: State, thread_id: str, revision: int = 1) -> Turn:
        """What a tool may know, from the state."""
        ...

    def review_reasons(self, state: State) -> Sequence[str]:
        """Why a person is asked about the reply, one plain sentence each; with none it stays a draft, and nobody is asked."""
        ...

    def card_lines(self, state: State) -> Sequence[str]:
        """What else the card says, a line each."""
        ...

    def headline(self, state: State) -> str:
        """The card's first sentence; "{who}" stands for the sender's name."""
        ...

    async def blocking_reason(self, state: State) -> str:
        """Why an approved reply must not be sent as it is, or "": a person is asked again."""
        ...

    async def sent(self, state: State, store: BaseStore | None) -> Mapping[str, Any]:
        """The reply is sent: what follows from it, and the update of the graph's own fields. It may be called again after a crash."""
        ...

    async def rejected(self, state: State) -> Mapping[str, Any]:
        """The reply is not wanted: what follows from it, and the update of the graph's own fields. It may be called again after a crash."""
        ...


def review_of(workflow: ReplyWorkflow) -> ReviewLoop:
    """How the workflow's cards are asked about."""
    return ReviewLoop(workflow.user, workflow.send_email.sending.mailbox.name)


@dataclass(frozen=True, slots=True)
class Goals:
    """Where a person's words send the work."""

    rewrite: str
    """The node that writes the reply again."""
    learns: bool = False
    """Whether decisions go by `learn`."""

    @property
    def of_queue(self) -> tuple[str, ...]:
        """Where `human_queue` leads."""
        return ("human_queue", "dispatch", self.of_words, "rejected")

    @property
    def of_words(self) -> str:
        """Where a person's words go."""
        return "learn" if self.learns else self.rewrite

    @property
    def of_sent(self) -> str:
        """Where it goes on when the reply is sent."""
        return "learn" if self.learns else "__end__"


def reply_turn(
    state: State, thread_id: str, revision: int, user: User, graph: str, *, is_checked: bool = False
) -> Turn:
    """The turn of a graph that answers once a round; `is_checked` as in `Turn`."""
    conversation = conversation_of(state.get("email_input"))
    message_id = conversation.current.id or conversation.current.mail_thread_id
    return Turn(
        thread_id,
        conversation,
        user,
        f"{graph}:reply:{message_id}:{state.get('round') or 1}",
        revision,
        known_actions=tuple(state.get("actions") or ()),
        unheeded=tuple(state.get("unheeded") or ()),
        graph=graph,
        round=state.get("round") or 1,
        sources=tuple(Source("what you said", each, "ours") for each in state.get("feedback") or ()),
        is_checked=is_checked,
    )
