"""What is put before the human, one card at a time, and what becomes of the answers."""

from dataclasses import dataclass
from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from email_assistant.errors import ProviderError
from email_assistant.graphs.conversations import conversation_of
from email_assistant.graphs.organizer.hint_keys import hint_keys
from email_assistant.graphs.organizer.labels import give_labels
from email_assistant.graphs.organizer.parts import Parts, card_for
from email_assistant.graphs.organizer.state import WorkState
from email_assistant.graphs.senders import sender
from email_assistant.memory.lesson import Lesson, describe_edit
from email_assistant.memory.profiles import ProfileName
from email_assistant.review.action import EDIT, IGNORE, RESPONSE, Action, Decision, Problem
from email_assistant.review.card import numbered
from email_assistant.review.gate import ask, taken
from email_assistant.review.risk import Sender
from email_assistant.tools.tool import AskAgain

HubGoal = Literal["interrupt_handler", "perform", "categorize_again", "event_again", "reply_again"]
PerformGoal = Literal["learn", "propose", "interrupt_handler"]
AGAIN: dict[str, Literal["event_again", "reply_again"]] = {
    "schedule_meeting": "event_again",
    "send_email": "reply_again",
}
LEARNS: dict[str, ProfileName] = {"schedule_meeting": "cal_preferences", "send_email": "response_preferences"}
"""What is learned from how a proposal is changed."""


