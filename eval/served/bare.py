"""A bare graph on a LangGraph server: the model calls and the card of a mail, and nothing else; `BARE_MS` is what a call takes."""

import asyncio
import os
from typing import Annotated, Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt
from typing_extensions import TypedDict

SECONDS = int(os.environ.get("BARE_MS", "0")) / 1_000


class State(TypedDict):
    """What it keeps."""

    messages: Annotated[list[AnyMessage], add_messages]


async def _model(state: State) -> dict[str, Any]:
    await asyncio.sleep(SECONDS)
    return {"messages": [HumanMessage("x" * 4_000), AIMessage("x" * 80)]}


async def _person(state: State) -> dict[str, Any]:
    interrupt(
        [{"action_request": {"action": "a card", "args": {}}, "config": {}, "description": "x" * 1_000}]
    )
    return {}


_builder = StateGraph(State)
_builder.add_node("sort", _model)
_builder.add_node("write", _model)
_builder.add_node("ask", _person)
_builder.add_edge(START, "sort")
_builder.add_edge("sort", "write")
_builder.add_edge("write", "ask")
_builder.add_edge("ask", END)
graph = _builder.compile()
