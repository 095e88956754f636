"""review, human_queue, rejected: who approves the reply, and what a person makes of it."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.types import Command

from email_assistant.errors import InputError
from email_assistant.graphs.conversations import run_thread_id
from email_assistant.graphs.reply_pipeline.calls import SURE
from email_assistant.graphs.reply_pipeline.parts import Parts, card_for
from email_assistant.graphs.reply_pipeline.state import WorkState
from email_assistant.graphs.reply_pipeline.steps import step
from email_assistant.graphs.senders import sender
from email_assistant.review.action import EDIT, IGNORE, RESPONSE, Action, Decision, Problem
from email_assistant.review.card import numbered
from email_assistant.review.gate import ask, taken
from email_assistant.review.risk import Sender
from email_assistant.tools.mail_tools import SendEmailArguments

QueueGoal = Literal["human_queue", "dispatch", "generate", "rejected"]


@dataclass(frozen=True)
class ApprovalNodes:
    """The nodes around the one interrupt."""

    parts: Parts

    async def review(self, state: WorkState) -> dict[str, Any]:
        """Save the reply as a draft in its conversation, and say whether a person has to approve it."""
        reasons = why_a_person(state)
        before = Action.from_json(pending) if (pending := state.get("pending")) else None
        turn = self.parts.turn(state, run_thread_id(get_config()), before.revision + 1 if before else 1)
        turn = replace(turn, previous=before.as_json() if before else None)
        try:
            action = await self.parts.send_email.prepare(
                SendEmailArguments(body=state["draft_response"]), turn
            )
        except InputError as error:
            return self._nothing_to_do(state, str(error))
        if not isinstance(action, Action):
            return self._nothing_to_do(state, action.text)
        titles = state.get("titles") or []
        number = numbered(action.title, titles, state.get("round") or 1)
        told = (*action.reasons, *reasons, *_found(state))
        shown = replace(
            action, title=number, reasons=told, facts={**action.facts, "offline": bool(state.get("offline"))}
        )
        return {
            "requires_approval": bool(reasons),
            "approval_reasons": reasons,
            "final_response": "" if reasons else state["draft_response"],
            "pending": shown.as_json(),
            "titles": [*titles, number],
            "actions": list(dict.fromkeys([*(state.get("actions") or []), action.id])),
            "decision": None,
            "problem": "",
            "acknowledged": [],
            **step(state, "review", "; ".join(reasons) or "approved by its confidence"),
        }

    def _nothing_to_do(self, state: WorkState, why: str) -> dict[str, Any]:
        return {
            "outcome": "not_answered",
            "error": why,
            "pending": None,
            "settled": True,
            **step(state, "review", why),
        }

    async def human_queue(self, state: WorkState) -> Command[QueueGoal]:
        """Ask a person."""
        action = Action.from_json(state["pending"] or {})
        answer = ask(action, card_for(action, state, self.parts.user), state)
        return taken(await self._answered(state, action, answer))

    async def _answered(
        self, state: WorkState, action: Action, answer: Decision | Problem
    ) -> Command[QueueGoal]:
        if isinstance(answer, Problem):
            return Command(goto="human_queue", update={"problem": answer.text})
        update: dict[str, Any] = {"decision": answer.as_json(), "problem": ""}
        if answer.type == IGNORE:
            return Command(goto="rejected", update=update | step(state, "human_queue", "rejected"))
        if answer.type == RESPONSE:
            feedback = [*(state.get("feedback") or []), answer.text]
            return Command(
                goto="generate",
                update=update | {"feedback": feedback} | step(state, "human_queue", "sent back"),
            )
        if answer.type == EDIT:
            return await self._edited(state, action, answer, update)
        told = step(state, "human_queue", "approved")
        return Command(goto="dispatch", update=update | {"final_response": action.args["body"]} | told)

    async def _edited(
        self, state: WorkState, action: Action, answer: Decision, update: dict[str, Any]
    ) -> Command[QueueGoal]:
        revised = await self.parts.send_email.revise(action, answer.args)
        if isinstance(revised, Problem):
            return Command(goto="human_queue", update={"problem": revised.text})
        edited = {"pending": revised.as_json(), "final_response": revised.args["body"]}
        return Command(
            goto="dispatch", update=update | edited | step(state, "human_queue", "edited and approved")
        )

    async def rejected(self, state: WorkState) -> dict[str, Any]:
        """Delete the draft."""
        await self.parts.send_email.discard(Action.from_json(state["pending"] or {}))
        return {
            "pending": None,
            "final_response": "",
            "outcome": "rejected",
            "settled": True,
            **step(state, "rejected", "draft deleted"),
        }


def why_a_person(state: WorkState) -> list[str]:
    """Why the reply is not approved by its confidence alone, one plain sentence each; none when it is."""
    confidence, written = float(state.get("confidence", 0)), float(state.get("generation_confidence", 0))
    gaps = state.get("gaps") or []
    reasons = [
        (confidence < SURE, f"What the mail wants is only {100 * confidence:.0f}% sure."),
        (written < SURE, f"The writer is only {100 * written:.0f}% sure of the reply."),
        (
            bool(gaps),
            f"Nothing supports what stands in {len(gaps)} place{'' if len(gaps) == 1 else 's'} of the reply.",
        ),
        (state.get("classification") == "complaint", "It is a complaint: a person answers those."),
        (state.get("classification") == "spam", "It may be spam."),
        (sender(state.get("sender_warnings")) is Sender.IN_DOUBT, "The sender is in doubt."),
        (bool(state.get("feedback")), "You have sent an earlier draft back."),
    ]
    return [text for holds, text in reasons if holds]


def after_review(state: WorkState) -> Literal["dispatch", "human_queue", "__end__"]:
    """A person decides unless the reply is approved by its confidence."""
    if state.get("outcome"):
        return "__end__"
    return "human_queue" if state.get("requires_approval") else "dispatch"


def _found(state: WorkState) -> tuple[str, ...]:
    """What was used, each with its source."""
    return tuple(
        f"Used: {item['source']} (similarity {item['score']:.2f})" for item in state.get("retrieved") or []
    )
