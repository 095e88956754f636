"""Tools, models and records of the assistant's nodes.

The model's turn of the response agent, beside the offline rules that stand in for it.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langgraph.config import get_config
from langgraph.store.base import BaseStore

from email_assistant.facts.fact import Source
from email_assistant.kit.conversations import conversation_of, run_thread_id
from email_assistant.kit.reply_workflow import MailWorkflow
from email_assistant.kit.response import rules
from email_assistant.kit.response.state import AssistantWork
from email_assistant.kit.response.transitions import is_asked_by_model, lookups_in, said_about
from email_assistant.kit.review_loop import learn_lesson, sender_of
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import one_line
from email_assistant.meetings.own_meetings import OwnMeetings, Wished
from email_assistant.meetings.scheduling import MEETING
from email_assistant.memory.profiles import FOLLOWED
from email_assistant.memory.said_facts import SaidAnswer
from email_assistant.models.call import AgentCall
from email_assistant.models.offline.guardrails import not_to_draft
from email_assistant.models.offline.preferences import is_about_letters, preferences, wishes_in
from email_assistant.models.offline.reading import orders_an_assistant
from email_assistant.models.offline.triage import TriageRule
from email_assistant.review.action import Action, Sender
from email_assistant.review.card_view import CardContext
from email_assistant.review.kinds import kind_or_unknown
from email_assistant.tools.mail_tools import REPLY
from email_assistant.tools.tool import Toolbox, Turn, User


def person(user: User) -> str:
    """The user, as prompts name them."""
    name, email = user.address.name or user.address.email or "the user", user.address.email or "unknown"
    return f"{name} <{email}>" + (f"\nBackground: {user.background}" if user.background else "")


@dataclass(frozen=True)
class RespondInput:
    """What the response agent knows besides its messages."""

    conversation: Conversation
    response_preferences: str
    cal_preferences: str
    user: User
    now: datetime
    wished: Wished | None = None
    """A change of a meeting of this conversation, where fixed rules find that the mail wishes one."""

    def variables(self) -> Mapping[str, str]:
        """Values for respond.md: the most stable ones come first there, so that the prefix can be cached."""
        return {
            "person": person(self.user),
            "response_preferences": self.response_preferences,
            "cal_preferences": self.cal_preferences,
            "timezone": self.user.timezone,
            "today": self.now.strftime("%A, %Y-%m-%d"),
        }


def _respond_offline(inputs: RespondInput, messages: Sequence[BaseMessage]) -> AIMessage:
    known = f"{inputs.response_preferences}\n{inputs.cal_preferences}".splitlines()
    return rules.respond(
        inputs.conversation,
        messages,
        user=inputs.user,
        now=inputs.now,
        wanted=preferences([*known, *said_about(REPLY.name, messages), *said_about(MEETING.name, messages)]),
        wished=inputs.wished,
    )


RESPOND: AgentCall[RespondInput] = AgentCall(
    name="respond", prompt="respond", tier="strong", offline=_respond_offline
)


@dataclass(frozen=True, kw_only=True)
class AssistantDependencies(MailWorkflow):
    """Tools and own meetings, beside what every graph works with."""

    toolbox: Toolbox
    meetings: OwnMeetings

    def context(self, state: AssistantWork) -> CardContext:
        """What its cards tell besides the action."""
        return replace(self.review.context(state), found=state.get("facts") or ())

    async def sources(self, state: AssistantWork, store: BaseStore | None) -> tuple[Source, ...]:
        """What a text may rest on besides the mail: what the person said and prefers, and what was looked up or done."""
        known = [each.content for each in await self.profiles.recent(FOLLOWED, store)]
        return tuple(
            Source("what is known", text, "ours") for text in (*known, *lookups_in(state["messages"]))
        )

    async def inputs(self, state: AssistantWork, store: BaseStore | None) -> RespondInput:
        """What the writer is told for its turn."""
        reply, calendar = await self.profiles.recent(FOLLOWED, store)
        conversation = conversation_of(state["email_input"])
        return RespondInput(
            conversation=conversation,
            response_preferences=reply.content + await self.said_before(state),
            cal_preferences=calendar.content,
            user=self.user,
            now=self.now(state),
            wished=await self.meetings.wished(conversation),
        )

    async def learn(self, state: AssistantWork, store: BaseStore | None) -> None:
        """Learn the lesson of a decision, if there is one; nothing from a message whose sender is in doubt."""
        await learn_lesson(self.learner, state, sender_of(state, self.user), store)

    async def keep_answer(self, state: AssistantWork, action: Action, words: str) -> None:
        """Keep what the person answered to a model's own question, unless the mail is not to be trusted."""
        message = conversation_of(state["email_input"]).current
        is_plain = sender_of(state, self.user) is Sender.PLAIN and not orders_an_assistant(message)
        if self.sending.filling and is_plain and is_asked_by_model(action, state["messages"]):
            said = SaidAnswer(one_line(action.args["question"]), words.strip(), message.sender.key)
            await self.sending.filling.keep([said], action.id)

    async def is_known(self, message: Message) -> bool:
        """Whether the sender is somebody to the user: they have written to the address."""
        return (await self.senders.known(message)).sender is not None

    async def not_drafted(self, conversation: Conversation, *, in_doubt: bool) -> TriageRule | None:
        """Why no answer is drafted to a mail that wants one; None where one is. Rules are more careful with strangers than models."""
        is_known = await self.is_known(conversation.current)
        return await asyncio.to_thread(
            not_to_draft,
            conversation,
            self.user.reader,
            is_known=is_known,
            in_doubt=in_doubt,
            by_rules=self.models.is_offline("fast"),
        )

    def turn(self, state: AssistantWork, call: dict[str, Any]) -> Turn:
        """What a tool may know, from the state, when it is called."""
        return Turn(
            run_thread_id=run_thread_id(get_config()),
            conversation=conversation_of(state["email_input"]),
            user=self.user,
            tool_call_id=call["id"],
            previous=state.get("previous"),
            known_actions=tuple(state.get("actions") or ()),
            ignored_words=_ignored_words(state, call["name"]),
            graph=self.graph,
            round=state.get("round") or 1,
            is_doubted=sender_of(state, self.user) is Sender.IN_DOUBT,
        )


def _ignored_words(state: AssistantWork, kind: str) -> tuple[str, ...]:
    """What the person said about such proposals and the offline rules, where they speak, cannot follow."""
    if not state.get("offline"):
        return ()
    said = said_about(kind, state["messages"])
    follows = wishes_in if kind_or_unknown(kind).draws == "event" else is_about_letters
    return tuple(each for each in said if not follows(each))
