"""The drawing."""

from langgraph.graph import StateGraph

from email_assistant.kit.reply.drawing import add_beginning, add_reply
from email_assistant.workflows.reply_pipeline.dependencies import PipelineDependencies
from email_assistant.workflows.reply_pipeline.state import PipelineInput, PipelineState, WorkState
from email_assistant.workflows.reply_pipeline.understanding import (
    UnderstandingNodes,
    after_classify,
    after_decide,
)
from email_assistant.workflows.reply_pipeline.working import WorkingNodes


def pipeline_graph(parts: PipelineDependencies) -> StateGraph[WorkState, None, PipelineInput, PipelineState]:
    """classify → retrieve → decide → execute_tools → generate → review → dispatch, with a queue for a person."""
    understand, work = UnderstandingNodes(parts), WorkingNodes(parts)
    graph: StateGraph[WorkState, None, PipelineInput, PipelineState] = StateGraph(
        WorkState, input_schema=PipelineInput, output_schema=PipelineState
    )
    for node in (
        understand.classify, understand.retrieve, understand.decide, work.execute_tools, work.generate,
    ):  # fmt: skip
        graph.add_node(node.__name__, node)
    add_beginning(graph, parts, WorkState, first="classify")
    graph.add_conditional_edges("classify", after_classify)
    graph.add_edge("retrieve", "decide")
    graph.add_conditional_edges("decide", after_decide)
    graph.add_edge("execute_tools", "generate")
    graph.add_edge("generate", "review")
    add_reply(graph, parts, WorkState, first="classify", rewrite="generate")
    return graph
