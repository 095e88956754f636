"""The order desk's graph: read the mail, work on orders and questions, compose, review."""

from langgraph.graph import END, START, StateGraph

from email_assistant.kit.approval import add_beginning, add_reply
from email_assistant.workflows.order_desk.composing import ComposingNodes, after_compose
from email_assistant.workflows.order_desk.dependencies import OrderDependencies
from email_assistant.workflows.order_desk.reading import ReadingNodes, after_analysis, route_resolver_result
from email_assistant.workflows.order_desk.state import OrderInput, OrderWork, OverallState
from email_assistant.workflows.order_desk.working import AgentNodes


def order_graph(
    parts: OrderDependencies, *, asks: bool = True
) -> StateGraph[OrderWork, None, OrderInput, OverallState]:
    """analyze_email → resolve_product_mentions → (process_order ∥ respond_to_inquiry) → compose_response → the common review.

    With `asks` False the run ends when the reply is written.
    """
    read, work, write = ReadingNodes(parts, asks), AgentNodes(parts), ComposingNodes(parts, asks)
    graph: StateGraph[OrderWork, None, OrderInput, OverallState] = StateGraph(
        OrderWork, input_schema=OrderInput, output_schema=OverallState
    )
    for node in (
        read.analyze_email, read.resolve_product_mentions, work.process_order, work.respond_to_inquiry, write.compose_response,
    ):  # fmt: skip
        graph.add_node(node.__name__, node)
    goals = ["resolve_product_mentions", END, *(["notify"] if asks else [])]
    graph.add_conditional_edges("analyze_email", after_analysis, goals)
    graph.add_conditional_edges(
        "resolve_product_mentions",
        route_resolver_result,
        ["process_order", "respond_to_inquiry", "compose_response"],
    )
    graph.add_edge("process_order", "compose_response")
    graph.add_edge("respond_to_inquiry", "compose_response")
    if not asks:
        graph.add_edge(START, "analyze_email")
        graph.add_edge("compose_response", END)
        return graph
    graph.add_conditional_edges("compose_response", after_compose)
    add_beginning(graph, parts, OrderWork, first="analyze_email")
    add_reply(graph, parts, OrderWork, first="analyze_email", rewrite="compose_response")
    return graph
