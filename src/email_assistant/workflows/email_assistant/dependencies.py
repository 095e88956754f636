"""Tools, models and records of the assistant's nodes."""

from dataclasses import dataclass, replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.store.base import BaseStore

from email_assistant.clock import Clock
from email_assistant.facts.fact import Source
from email_assistant.kit import lessons
from email_assistant.kit.conversations import conversation_of, run_thread_id
from email_assistant.kit.review_loop import ReviewLoop, sender_of
from email_assistant.kit.senders import Senders
from email_assistant.mail.mailbox import Mailbox
from email_assistant.memory.learner import Learner
from email_assistant.memory.profiles import ProfileName, Profiles
from email_assistant.models.offline.meeting_preferences import is_understood
from email_assistant.models.runner import Models
from email_assistant.review.card_view import CardContext
from email_assistant.tools.invitations import InvitationDesk
from email_assistant.tools.own_meetings import OwnMeetings
from email_assistant.tools.scheduling import MEETING
from email_assistant.tools.sending import Sending
from email_assistant.tools.tool import Toolbox, Turn, User
from email_assistant.workflows.email_assistant.calls import RespondInput
from email_assistant.workflows.email_assistant.state import AssistantWork
from email_assistant.workflows.email_assistant.transitions import said_about, told_in

WRITTEN_BY: tuple[ProfileName, ...] = ("response_preferences", "cal_preferences")
"""The profiles that the writer is given."""


@dataclass(frozen=True)
class AssistantDependencies:
    """What the nodes work with, built from the container."""

    mailbox: Mailbox
    models: Models
    profiles: Profiles
    learner: Learner
    toolbox: Toolbox
    sending: Sending
    meetings: OwnMeetings
    senders: Senders
    clock: Clock
    user: User
    invitations: InvitationDesk

    @property
    def review(self) -> ReviewLoop:
        """How its cards are asked about."""
        return ReviewLoop(self.user, self.mailbox.name)

    def context(self, state: AssistantWork) -> CardContext:
        """What its cards tell besides the action."""
        return replace(self.review.context(state), found=state.get("facts") or ())

    async def sources(self, state: AssistantWork, store: BaseStore | None) -> tuple[Source, ...]:
        """What a text may rest on besides the mail: what the person said and prefers, and what was looked up or done."""
        known = [each.content for each in await self.profiles.recent(WRITTEN_BY, store)]
        return tuple(Source("what is known", text, "ours") for text in (*known, *told_in(state["messages"])))

    async def inputs(self, state: AssistantWork, store: BaseStore | None) -> RespondInput:
        """What the writer is told for its turn."""
        reply, calendar = await self.profiles.recent(WRITTEN_BY, store)
        conversation = conversation_of(state["email_input"])
        return RespondInput(
            conversation=conversation,
            response_preferences=reply.content,
            cal_preferences=calendar.content,
            user=self.user,
            now=self.clock.now(),
            wished=await self.meetings.wished(conversation),
        )

    async def learn(self, state: AssistantWork, store: BaseStore | None) -> None:
        """Learn the lesson of a decision, if there is one; nothing from a message whose sender is in doubt."""
        await lessons.learn(self.learner, state, sender_of(state, self.user), store)


def turn_for(state: AssistantWork, config: RunnableConfig, user: User, call: dict[str, Any]) -> Turn:
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


def _unheeded(state: AssistantWork, kind: str) -> tuple[str, ...]:
    """What the person said about such proposals and the offline rules, where they speak, cannot follow."""
    if not state.get("offline"):
        return ()
    said = said_about(kind, state["messages"])
    return tuple(each for each in said if kind != MEETING.name or not is_understood(each))
