"""The nodes that every graph with a reply ends in."""

from typing import Any

from langgraph.graph import END, StateGraph

from email_assistant.workflows.kit.reply.approval import (
    ApprovalNodes,
    DispatchNodes,
    LearningNodes,
    after_review,
)
from email_assistant.workflows.kit.reply.reply_workflow import Goals, ReplyWorkflow
from email_assistant.workflows.kit.reply.unanswered import NotifyNodes


def add_reply(
    graph: StateGraph[Any, Any, Any, Any],
    workflow: ReplyWorkflow,
    state: type[Any],
    *,
    first: str,
    rewrite: str,
) -> None:
    """review → human_queue or dispatch → learn, and notify; the graph leads to `review` and (`is_unanswered`) to `notify` by itself.

    `state` is the graph's whole state, `first` the node that reads mail, `rewrite` the node that writes the reply again when a person
    sends it back.
    """
    learner = workflow.learner
    goals = Goals(rewrite, learns=learner is not None)
    approve, send = ApprovalNodes(workflow, goals), DispatchNodes(workflow, goals)
    graph.add_node(
        "notify", NotifyNodes(workflow, first).notify, input_schema=state, destinations=("notify", first, END)
    )
    graph.add_node("review", approve.review, input_schema=state)
    graph.add_node("human_queue", approve.human_queue, input_schema=state, destinations=goals.of_queue)
    graph.add_node("rejected", approve.rejected, input_schema=state)
    graph.add_node(
        "dispatch", send.dispatch, input_schema=state, destinations=("human_queue", END, goals.of_sent)
    )
    graph.add_conditional_edges("review", after_review)
    graph.add_edge("rejected", END)
    if learner is not None:
        teach = LearningNodes(learner, goals)
        graph.add_node("learn", teach.learn, input_schema=state, destinations=(rewrite, END))
