"""Mail with a calendar part, and reports that a mail was not delivered, before a graph reads it as mail: asked about, noted or told, the
same in every graph (docs/decisions.md, "Who may change an event").

A graph begins with `take_up_invitation` when its input brings either; all other mail goes to the graph's own first node, and
so does a calendar part that asks nothing that is understood. The node that asks has no effect, and the node that performs asks nothing.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langgraph.config import get_config
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from email_assistant.kit.conversations import aconversation_of, run_thread_id
from email_assistant.kit.reply_workflow import MailWorkflow
from email_assistant.kit.response.transitions import add_labelled
from email_assistant.kit.review_loop import (
    GAVE_WAY,
    NOTIFY,
    ask_card_again,
    notification,
    pending_of,
    perform,
)
from email_assistant.mail.conversation import DeliveryReport, delivery_report, may_report
from email_assistant.mail.message import Conversation
from email_assistant.meetings.incoming import DoneBefore, Response, claim_warnings
from email_assistant.meetings.invitations import CardActor
from email_assistant.models.offline.triage import TriageRule
from email_assistant.review.action import IGNORE, RESPONSE, Action
from email_assistant.review.card import title
from email_assistant.review.kinds import kind_of
from email_assistant.review.pending import State, put
from email_assistant.tools.tool import AskAgain, Turn
from email_assistant.tools.undelivered import UNDELIVERED, SendElsewhere, describe_report

TAKE_UP, ASK, PERFORM = "take_up_invitation", "answer_invitation", "perform_invitation"

Begin = Callable[[Any, Conversation, Sequence[str]], Mapping[str, Any]]
"""The update with which a graph begins a round on new mail, given the doubts about its sender."""


@dataclass(frozen=True)
class InvitationNodes:
    """The nodes of one graph."""

    workflow: MailWorkflow
    begin: Begin
    first: str
    """The graph's own first node."""
    notify: str
    """The node that shows a card which only tells."""
    last: str = END
    """The node after it, or the end."""

    async def take_up_invitation(self, state: State) -> Command[str]:
        """Read the calendar part and say what it comes to; a guest's answer is noted here, for which nobody is asked."""
        conversation = await aconversation_of(state.get("email_input"))
        incoming = await self.workflow.invitations.incoming(conversation.current, self.workflow.user)
        report = await asyncio.to_thread(delivery_report, conversation.current)
        if incoming is None and report is None:
            return Command(goto=self.first)
        thread_id = run_thread_id(get_config())
        doubts = await self.workflow.senders.doubts_after_sweep(
            conversation.current, self.workflow.drafts, thread_id
        )
        begun = {**self.begin(state, conversation, doubts)}
        turn = self._turn(state, conversation, begun.get("round") or 1)
        if incoming is not None:
            found = await self.workflow.invitations.response(incoming, turn, in_doubt=bool(doubts))
        elif report is not None:
            found = await self._undelivered(report, turn)
        if isinstance(found, DoneBefore):
            return Command(goto=self.last, update=begun | _ended(found.outcome, found.text))
        if found.action:
            # What is to be answered wants a response, whichever graph counts it.
            begun |= {"classification_decision": "respond"}
            return Command(goto=ASK, update=begun | put({**state, **begun}, found.action))
        message = conversation.current
        verdict = await self.workflow.brought_back(state["email_input"], message, doubts)
        verdict = verdict or TriageRule("ignore" if found.quiet else "notify", found.quiet)
        verdict = await self.workflow.not_ignored(verdict, message)
        if verdict.classification == "ignore" and not begun.get("replaced"):
            return Command(goto=END, update=begun | _ended("ignored", found.quiet))
        if incoming and incoming.claim:  # Whoever only claims to be somebody is in doubt, on every card.
            begun["sender_warnings"] = [*doubts, *claim_warnings(incoming)[:1]]
        return Command(goto=self.notify, update=begun | self._notice({**state, **begun}, conversation, found))

    async def answer_invitation(self, state: State) -> Command[str]:
        """Ask; what a person says instead makes another card."""
        answer = await self.workflow.review.ask(state, revise=self._revised)
        decision, action = answer.decision, answer.action
        if decision is None:
            return Command(goto=ASK, update=answer.update)
        if decision.type == IGNORE:
            await self._actor(action).discard(action)
            return Command(goto=END, update=answer.update | {"pending": None} | _ended("dismissed", ""))
        if decision.type == RESPONSE:
            again = await self._actor(action).reworded(action, decision.text)
            return Command(goto=ASK, update=answer.update | put({**state, **answer.update}, again))
        return Command(goto=PERFORM, update=answer.update)

    async def perform_invitation(self, state: State) -> Command[str]:
        """Do what was approved, once; what cannot be done as it was reviewed is asked again."""
        action = pending_of(state)
        result = await perform(self._actor(action), state)
        if isinstance(result, AskAgain):
            return Command(goto=ASK, update=ask_card_again(state, result))
        done = {
            "id": action.id,
            "name": action.kind,
            "params": dict(action.args),
            "result": result.text,
            "success": result.performed,
            "error": None if result.performed else result.text,
        }
        ended = _ended(kind_of(action.kind).outcome if result.performed else "not done", "")
        return Command(goto=self.last, update={"pending": None, "performed": [done]} | ended)

    async def _revised(self, action: Action, edited: Mapping[str, str]) -> Any:
        return await self._actor(action).revise(action, edited)

    def _actor(self, action: Action) -> CardActor | SendElsewhere:
        elsewhere = SendElsewhere(self.workflow.sending)
        return elsewhere if action.kind == elsewhere.name else self.workflow.invitations.actor(action.kind)

    async def _undelivered(self, report: DeliveryReport, turn: Turn) -> Response | DoneBefore:
        """The mail of ours that did not arrive, to be sent elsewhere; of one that is still tried, or was not sent here, a notice."""
        elsewhere = SendElsewhere(self.workflow.sending)
        row = await elsewhere.failed(report)
        if row is None or not report.is_final:
            return Response(notice=describe_report(report, row), title=f"Not delivered: {report.subject}")
        found = await elsewhere.proposed(report, row, turn)
        return (
            Response(action=found)
            if isinstance(found, Action)
            else DoneBefore(found.text, UNDELIVERED.outcome)
        )

    def _notice(self, state: State, conversation: Conversation, found: Response) -> dict[str, Any]:
        """The card that only tells."""
        card = notification(
            conversation,
            run_thread_id(get_config()),
            state.get("round") or 1,
            self.workflow.user,
            found.notice,
        )
        if found.title:
            card = replace(card, title=title(f"{NOTIFY.begins}{found.title}"))
        gave_way = (GAVE_WAY,) if state.get("replaced") else ()
        lines = [each for each in found.details if each not in (state.get("sender_warnings") or ())]
        reasons = filter(None, (*lines, found.quiet, *gave_way))
        return put(state, replace(card, reasons=tuple(reasons)))

    def _turn(self, state: State, conversation: Conversation, number: int) -> Turn:
        message_id = conversation.current.id or conversation.current.mail_thread_id
        return Turn(
            run_thread_id(get_config()),
            conversation,
            self.workflow.user,
            f"{self.workflow.graph}:invitation:{message_id}:{number}",
            known_actions=tuple(state.get("actions") or ()),
            graph=self.workflow.graph,
            round=number,
        )


