"""learn: what a person's words and edits teach; see `graphs/lessons.py`."""

from dataclasses import dataclass

from langgraph.graph import END
from langgraph.runtime import Runtime
from langgraph.types import Command

from email_assistant.graphs import lessons
from email_assistant.graphs.replying.desk import Goals, State
from email_assistant.graphs.senders import sender
from email_assistant.memory.learner import Learner


@dataclass(frozen=True)
class LearningNodes:
    """The node after a decision, of a graph that reads preferences."""

    learner: Learner
    goals: Goals

    async def learn(self, state: State, runtime: Runtime[None]) -> Command[str]:
        """Learn from the decision, then go on; a failure to learn changes nothing else."""
        await lessons.learn(self.learner, state, sender(state.get("sender_warnings")), runtime.store)
        return Command(goto=END if state.get("outcome") else self.goals.rewrite, update={"lesson": None})
