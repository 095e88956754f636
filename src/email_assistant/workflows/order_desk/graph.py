"""The order desk's graph: read the mail, work on orders and questions, compose, review."""

from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph

from email_assistant.app.assistant import AppDeps
from email_assistant.app.graphs import observed
from email_assistant.kit.approval import add_beginning, add_reply
from email_assistant.kit.reply_workflow import NO_ANSWER
from email_assistant.kit.response.transitions import add_labelled
from email_assistant.workflows.order_desk.catalogue_index import CatalogueIndex
from email_assistant.workflows.order_desk.composing import ComposingNodes, after_compose
from email_assistant.workflows.order_desk.dependencies import OrderDependencies
from email_assistant.workflows.order_desk.grounding import OrderFactCheck
from email_assistant.workflows.order_desk.reading import ReadingNodes, after_analysis, route_resolver_result
from email_assistant.workflows.order_desk.records.catalogue import Catalogue
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.state import OrderInput, OrderWork, OverallState, mail_of
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
    analysed = {"resolve_product_mentions": "respond", **(NO_ANSWER if asks else {END: "ignore"})}
    add_labelled(graph, "analyze_email", after_analysis, analysed)
    asked = {"process_order": "orders", "respond_to_inquiry": "asks", "compose_response": "neither"}
    add_labelled(graph, "resolve_product_mentions", route_resolver_result, asked)
    graph.add_edge("process_order", "compose_response")
    graph.add_edge("respond_to_inquiry", "compose_response")
    if not asks:
        graph.add_edge(START, "analyze_email")
        graph.add_edge("compose_response", END)
        return graph
    composed = {"review": "a reply", END: "nobody to write to"}
    add_labelled(graph, "compose_response", after_compose, composed)
    add_beginning(graph, parts, OrderWork, first="analyze_email")
    add_reply(graph, parts, OrderWork, first="analyze_email", rewrite="compose_response")
    return graph


def build(deps: AppDeps, *, asks: bool = True, **compile_options: Any) -> Any:
    """The graph of these settings, compiled and observed by the journal; with `asks` False it ends when the reply is written."""
    parts = OrderDependencies.of(
        deps,
        "order_desk",
        catalogue_index=CatalogueIndex(Catalogue(deps.database, deps.clock), deps.embedder),
        orders=Orders(deps.database, deps.clock),
        checker=OrderFactCheck(deps.user, deps.agenda_clock),
        currency=deps.settings.currency,
        hold=deps.settings.order_approval,
    )
    drawing, reading = order_graph(parts, asks=asks), partial(mail_of, user=deps.user)
    return observed(deps, drawing, "order_desk", snapshots=True, mail_of=reading, **compile_options)
