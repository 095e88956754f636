"""Cards of a sorted mail, one at a time, and what becomes of the answers; mailings that nobody reads get a card that proposes to leave."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Command

from email_assistant.errors import InputError
from email_assistant.kit.conversations import conversation_of, run_thread_id
from email_assistant.kit.response.done_so_far import instruction
from email_assistant.kit.review_loop import (
    NOTIFY,
    ask_card_again,
    decided,
    learn_lesson,
    lesson_of_edit,
    pending_of,
    perform,
)
from email_assistant.kit.senders import sender
from email_assistant.review.action import IGNORE, RESPONSE, Action, Decision, Problem, Sender
from email_assistant.review.pending import put
from email_assistant.tools.tool import AskAgain
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.labelling import LABEL
from email_assistant.workflows.inbox_organizer.sorting import give_labels
from email_assistant.workflows.inbox_organizer.state import OrganizerWork
from email_assistant.workflows.inbox_organizer.status import GUESSED, LABELED, NOT_LABELED
from email_assistant.workflows.inbox_organizer.unsubscribing.list_headers import unsubscribe_of

HubGoal = Literal["interrupt_handler", "perform", "categorize_again", "propose", "response_agent"]
PerformGoal = Literal["learn", "propose", "interrupt_handler"]


@dataclass(frozen=True)
class LeavingNodes:
    """The node that proposes to unsubscribe."""

    parts: OrganizerDependencies

    async def plan_unsubscribe(self, state: OrganizerWork) -> dict[str, Any]:
        """Count the message for its list; when lists are due, propose to leave them, all on one card.

        Not for a sender in doubt: who forges mail learns from an answer that the address lives.
        """
        conversation, parts = conversation_of(state["email_input"]), self.parts
        message, leaving = conversation.current, parts.unsubscribing
        if not message.id or sender(state.get("sender_warnings")) is Sender.IN_DOUBT:
            return {}
        answered = any(earlier.sender.key in parts.user.own for earlier in conversation.earlier)
        offer = unsubscribe_of(message, host=leaving.host, allow=leaving.allow)
        try:
            found = await leaving.subscriptions.note(parts.mailbox.name, message, offer, answered=answered)
        except InputError:
            return {}  # A list whose name is too long to be kept.
        if found is None:
            return {}
        action = await leaving.propose(parts.card_turn(state, run_thread_id(get_config()), "unsubscribe"))
        return {"planned_unsubscribe": action.as_json()} if action else {}


@dataclass(frozen=True)
class HubNodes:
    """The nodes around the one interrupt; `propose` is the hub."""

    parts: OrganizerDependencies

    async def propose(self, state: OrganizerWork) -> Command[Literal["interrupt_handler", "hand_over"]]:
        """Put the next proposal before the human, labels first; with none left, hand over."""
        planned = [state.get("planned_unsubscribe"), state.get("planned_invitation")]
        waiting = [*(state.get("proposals") or []), *filter(None, planned)]
        if not waiting:
            return Command(goto="hand_over", update={"performed": []})
        update = put(state, Action.from_json(waiting[0])) | {
            "proposals": waiting[1:],
            "planned_unsubscribe": None,
            "planned_invitation": None,
            "performed": [],
        }
        return Command(goto="interrupt_handler", update=update)

    async def interrupt_handler(self, state: OrganizerWork) -> Command[HubGoal]:
        """Ask about the proposal."""
        answer = await self.parts.review.ask(state, revise=self._revised)
        action = answer.action
        if answer.decision is None:
            return Command(goto="interrupt_handler", update=answer.update)
        if answer.decision.type != RESPONSE:
            return Command(goto="perform", update=answer.update)
        words = answer.decision.text
        if action.kind == LABEL.name:
            return Command(goto="categorize_again", update=answer.update | {"feedback": words})
        if action.kind == NOTIFY.name:
            values = {"messages": [instruction(words)], "pending": None}
            return Command(goto="response_agent", update=answer.update | values)
        # Words about an invitation make another card of it, which comes next.
        again = await self.parts.invitations.actor(action.kind).reworded(action, words)
        waiting = [again.as_json(), *(state.get("proposals") or [])]
        return Command(goto="propose", update=answer.update | {"proposals": waiting})

    async def _revised(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        if action.kind == LABEL.name:
            return self.parts.labelling.revise(action, edited)
        return await self.parts.actor(action.kind).revise(action, edited)

    async def perform(self, state: OrganizerWork) -> Command[PerformGoal]:
        """Do what was decided; what cannot be done as reviewed is asked again."""
        action, decision = pending_of(state), decided(state)
        if action.kind == LABEL.name:
            return await self._label_decided(state, action, decision)
        if action.kind == NOTIFY.name:
            return Command(goto="propose", update={"pending": None, "performed": []})
        tool = self.parts.actor(action.kind)
        if decision.type == IGNORE:
            await tool.discard(action)
            return Command(goto="propose", update={"pending": None, "performed": []})
        result = await perform(tool, state)
        if isinstance(result, AskAgain):
            return Command(goto="interrupt_handler", update=ask_card_again(state, result) | {"performed": []})
        done: dict[str, Any] = {
            "id": action.id,
            "name": action.kind,
            "params": dict(action.args),
            "result": result.text,
            "success": result.performed,
            "error": None if result.performed else result.text,
        }
        update: dict[str, Any] = {
            "pending": None,
            "performed": [done],
            "lesson": lesson_of_edit(state, action),
        }
        if action.kind in self.parts.invitations.kinds:
            update["is_answered"] = True
        return Command(goto="learn", update=update)

    async def _label_decided(
        self, state: OrganizerWork, action: Action, decision: Decision
    ) -> Command[PerformGoal]:
        if decision.type == IGNORE:
            return Command(goto="propose", update={"pending": None, "feedback": "", "performed": []})
        category = action.args["category"]
        corrected = bool(state.get("feedback")) or (state.get("proposed") or action.args) != action.args
        update = await give_labels(self.parts, state, category) | {
            "pending": None,
            "category": category,
            "confidence": 1.0,
            "decided_by": "human",
            "correction": category if corrected else "",
        }
        return Command(goto="learn", update=update)

    async def learn(self, state: OrganizerWork, runtime: Runtime[None]) -> dict[str, Any]:
        """Remember a correction, or how the reply was changed; nothing about a sender in doubt."""
        nothing: dict[str, Any] = {"correction": "", "feedback": "", "lesson": None, "performed": []}
        doubted = sender(state.get("sender_warnings"))
        await learn_lesson(self.parts.learner, state, doubted, runtime.store)
        if state.get("correction") and (keys := await self.parts.taught_keys(state)):
            message_id = conversation_of(state["email_input"]).current.id
            await self.parts.hints.teach(self.parts.mailbox.name, keys, state["correction"], message_id)
        return nothing

    async def finish(self, state: OrganizerWork) -> dict[str, Any]:
        """Say how it ended."""
        unlabelled = GUESSED if state.get("guessed") else NOT_LABELED
        return {
            "outcome": LABELED if state.get("labels") else unlabelled,
            "reason": ": ".join(
                filter(None, [", ".join(state.get("labels") or ()), state.get("reasoning", "")])
            ),
            "settled": True,
            "performed": [],
        }