@dataclass(frozen=True)
class HubNodes:
    """The nodes around the one interrupt; `propose` is the hub."""

    parts: Parts

    async def propose(self, state: WorkState) -> Command[Literal["interrupt_handler", "finish"]]:
        """Put the next proposal before the human, if there is one."""
        planned = [state.get("planned_unsubscribe"), state.get("planned_event"), state.get("planned_reply")]
        # What was sent back comes next; else labels go first.
        again = any(planned) and bool(state.get("said"))
        ready = [each for each in planned if each]
        waiting = (
            [*ready, *(state.get("proposals") or [])] if again else [*(state.get("proposals") or []), *ready]
        )
        if not waiting:
            return Command(goto="finish", update={"performed": []})
        titles = state.get("titles") or []
        action = Action.from_json(waiting[0])
        number = numbered(action.title, titles, state.get("round") or 1)
        shown = Action.from_json(action.as_json() | {"title": number})
        update = {
            "proposals": waiting[1:],
            "planned_unsubscribe": None,
            "planned_event": None,
            "planned_reply": None,
            "actions": list(dict.fromkeys([*(state.get("actions") or []), shown.id])),
            "pending": shown.as_json(),
            "titles": [*titles, shown.title],
            "decision": None,
            "problem": "",
            "acknowledged": [],
            "performed": [],
        }
        return Command(goto="interrupt_handler", update=update)

    async def interrupt_handler(self, state: WorkState) -> Command[HubGoal]:
        """Ask about the proposal."""
        action = Action.from_json(state["pending"] or {})
        answer = ask(action, card_for(action, state, self.parts.user), state)
        return taken(await self._answered(state, action, answer))

    async def _answered(
        self, state: WorkState, action: Action, answer: Decision | Problem
    ) -> Command[HubGoal]:
        if isinstance(answer, Problem):
            return Command(goto="interrupt_handler", update={"problem": answer.text})
        if answer.type == EDIT:
            return await self._edited(action, answer)
        update: dict[str, Any] = {"decision": answer.as_json(), "problem": ""}
        if answer.type != RESPONSE:
            return Command(goto="perform", update=update)
        if action.kind == "label":
            return Command(goto="categorize_again", update=update | {"feedback": answer.text})
        lesson = Lesson(LEARNS[action.kind], "feedback", action.id, answer.text)
        said = dict(state.get("said") or {})
        said[action.kind] = [*said.get(action.kind, []), answer.text]
        return Command(goto=AGAIN[action.kind], update=update | {"said": said, "lesson": lesson.as_json()})

    async def _edited(self, action: Action, answer: Decision) -> Command[HubGoal]:
        revised = (
            self.parts.labelling.revise(action, answer.args)
            if action.kind == "label"
            else await self.parts.actor(action.kind).revise(action, answer.args)
        )
        if isinstance(revised, Problem):
            return Command(goto="interrupt_handler", update={"problem": revised.text})
        update = {"pending": revised.as_json(), "decision": answer.as_json(), "problem": ""}
        profile = LEARNS.get(action.kind)
        edit = describe_edit(action.args, revised.args) if profile else ""
        lesson = Lesson(profile, "edited", action.id, edit).as_json() if profile and edit else None
        return Command(goto="perform", update=update | {"lesson": lesson})

    async def perform(self, state: WorkState) -> Command[PerformGoal]:
        """Do what was decided; what cannot be done as reviewed is asked again."""
        action = Action.from_json(state["pending"] or {})
        decision = Decision(**(state.get("decision") or {}))
        if action.kind == "label":
            return await self._label_decided(state, action, decision)
        tool = self.parts.actor(action.kind)
        if decision.type == IGNORE:
            await tool.discard(action)
            return Command(goto="propose", update={"pending": None, "performed": []})
        try:
            result = await tool.perform(action, acknowledged=frozenset(state.get("acknowledged") or []))
        except ProviderError as error:
            result = AskAgain(action, f"It did not work: {error} Accept to try again.")
        if isinstance(result, AskAgain):
            return self._asked_again(state, result)
        done = {"id": action.id, "name": action.kind, "params": dict(action.args), "result": result.text}
        return Command(goto="learn", update={"pending": None, "performed": [done | {"success": True}]})

    async def _label_decided(
        self, state: WorkState, action: Action, decision: Decision
    ) -> Command[PerformGoal]:
        if decision.type == IGNORE:
            return Command(goto="propose", update={"pending": None, "feedback": "", "performed": []})
        category = action.args["category"]
        corrected = bool(state.get("feedback")) or category != action.facts["proposed"]
        update = await give_labels(self.parts, state, category) | {
            "pending": None,
            "category": category,
            "confidence": 1.0,
            "decided_by": "human",
            "correction": category if corrected else "",
        }
        return Command(goto="learn", update=update)

    def _asked_again(self, state: WorkState, result: AskAgain) -> Command[PerformGoal]:
        titles, action = state.get("titles") or [], result.action
        if action.as_json() != state.get("pending"):
            title = numbered(action.title, titles, state.get("round") or 1)
            action = Action.from_json(action.as_json() | {"title": title})
        update = {
            "pending": action.as_json(),
            "problem": result.problem,
            "decision": None,
            "acknowledged": [*(state.get("acknowledged") or []), *result.concerns],
            "titles": list(dict.fromkeys([*titles, action.title])),
            "actions": list(dict.fromkeys([*(state.get("actions") or []), action.id])),
            "performed": [],
        }
        return Command(goto="interrupt_handler", update=update)

    async def learn(self, state: WorkState, runtime: Runtime[None]) -> dict[str, Any]:
        """Remember a correction, or how the reply was changed; nothing about a sender in doubt."""
        nothing: dict[str, Any] = {"correction": "", "feedback": "", "lesson": None, "performed": []}
        if sender(state.get("sender_warnings")) is Sender.IN_DOUBT:
            return nothing
        if lesson := state.get("lesson"):
            await self.parts.learner.try_learn(Lesson.from_json(lesson), runtime.store)
        if state.get("correction"):
            await self._corrected(state, state["correction"])
        return nothing

    async def _corrected(self, state: WorkState, category: str) -> None:
        message = conversation_of(state["email_input"]).current
        known = await self.parts.senders.known(message)
        keys = hint_keys(message, is_correspondent=known.sender is not None)
        if keys and message.id:
            await self.parts.hints.teach(self.parts.mailbox.name, keys, category, message.id)

    async def finish(self, state: WorkState) -> dict[str, Any]:
        """Say how it ended."""
        return {
            "outcome": "labeled" if state.get("labels") else "not_labeled",
            "settled": True,
            "performed": [],
        }
