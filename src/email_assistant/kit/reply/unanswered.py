"""Mail that a workflow drafts no answer to: settled with its reason, or shown to a person, who may want an answer all the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.graph import END
from langgraph.types import Command

from email_assistant.kit.conversations import run_thread_id
from email_assistant.kit.notifying import GAVE_WAY, notification, own_mail
from email_assistant.kit.reply.reply_workflow import ReplyWorkflow, State, review_of
from email_assistant.kit.reply.state import step
from email_assistant.mail.message import Conversation
from email_assistant.models.offline.triage import unanswerable
from email_assistant.review.action import IGNORE
from email_assistant.review.pending import new_round, put
from email_assistant.tools.tool import User

NOT_DRAFTED = "{who} wrote; no answer was drafted."


def no_answer(
    state: State,
    conversation: Conversation,
    doubts: Sequence[str],
    user: User,
    *,
    node: str,
    asks: bool = True,
) -> dict[str, Any]:
    """The update that ends the run without a draft, or puts up a card that shows the mail; {} for mail that is to be answered.

    The one decision of all desks, made by the first node (`node`) before any model reads the mail: own mail, mail of programs, mailings,
    scams. What a person wants answered is. Where nobody can be asked (`asks`) the run ends with the reason.
    """
    if state.get("wanted"):
        return {}
    in_doubt = bool(doubts)
    found = own_mail(conversation, user.own, in_doubt=in_doubt) or unanswerable(
        conversation, own=user.own, in_doubt=in_doubt
    )
    if found is None:
        return {}
    begun = new_round(state)
    gave_way = bool(begun["replaced"])  # Not even such mail may take a waiting card away unseen.
    why = f"{found.reasoning} {GAVE_WAY}" if gave_way else found.reasoning
    update = {**begun, "reason": why, **step({}, node, f"no answer: {why}")}
    if asks and (gave_way or found.classification == "notify"):
        card = notification(conversation, run_thread_id(get_config()), begun["round"], NOT_DRAFTED)
        return update | put({**state, **update}, card)
    return update | {"outcome": "ignored", "settled": True}


def wanted(state: State) -> dict[str, Any]:
    """The update with which the first node goes on: what a person said to such a card leads the writing."""
    said = state.get("wanted")
    return {"wanted": "", "reason": "", "feedback": [said] if said else []}


def is_unanswered(state: State) -> Literal["", "notify", "__end__"]:
    """Where such mail goes after the first node; "" for mail that is to be answered."""
    return "__end__" if state.get("outcome") else "notify" if state.get("pending") else ""


@dataclass(frozen=True)
class NotifyNodes:
    """The node that shows it."""

    workflow: ReplyWorkflow
    first: str
    """The node that reads mail."""

    async def notify(self, state: State) -> Command[str]:
        """Ask a person whether the mail wants an answer after all."""
        answer = await review_of(self.workflow).ask(state)
        decision = answer.decision
        if decision is None:
            return Command(goto="notify", update=answer.update)
        gone = answer.update | {"pending": None}
        if decision.type == IGNORE:
            told = step(state, "notify", "dismissed")
            return Command(goto=END, update=gone | {"outcome": "dismissed", "settled": True} | told)
        # The round that begins anew replaces no card that anybody has before them.
        return Command(goto=self.first, update=gone | {"wanted": decision.text, "outcome": "asked"})