def add_invitations(graph: StateGraph[Any, Any, Any, Any], nodes: InvitationNodes, state: type[Any]) -> None:
    """START → `take_up_invitation` for mail with a calendar part, → the graph's first node for all else; in the place of an edge to that.

    `state` is the graph's whole state.
    """

    def is_invitation(given: State) -> str:
        email_input = given.get("email_input")
        if not isinstance(email_input, dict):
            return nodes.first
        return TAKE_UP if email_input.get("calendars") or may_report(email_input) else nodes.first

    found = {
        nodes.first: "a letter",
        ASK: "asks",
        nodes.notify: "tells",
        nodes.last: "done before",
        END: "ignore",
    }
    graph.add_node(TAKE_UP, nodes.take_up_invitation, input_schema=state, destinations=found)
    decided = {PERFORM: "approved", ASK: "reworded, or not understood", END: "rejected"}
    graph.add_node(ASK, nodes.answer_invitation, input_schema=state, destinations=decided)
    done = {ASK: "asked again", nodes.last: "done"}
    graph.add_node(PERFORM, nodes.perform_invitation, input_schema=state, destinations=done)
    begins = {TAKE_UP: "a calendar part, or a report", nodes.first: "any other mail"}
    add_labelled(graph, START, is_invitation, begins)


def _ended(outcome: str, why: str) -> dict[str, Any]:
    return {"outcome": outcome, "settled": True, "reason": why, "triage_reason": why}
