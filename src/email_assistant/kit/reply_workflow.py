"""The bases of workflows: the parts of every graph, and of those that answer mail their side of the reply."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Literal, Self
from zoneinfo import ZoneInfo

from langgraph.config import get_config
from langgraph.store.base import BaseStore

from email_assistant.clock import Clock, now_for
from email_assistant.effects.store import bounded
from email_assistant.facts.fact import Source
from email_assistant.journal.records import MailStatus
from email_assistant.kit.conversations import aconversation_of, conversation_of, run_thread_id
from email_assistant.kit.reply_state import FRESH, State, step
from email_assistant.kit.review_loop import (
    GAVE_WAY,
    ReviewLoop,
    doubts_of,
    learn_lesson,
    notification,
    own_mail,
)
from email_assistant.kit.senders import Senders, sender
from email_assistant.mail.email_input import REOPENED
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.message import Conversation, Message
from email_assistant.meetings.invitations import InvitationDesk
from email_assistant.memory.learner import Learner
from email_assistant.memory.lesson import Lesson
from email_assistant.memory.profiles import Profiles
from email_assistant.models.offline.preferences import history_of
from email_assistant.models.offline.triage import TriageRule, notify, unanswerable
from email_assistant.models.runner import Models
from email_assistant.review.action import Sender
from email_assistant.review.pending import new_round, put
from email_assistant.tools.drafts import Drafts
from email_assistant.tools.mail_tools import SendEmail
from email_assistant.tools.sending import Sending
from email_assistant.tools.tool import Turn, User

NOT_DRAFTED = "{who} wrote; no answer was drafted."

NO_ANSWER: Mapping[str, str] = {"notify": "notify a person", "__end__": "ignore"}
"""The goals of mail that gets no answer, each with the word for it."""


def wanted(state: State) -> dict[str, Any]:
    """The update with which the first node goes on: what a person said to such a card leads the writing."""
    said = state.get("wanted")
    return {"wanted": "", "reason": "", "feedback": [said] if said else []}


def is_unanswered(state: State) -> Literal["", "notify", "__end__"]:
    """The goal of such mail after the first node; "" for mail that is to be answered."""
    return "__end__" if state.get("outcome") else "notify" if state.get("pending") else ""


@dataclass(frozen=True, kw_only=True)
class MailWorkflow:
    """The parts that the nodes of every graph work with; a graph adds its own as fields."""

    graph: str
    """The workflow's name."""
    models: Models
    profiles: Profiles
    senders: Senders
    sending: Sending
    user: User
    clock: Clock
    invitations: InvitationDesk
    card_shape: str = ""

    @classmethod
    def of(cls, deps: Any, graph: str, **own: Any) -> Self:
        """With what the settings name, and `own` fields; `deps` is the container that `Workflow.build` is given."""
        return cls(
            graph=graph,
            models=deps.models,
            profiles=deps.profiles,
            senders=deps.senders,
            sending=deps.sending,
            user=deps.user,
            clock=deps.agenda_clock,
            invitations=deps.invitations,
            card_shape=deps.settings.card_shape,
            **own,
        )

    @property
    def mailbox(self) -> Mailbox:
        """The user's."""
        return self.sending.mailbox

    @property
    def drafts(self) -> Drafts:
        """The drafts that wait in the mailbox."""
        return self.sending.drafts

    @property
    def learner(self) -> Learner:
        """The learner of preferences from answers."""
        return Learner(self.profiles, self.models)

    @property
    def review(self) -> ReviewLoop:
        """The loop that its cards go through."""
        return ReviewLoop(self.user, self.mailbox.name, self.card_shape)

    async def brought_back(
        self, email_input: Mapping[str, Any], message: Message, doubts: Sequence[str]
    ) -> TriageRule | None:
        """The notice of mail that a person brought back, None of other mail; of what was ignored it learns, once a mail."""
        was, about = email_input.get(REOPENED), message.sender.key
        if was == MailStatus.ignored and about not in self.user.own:
            once = f"reopened:{bounded(message.id or message.mail_thread_id)}"
            lesson = Lesson("triage_preferences", "brought_back", once, sender=about)
            # The store shows it from the next reading on.
            await learn_lesson(self.learner, {"lesson": lesson.as_json()}, sender(doubts), None)
        return notify("You brought it back.") if was else None

    async def not_ignored(self, verdict: TriageRule, message: Message) -> TriageRule:
        """The verdict; a notice in place of "ignore" where ignored mail of the sender was brought back before."""
        if verdict.classification != "ignore":
            return verdict
        (learned,) = await self.profiles.recent(("triage_preferences",), None)
        if not history_of(message.sender.key, learned.content).brought_back:
            return verdict
        return notify(f"You brought back such mail of {message.sender.key}. Else: {verdict.reasoning}")

    async def said_before(self, state: Mapping[str, Any]) -> str:
        """What the user said before to what the mail asks, for a model's prompt; nothing for a sender in doubt."""
        filling, in_doubt = self.sending.filling, sender(doubts_of(state, self.user)) is Sender.IN_DOUBT
        if filling is None or in_doubt or self.models.is_offline("strong"):
            return ""
        return await filling.known_answers(conversation_of(state.get("email_input")).current)

    def now(self, state: Mapping[str, Any]) -> datetime:
        """The instant that counts as now for the state's mail, in the user's time zone."""
        email = state.get("email_input")
        arrived = conversation_of(email).arrived if email else None
        return now_for(self.clock, arrived).astimezone(ZoneInfo(self.user.timezone))


