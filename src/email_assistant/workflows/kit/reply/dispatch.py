"""dispatch: what was approved happens, once."""

from dataclasses import dataclass

from langgraph.runtime import Runtime
from langgraph.types import Command

from email_assistant.review.action import Action
from email_assistant.tools.tool import AskAgain
from email_assistant.workflows.kit import lessons
from email_assistant.workflows.kit.reply.desk import Goals, ReplyWorkflow, State
from email_assistant.workflows.kit.reply.steps import step
from email_assistant.workflows.kit.review_loop import asked_again, pending_of, perform


@dataclass(frozen=True)
class DispatchNodes:
    """The node that sends."""

    desk: ReplyWorkflow
    goals: Goals

    async def dispatch(self, state: State, runtime: Runtime[None]) -> Command[str]:
        """Send what a person approved; what only its confidence approved stays a draft unless sending is switched on."""
        action = pending_of(state)
        automatic = not state.get("requires_approval")
        if automatic and not await self.desk.may_send(action.id):
            return self._drafted(state, action)
        if blocking_reason := await self.desk.blocking_reason(state):
            return self._asked_again(state, AskAgain(action, blocking_reason))
        result = await perform(self.desk.send_email, state)
        if isinstance(result, AskAgain):
            return self._asked_again(state, result)
        followed = await self.desk.sent(state, runtime.store)
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
