"""The drawing."""

from langgraph.graph import END, START, StateGraph

from email_assistant.graphs.reply_pipeline.approval import ApprovalNodes, after_review
from email_assistant.graphs.reply_pipeline.dispatch import DispatchNodes
from email_assistant.graphs.reply_pipeline.parts import Parts
from email_assistant.graphs.reply_pipeline.state import PipelineInput, PipelineState, WorkState
from email_assistant.graphs.reply_pipeline.understanding import (
    UnderstandingNodes,
    after_classify,
    after_decide,
)
from email_assistant.graphs.reply_pipeline.working import WorkingNodes


def pipeline_graph(parts: Parts) -> StateGraph[WorkState, None, PipelineInput, PipelineState]:
    """classify → retrieve → decide → execute_tools → generate → review → dispatch, with a queue for a person."""
    understand, work = UnderstandingNodes(parts), WorkingNodes(parts)
    approve, send = ApprovalNodes(parts), DispatchNodes(parts)
    graph: StateGraph[WorkState, None, PipelineInput, PipelineState] = StateGraph(
        WorkState, input_schema=PipelineInput, output_schema=PipelineState
    )
    for node in (
        understand.classify, understand.retrieve, understand.decide, work.execute_tools, work.generate,
        approve.review, approve.human_queue, approve.rejected, send.dispatch,
    ):  # fmt: skip
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "classify")
    graph.add_conditional_edges("classify", after_classify)
    graph.add_edge("retrieve", "decide")
    graph.add_conditional_edges("decide", after_decide)
    graph.add_edge("execute_tools", "generate")
    graph.add_edge("generate", "review")
    graph.add_conditional_edges("review", after_review)
    graph.add_edge("rejected", END)
    return graph