@dataclass(frozen=True, kw_only=True)
class ReplyWorkflow(MailWorkflow):
    """A new workflow that answers can take it as it is: a person approves every reply, and nothing else hangs on it.

    A workflow with more to say inherits from it and overrides the methods.
    """

    learns: ClassVar[bool] = False
    """True for a graph that reads preferences, which answers teach."""
    checks_facts: ClassVar[bool] = False
    """True where its own nodes hold the draft's facts against what is known, see `Turn.is_checked`."""

    @property
    def send_email(self) -> SendEmail:
        """The tool that prepares and sends."""
        return SendEmail(self.sending)

    async def take_up(self, state: State, node: str) -> dict[str, Any]:
        """The work of the first node (`node`): read the mail, begin a round, and see whether it gets an answer at all (`is_unanswered`).

        Raises `InputError` naming the field of the input that is wrong.
        """
        conversation = await aconversation_of(state.get("email_input"))
        doubts = await self.senders.doubts_after_sweep(
            conversation.current, self.drafts, run_thread_id(get_config())
        )
        no_answer = await self.no_answer(state, conversation, doubts, node=node)
        return FRESH | {"sender_warnings": doubts} | (no_answer or new_round(state) | wanted(state))

    async def no_answer(
        self, state: State, conversation: Conversation, doubts: Sequence[str], *, node: str, asks: bool = True
    ) -> dict[str, Any]:
        """The update that ends the run without a draft, or puts up a card that shows the mail; {} for mail that is to be answered.

        The one decision of all desks, made by the first node (`node`) before any model reads the mail: own mail, mail of programs,
        mailings, scams. What a person wants answered is. Where nobody can be asked (`asks`) the run ends with the reason.
        """
        if state.get("wanted"):
            return {}
        own, in_doubt = self.user.own, bool(doubts)
        found = own_mail(conversation, own, in_doubt=in_doubt) or unanswerable(
            conversation, own=own, in_doubt=in_doubt
        )
        if found is None:
            return {}
        found = await self.not_ignored(found, conversation.current)
        begun = new_round(state)
        gave_way = bool(begun["replaced"])  # Not even such mail may take a waiting card away unseen.
        why = f"{found.reasoning} {GAVE_WAY}" if gave_way else found.reasoning
        update = {**begun, "reason": why, **step({}, node, f"no answer: {why}")}
        if asks and (gave_way or found.classification == "notify"):
            card = notification(
                conversation, run_thread_id(get_config()), begun["round"], self.user, NOT_DRAFTED
            )
            return update | put({**state, **update}, card)
        return update | {"outcome": "ignored", "settled": True}

    def turn(self, state: State, thread_id: str, revision: int = 1) -> Turn:
        """The tools' view of the state, for a graph that answers once a round."""
        conversation, number = conversation_of(state.get("email_input")), state.get("round") or 1
        message_id = conversation.current.id or conversation.current.mail_thread_id
        return Turn(
            thread_id,
            conversation,
            self.user,
            f"{self.graph}:reply:{message_id}:{number}",
            revision,
            known_actions=tuple(state.get("actions") or ()),
            ignored_words=tuple(state.get("ignored_words") or ()),
            graph=self.graph,
            round=number,
            sources=tuple(Source("what you said", each, "ours") for each in state.get("feedback") or ()),
            is_doubted=sender(state.get("sender_warnings")) is Sender.IN_DOUBT,
            is_checked=self.checks_facts,
        )

    def review_reasons(self, state: State) -> Sequence[str]:
        """Why a person is asked about the reply, one plain sentence each; with none it stays a draft, and nobody is asked."""
        return ["A person approves every reply."]

    def card_lines(self, state: State) -> Sequence[str]:
        """Further lines of the card."""
        return ()

    def headline(self, state: State) -> str:
        """The card's first sentence; "{who}" stands for the sender's name, and "" for the sentence of any reply."""
        return ""

    async def blocking_reason(self, state: State) -> str:
        """Why an approved reply must not be sent as it is, or "": a person is asked again."""
        return ""

    async def sent(self, state: State, store: BaseStore | None) -> Mapping[str, Any]:
        """The reply is sent: what follows from it, and the update of the graph's own fields. It may be called again after a crash."""
        return {}

    async def rejected(self, state: State) -> Mapping[str, Any]:
        """The reply is not wanted: what follows from it, and the update of the graph's own fields. It may be called again after a crash."""
        return {}
