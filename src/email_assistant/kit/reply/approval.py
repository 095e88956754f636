"""review, human_queue, dispatch, learn, rejected: who approves the reply, what happens once then, and what a person makes of it."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.graph import END
from langgraph.runtime import Runtime
from langgraph.types import Command

from email_assistant.errors import InputError
from email_assistant.kit import lessons
from email_assistant.kit.conversations import run_thread_id
from email_assistant.kit.reply.reply_workflow import (
    Goals,
    ReplyWorkflow,
    State,
    review_of,
)
from email_assistant.kit.reply.state import step
from email_assistant.kit.review_loop import asked_again, pending_of, perform
from email_assistant.kit.senders import sender
from email_assistant.memory.learner import Learner
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE, Action
from email_assistant.review.pending import put
from email_assistant.tools.mail_tools import SendEmailArguments
from email_assistant.tools.sending import reasons_for_a_person
from email_assistant.tools.tool import AskAgain

TOLD = {IGNORE: "rejected", RESPONSE: "sent back", EDIT: "edited and approved", ACCEPT: "approved"}


@dataclass(frozen=True)
class ApprovalNodes:
    """The nodes around the one interrupt."""

    workflow: ReplyWorkflow
    goals: Goals

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
            return {
                **await self.workflow.sent(state, runtime.store),
                **self._ended(state, "sent", action.text),
            }
        reasons = reasons or list(reasons_for_a_person(action))
        told = (*action.reasons, *reasons, *self.workflow.card_lines(state))
        facts = {**action.facts, "offline": bool(state.get("offline"))}
        shown = replace(action, reasons=told, facts=facts, headline=self.workflow.headline(state))
        return put(state, shown) | {
            "requires_approval": bool(reasons),
            "approval_reasons": reasons,
            "final_response": "" if reasons else state["draft_response"],
            **step(state, "review", "; ".join(reasons) or "approved by its confidence"),
        }

    async def _not_answered(self, state: State, why: str) -> dict[str, Any]:
        """Nobody will ever decide on this reply, so what waits for it is undone."""
        return {
            **await self.workflow.rejected(state),
            **self._ended(state, "not_answered", why),
            "error": why,
        }

    def _ended(self, state: State, outcome: str, why: str) -> dict[str, Any]:
        return {"outcome": outcome, "pending": None, "settled": True, **step(state, "review", why)}

    async def human_queue(self, state: State) -> Command[str]:
        """Ask a person."""
        answer = await review_of(self.workflow).ask(state, revise=self.workflow.send_email.revise)
        decision = answer.decision
        if decision is None:
            return Command(goto="human_queue", update=answer.update)
        told = step(state, "human_queue", TOLD[decision.type])
        if decision.type == IGNORE:
            return Command(goto="rejected", update=answer.update | told)
        if decision.type == RESPONSE:
            feedback = {"feedback": [*(state.get("feedback") or []), decision.text]}
            lesson = {"lesson": lessons.of_words(answer.action, decision)}
            return Command(goto=self.goals.of_words, update=answer.update | feedback | lesson | told)
        approved = {"final_response": answer.action.args["body"]}
        return Command(goto="dispatch", update=answer.update | approved | told)

    async def rejected(self, state: State) -> dict[str, Any]:
        """Delete the draft, and undo what waited for it."""
        followed = await self.workflow.rejected(state)
        await self.workflow.send_email.discard(pending_of(state))
        return {
            **followed,
            "pending": None,
            "final_response": "",
            "outcome": "rejected",
            "settled": True,
            **step(state, "rejected", "draft deleted"),
        }


def after_review(state: State) -> Literal["dispatch", "human_queue", "__end__"]:
    """A person decides unless the reply is approved by its confidence."""
    if state.get("outcome"):
        return "__end__"
    return "human_queue" if state.get("requires_approval") else "dispatch"


@dataclass(frozen=True)
class DispatchNodes:
    """The node that sends."""

    workflow: ReplyWorkflow
    goals: Goals

    async def dispatch(self, state: State, runtime: Runtime[None]) -> Command[str]:
        """Send what a person approved; what only its confidence approved stays a draft (docs/adr/0052)."""
        action = pending_of(state)
        if not state.get("requires_approval"):
            return self._drafted(state, action)
        if blocking_reason := await self.workflow.blocking_reason(state):
            return self._asked_again(state, AskAgain(action, blocking_reason))
        result = await perform(self.workflow.send_email, state)
        if isinstance(result, AskAgain):
            return self._asked_again(state, result)
        followed = await self.workflow.sent(state, runtime.store)
        done = {
            "id": action.id,
            "name": action.kind,
            "params": dict(action.args),
            "result": result.text,
            "success": True,
        }
        update = {"pending": None, "outcome": "sent", "settled": True, "performed": [done]}
        lesson = {"lesson": lessons.of_performed(state, action)}
        told = step(state, "dispatch", result.text)
        return Command(goto=self.goals.of_sent, update={**followed, **update, **lesson, **told})

    def _drafted(self, state: State, action: Action) -> Command[str]:
        told = "Saved as a draft in its conversation; nothing was sent."
        done = {
            "id": action.id,
            "name": "save_draft",
            "params": dict(action.args),
            "result": told,
            "success": True,
        }
        update = {"pending": None, "outcome": "drafted", "settled": True, "performed": [done]}
        return Command(goto="__end__", update=update | step(state, "dispatch", told))

    def _asked_again(self, state: State, result: AskAgain) -> Command[str]:
        update = asked_again(state, result) | {"requires_approval": True, "performed": []}
        return Command(goto="human_queue", update=update | step(state, "dispatch", result.problem))


@dataclass(frozen=True)
class LearningNodes:
    """The node after a decision, of a graph that reads preferences."""

    learner: Learner
    goals: Goals

    async def learn(self, state: State, runtime: Runtime[None]) -> Command[str]:
        """Learn from the decision, then go on; a failure to learn changes nothing else."""
        await lessons.learn(self.learner, state, sender(state.get("sender_warnings")), runtime.store)
        return Command(goto=END if state.get("outcome") else self.goals.rewrite, update={"lesson": None})
