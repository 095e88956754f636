"""The nodes that every graph with a reply ends in: who approves the reply, what happens once then, and what a person makes of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.graph import END, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from email_assistant.errors import InputError
from email_assistant.kit.conversations import run_thread_id
from email_assistant.kit.invitations import InvitationNodes, add_invitations
from email_assistant.kit.reply_state import FRESH, State, step
from email_assistant.kit.reply_workflow import ReplyWorkflow
from email_assistant.kit.response.transitions import add_labelled
from email_assistant.kit.review_loop import (
    ask_card_again,
    learn_lesson,
    lesson_of_edit,
    lesson_of_words,
    pending_of,
    perform,
)
from email_assistant.kit.senders import sender
from email_assistant.mail.message import Conversation
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE, Action
from email_assistant.review.pending import new_round, put
from email_assistant.tools.mail_tools import SendEmailArguments
from email_assistant.tools.outgoing import reasons_for_a_person
from email_assistant.tools.tool import AskAgain

DECIDED = {IGNORE: "rejected", RESPONSE: "sent back", EDIT: "edited and approved", ACCEPT: "approved"}


@dataclass(frozen=True)
class ApprovalNodes:
    """The nodes of one graph."""

    workflow: ReplyWorkflow
    first: str
    """The node that reads mail."""
    rewrite: str
    """The node that writes the reply again when a person sends it back."""

    async def notify(self, state: State) -> Command[str]:
        """Ask a person whether mail that gets no answer wants one after all."""
        answer = await self.workflow.review.ask(state)
        decision = answer.decision
        if decision is None:
            return Command(goto="notify", update=answer.update)
        gone = answer.update | {"pending": None}
        if decision.type == IGNORE:
            dismissed = {"outcome": "dismissed", "settled": True} | step(state, "notify", "dismissed")
            return Command(goto=END, update=gone | dismissed)
        # The round that begins anew replaces no card that anybody has before them.
        return Command(goto=self.first, update=gone | {"wanted": decision.text, "outcome": "asked"})

    async def review(self, state: State, runtime: Runtime[None]) -> dict[str, Any]:
        """Save the reply as a draft in its conversation, and say whether a person has to approve it."""
        reasons = list(self.workflow.review_reasons(state))
        before = Action.from_json(pending) if (pending := state.get("pending")) else None
        turn = self.workflow.turn(state, run_thread_id(get_config()), before.revision + 1 if before else 1)
        turn = replace(turn, previous=before.as_json() if before else None)
        try:
            action = await self.workflow.send_email.prepare(
                SendEmailArguments(body=state["draft_response"]), turn
            )
        except InputError as error:
            return await self._not_answered(state, str(error))
        if not isinstance(action, Action):
            if not action.performed:
                return await self._not_answered(state, action.text)
            # The server has lost the run that sent it, perhaps before it did what follows.
            followed = await self.workflow.sent(state, runtime.store)
            return {**followed, **_ended("sent"), **step(state, "review", action.text)}
        reasons = reasons or list(reasons_for_a_person(action))
        lines = (*action.reasons, *reasons, *self.workflow.card_lines(state))
        return put(state, replace(action, reasons=lines, headline=self.workflow.headline(state))) | {
            "requires_approval": bool(reasons),
            "approval_reasons": reasons,
            "final_response": "" if reasons else state["draft_response"],
            **step(state, "review", "; ".join(reasons) or "approved by its confidence"),
        }

    async def _not_answered(self, state: State, why: str) -> dict[str, Any]:
        """Nobody will ever decide on this reply, so what waits for it is undone."""
        followed = await self.workflow.rejected(state)
        return {**followed, **_ended("not_answered"), "error": why, **step(state, "review", why)}

    async def human_queue(self, state: State) -> Command[str]:
        """Ask a person."""
        answer = await self.workflow.review.ask(state, revise=self.workflow.send_email.revise)
        decision = answer.decision
        if decision is None:
            return Command(goto="human_queue", update=answer.update)
        update = answer.update | step(state, "human_queue", DECIDED[decision.type])
        if decision.type == IGNORE:
            return Command(goto="rejected", update=update)
        if decision.type == RESPONSE:
            feedback = {"feedback": [*(state.get("feedback") or []), decision.text]}
            lesson = {"lesson": lesson_of_words(answer.action, decision)}
            return Command(goto=self.after(self.rewrite), update=update | feedback | lesson)
        return Command(goto="dispatch", update=update | {"final_response": answer.action.args["body"]})

    async def rejected(self, state: State) -> dict[str, Any]:
        """Delete the draft, and undo what waited for it."""
        followed = await self.workflow.rejected(state)
        await self.workflow.send_email.discard(pending_of(state))
        ended = {**_ended("rejected"), "final_response": ""}
        return {**followed, **ended, **step(state, "rejected", "draft deleted")}

    async def dispatch(self, state: State, runtime: Runtime[None]) -> Command[str]:
        """Send what a person approved; what only its confidence approved stays a draft."""
        action = pending_of(state)
        if not state.get("requires_approval"):
            saved = "Saved as a draft in its conversation; nothing was sent."
            return Command(goto=END, update=_done(state, "drafted", action, "save_draft", saved))
        if blocking_reason := await self.workflow.blocking_reason(state):
            return self._asked_again(state, AskAgain(action, blocking_reason))
        result = await perform(self.workflow.send_email, state)
        if isinstance(result, AskAgain):
            return self._asked_again(state, result)
        followed = await self.workflow.sent(state, runtime.store)
        done = _done(state, "sent", action, action.kind, result.text)
        lesson = {"lesson": lesson_of_edit(state, action)}
        return Command(goto=self.after(END), update={**followed, **done, **lesson})

    def _asked_again(self, state: State, result: AskAgain) -> Command[str]:
        update = ask_card_again(state, result) | {"requires_approval": True, "performed": []}
        return Command(goto="human_queue", update=update | step(state, "dispatch", result.problem))

    async def learn(self, state: State, runtime: Runtime[None]) -> Command[str]:
        """Learn from the decision, then go on; a failure to learn changes nothing else."""
        doubted = sender(state.get("sender_warnings"))
        await learn_lesson(self.workflow.learner, state, doubted, runtime.store)
        return Command(goto=END if state.get("outcome") else self.rewrite, update={"lesson": None})

    def after(self, goal: str) -> str:
        """The way to a node after a decision, by `learn` where answers teach."""
        return "learn" if self.workflow.learns else goal


def after_review(state: State) -> Literal["dispatch", "human_queue", "__end__"]:
    """A person decides unless the reply is approved by its confidence."""
    if state.get("outcome"):
        return "__end__"
    return "human_queue" if state.get("requires_approval") else "dispatch"


def _ended(outcome: str) -> dict[str, Any]:
    return {"pending": None, "outcome": outcome, "settled": True}


def _done(state: State, outcome: str, action: Action, name: str, result: str) -> dict[str, Any]:
    """The end of a run that has done something, which the journal records as the tool `name`."""
    done = {
        "id": action.id,
        "name": name,
        "params": dict(action.args),
        "result": result,
        "success": True,
    }
    return {**_ended(outcome), "performed": [done], **step(state, "dispatch", result)}


def add_beginning(
    graph: StateGraph[Any, Any, Any, Any], workflow: ReplyWorkflow, state: type[Any], *, first: str
) -> None:
    """START → `first`, the node that reads mail; mail with a calendar part is asked about before that."""
    add_invitations(graph, InvitationNodes(workflow, _begun, first, notify="notify"), state)


def _begun(state: State, conversation: Conversation, doubts: Sequence[str]) -> Mapping[str, Any]:
    return FRESH | new_round(state) | {"sender_warnings": list(doubts), "wanted": ""}


def add_reply(
    graph: StateGraph[Any, Any, Any, Any],
    workflow: ReplyWorkflow,
    state: type[Any],
    *,
    first: str,
    rewrite: str,
) -> None:
    """review → human_queue or dispatch → learn, and notify; the graph leads to `review` and (`is_unanswered`) to `notify` by itself.

    `state` is the graph's whole state, `first` the node that reads mail, `rewrite` the node that writes the reply again when a person
    sends it back.
    """
    nodes = ApprovalNodes(workflow, first, rewrite)
    shown = {first: "a reply is wanted", "notify": "not understood", END: "rejected"}
    graph.add_node("notify", nodes.notify, input_schema=state, destinations=shown)
    graph.add_node("review", nodes.review, input_schema=state)
    decided = {
        "dispatch": "approved", nodes.after(rewrite): "sent back", "rejected": "not wanted", "human_queue": "not understood",
    }  # fmt: skip
    graph.add_node("human_queue", nodes.human_queue, input_schema=state, destinations=decided)
    graph.add_node("rejected", nodes.rejected, input_schema=state)
    sent = {"human_queue": "asked again", END: "drafted", nodes.after(END): "sent"}
    graph.add_node("dispatch", nodes.dispatch, input_schema=state, destinations=sent)
    reviewed = {"human_queue": "a person approves", "dispatch": "sure: a draft", END: "not to be answered"}
    add_labelled(graph, "review", after_review, reviewed)
    graph.add_edge("rejected", END)
    if workflow.learns:
        learned = {rewrite: "sent back", END: "done"}
        graph.add_node("learn", nodes.learn, input_schema=state, destinations=learned)
