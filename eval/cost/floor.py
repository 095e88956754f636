"""The floor of what a mail can cost outside the model: a bare LangGraph graph that makes the same model calls and asks as often.

It has one node that asks a model and one that asks a person, keeps all messages in its state, and writes the same checkpoints to the same
kind of file as any LangGraph graph does. It reads no mail, keeps no journal, checks nothing and does nothing.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, interrupt


@dataclass(frozen=True, slots=True)
class Asked:
    """One step of a mail: a model was asked, or a person."""

    who: Literal["model", "person"]
    prompt: int = 0
    """Characters."""
    answer: int = 0
    sends: bool = False
    """Whether the card was about a mail that leaves."""


class State(TypedDict):
    """What the bare graph keeps."""

    messages: Annotated[list[AnyMessage], add_messages]
    at: int


@dataclass
class Floor:
    """The bare graph of one plan, and the time that its model took."""

    plan: Sequence[Asked]
    model_seconds: float = 0.0
    graph: Any = field(init=False)

    def compiled(self, saver: Any) -> Any:
        """The graph over a checkpointer."""
        builder = StateGraph(State)
        builder.add_node("model", self._model)
        builder.add_node("person", ask)
        builder.add_conditional_edges(START, self._next, ["model", "person", END])
        builder.add_conditional_edges("model", self._next, ["model", "person", END])
        builder.add_conditional_edges("person", self._next, ["model", "person", END])
        return builder.compile(checkpointer=saver)

    async def run(self, saver: Any, thread_id: str, mail: str) -> float:
        """One mail to its end; seconds outside the model."""
        graph, config = self.compiled(saver), {"configurable": {"thread_id": thread_id}}
        started = time.perf_counter()
        work: Any = {"messages": [HumanMessage(mail)], "at": 0}
        for _ in range(1 + len(self.plan)):
            await graph.ainvoke(work, config)
            state = await graph.aget_state(config)
            if not state.interrupts:
                break
            work = Command(resume=[{"type": "accept", "args": None}])
        return time.perf_counter() - started - self.model_seconds

    async def _model(self, state: State) -> dict[str, Any]:
        asked, began = self.plan[state["at"]], time.perf_counter()
        answer = AIMessage("x" * asked.answer)
        self.model_seconds += time.perf_counter() - began
        return {"messages": [HumanMessage("x" * asked.prompt), answer], "at": state["at"] + 1}

    def _next(self, state: State) -> str:
        return self.plan[state["at"]].who if state["at"] < len(self.plan) else END


def ask(state: State) -> dict[str, Any]:
    """The node that asks a person."""
    interrupt(
        [{"action_request": {"action": "a card", "args": {}}, "config": {}, "description": "x" * 1_000}]
    )
    return {"at": state["at"] + 1}
