"""What the nodes of this graph work with."""

from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.store.base import BaseStore

from email_assistant.clock import Clock
from email_assistant.mail.authenticity import header_warnings
from email_assistant.mail.mailbox import Mailbox
from email_assistant.memory.learner import Learner
from email_assistant.memory.profiles import Profiles
from email_assistant.models.runner import Models
from email_assistant.review.action import Action
from email_assistant.review.card import CardContext, describe, title, verified, who
from email_assistant.review.kinds import kind_of
from email_assistant.review.risk import Sender
from email_assistant.tools.sending import Sending
from email_assistant.tools.tool import Toolbox, Turn, User
from email_assistant.workflows.email_assistant.state import WorkState
from email_assistant.workflows.email_assistant.turns import said_about
from email_assistant.workflows.kit import lessons
from email_assistant.workflows.kit.conversations import conversation_of, run_thread_id
from email_assistant.workflows.kit.senders import Senders, sender


@dataclass(frozen=True)
class Parts:
    """The dependencies, built once by `bootstrap`."""

    mailbox: Mailbox
    models: Models
    profiles: Profiles
    learner: Learner
    toolbox: Toolbox
    sending: Sending
    senders: Senders
    clock: Clock
    user: User

    async def learn(self, state: WorkState, store: BaseStore | None) -> None:
        """Learn the lesson of a decision, if there is one; nothing from a message whose sender is in doubt."""
        await lessons.learn(self.learner, state, sender_of(state, self.user), store)


def doubts_of(state: WorkState, user: User) -> tuple[str, ...]:
    """The doubts about the sender that triage found; of a state that knows of none yet, those its headers raise."""
    found = state.get("sender_warnings")
    if found is None:
        current = conversation_of(state["email_input"]).current
        return header_warnings(current, own=user.own, host=user.mail_host)
    return tuple(found)


def sender_of(state: WorkState, user: User) -> Sender:
    """Whether the sender is in doubt, for policy and learning."""
    return sender(doubts_of(state, user))


def turn_for(state: WorkState, config: RunnableConfig, user: User, call: dict[str, Any]) -> Turn:
    """What a tool may know, from the state, when it is called."""
    return Turn(
        run_thread_id=run_thread_id(config),
        conversation=conversation_of(state["email_input"]),
        user=user,
        tool_call_id=call["id"],
        previous=state.get("previous"),
        known_actions=tuple(state.get("actions") or ()),
        unheeded=_unheeded(state, call["name"]),
        graph="email_assistant",
        round=state.get("round") or 1,
    )


def _unheeded(state: WorkState, kind: str) -> tuple[str, ...]:
    """What the person said about such proposals and the offline rules, where they speak, cannot follow."""
    return said_about(kind, state["messages"]) if state.get("offline") else ()


def card_for(action: Action, state: WorkState, user: User) -> str:
    """The description of the card for an action."""
    conversation = conversation_of(state["email_input"])
    name = title(
        conversation.current.sender.name or conversation.current.sender.email or who(conversation.current)
    )
    reasons = (*action.reasons, *(state.get("facts") or ()))
    return describe(
        Action.from_json(action.as_json() | {"reasons": list(dict.fromkeys(reasons))}),
        CardContext(
            conversation=conversation,
            timezone=user.timezone,
            headline=(action.headline or kind_of(action.kind).headline).replace("{who}", name),
            triage_reason=state.get("triage_reason") or "",
            sender_warnings=doubts_of(state, user),
            offline=bool(state.get("offline")),
            problem=state.get("problem") or "",
            verified=verified(conversation.current, user.mail_host),
        ),
    )
