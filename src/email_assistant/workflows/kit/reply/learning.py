"""learn: what a person's words and edits teach; see `workflows/kit/lessons.py`."""

from dataclasses import dataclass

from langgraph.graph import END
from langgraph.runtime import Runtime
from langgraph.types import Command

from email_assistant.memory.learner import Learner
from email_assistant.workflows.kit import lessons
from email_assistant.workflows.kit.reply.desk import Goals, State
from email_assistant.workflows.kit.senders import sender


@dataclass(frozen=True)
class LearningNodes:
    """The node after a decision, of a graph that reads preferences."""

    learner: Learner
    goals: Goals

    async def learn(self, state: State, runtime: Runtime[None]) -> Command[str]:
        """Learn from the decision, then go on; a failure to learn changes nothing else."""
        await lessons.learn(self.learner, state, sender(state.get("sender_warnings")), runtime.store)
        return Command(goto=END if state.get("outcome") else self.goals.rewrite, update={"lesson": None})
