"""The nodes that every graph with a reply ends in."""

from typing import Any

from langgraph.graph import END, StateGraph

from email_assistant.graphs.replying.approval import ApprovalNodes, after_review
from email_assistant.graphs.replying.desk import Desk, Goals
from email_assistant.graphs.replying.dispatch import DispatchNodes
from email_assistant.graphs.replying.unanswered import NotifyNodes


def add_reply(
    graph: StateGraph[Any, Any, Any, Any], desk: Desk, state: type[Any], *, first: str, rewrite: str
) -> None:
    """review → human_queue or dispatch, and notify; the graph leads to `review` and (`is_unanswered`) to `notify` by itself.

    `state` is the graph's whole state, `first` the node that reads mail, `rewrite` the node that writes the reply again when a person
    sends it back.
    """
    goals = Goals(rewrite)
    graph.add_node(
        "notify", NotifyNodes(desk, first).notify, input_schema=state, destinations=("notify", first, END)
    )
    approve, send = ApprovalNodes(desk, goals), DispatchNodes(desk)
    graph.add_node("review", approve.review, input_schema=state)
    graph.add_node("human_queue", approve.human_queue, input_schema=state, destinations=goals.of_queue)
    graph.add_node("rejected", approve.rejected, input_schema=state)
    graph.add_node("dispatch", send.dispatch, input_schema=state, destinations=("human_queue", END))
    graph.add_conditional_edges("review", after_review)
    graph.add_edge("rejected", END)
