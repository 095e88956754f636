"""The claims desk's graph: gather, verify, act, answer."""

from typing import Any

from langgraph.graph import START, StateGraph

from email_assistant.kit.approval import add_beginning, add_reply
from email_assistant.workflows.claims_desk.acting import ActingNodes
from email_assistant.workflows.claims_desk.answering import AnsweringNodes, after_answer
from email_assistant.workflows.claims_desk.asking import whole_input
from email_assistant.workflows.claims_desk.dependencies import ClaimsDependencies
from email_assistant.workflows.claims_desk.gathering import GatheringNodes, after_intent
from email_assistant.workflows.claims_desk.state import ClaimInput, ClaimState, ClaimWork
from email_assistant.workflows.claims_desk.verifying import VerifyingNodes, after_decide, after_verify


class ClaimsGraph(StateGraph[ClaimWork, None, ClaimInput, ClaimState]):
    """A graph that takes a whole input."""

    def compile(self, *args: Any, **options: Any) -> Any:
        """The graph; LangGraph would leave to the thread what an input does not say, see `asking`."""
        compiled = super().compile(*args, **options)
        compiled.nodes[START].mapper = whole_input
        return compiled


def claims_graph(parts: ClaimsDependencies) -> StateGraph[ClaimWork, None, ClaimInput, ClaimState]:
    """intent_gatherer → report_maker → claim_verifier ⇄ tool_execution → decide → refund, record → final_answer → the common review."""
    gather, verify = GatheringNodes(parts), VerifyingNodes(parts)
    act, answer = ActingNodes(parts), AnsweringNodes(parts)
    graph = ClaimsGraph(ClaimWork, input_schema=ClaimInput, output_schema=ClaimState)
    for node in (
        gather.intent_gatherer, verify.report_maker, verify.claim_verifier, verify.tool_execution, verify.decide,
        act.refund_review, act.perform_refund, act.record, answer.final_answer,
    ):  # fmt: skip
        graph.add_node(node.__name__, node)
    add_beginning(graph, parts, ClaimWork, first="intent_gatherer")
    graph.add_conditional_edges("intent_gatherer", after_intent)
    graph.add_edge("report_maker", "claim_verifier")
    graph.add_conditional_edges("claim_verifier", after_verify)
    graph.add_edge("tool_execution", "claim_verifier")
    graph.add_conditional_edges("decide", after_decide)
    graph.add_edge("record", "final_answer")
    graph.add_conditional_edges("final_answer", after_answer)
    add_reply(graph, parts, ClaimWork, first="intent_gatherer", rewrite="final_answer")
    return graph
