"""The claims desk's graph: gather, verify, act, answer."""

from typing import Any

from langgraph.graph import END, START, StateGraph

from email_assistant.app.assistant import AppDeps
from email_assistant.app.graphs import observed
from email_assistant.kit.approval import add_beginning, add_reply
from email_assistant.kit.reply_workflow import NO_ANSWER
from email_assistant.kit.response.transitions import add_labelled
from email_assistant.workflows.claims_desk.acting import ActingNodes
from email_assistant.workflows.claims_desk.answering import AnsweringNodes, after_answer
from email_assistant.workflows.claims_desk.asking import whole_input
from email_assistant.workflows.claims_desk.dependencies import ClaimsDependencies
from email_assistant.workflows.claims_desk.document_search import Documents
from email_assistant.workflows.claims_desk.gathering import GatheringNodes, after_intent
from email_assistant.workflows.claims_desk.records.customers import Customers
from email_assistant.workflows.claims_desk.records.incidents import Incidents
from email_assistant.workflows.claims_desk.refunding import Refunding
from email_assistant.workflows.claims_desk.state import ClaimInput, ClaimState, ClaimWork
from email_assistant.workflows.claims_desk.ticketing import Ticketing
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
        gather.intent_gatherer, verify.report_maker, verify.claim_verifier, verify.tool_execution, verify.decide, act.record,
        answer.final_answer,
    ):  # fmt: skip
        graph.add_node(node.__name__, node)
    decided = {"perform_refund": "approved", "record": "rejected", "refund_review": "not understood"}
    graph.add_node("refund_review", act.refund_review, destinations=decided)
    paid = {"record": "paid, or refused", "refund_review": "asked again"}
    graph.add_node("perform_refund", act.perform_refund, destinations=paid)
    add_beginning(graph, parts, ClaimWork, first="intent_gatherer")
    intents = {"report_maker": "a claim", "final_answer": "a question", **NO_ANSWER}
    add_labelled(graph, "intent_gatherer", after_intent, intents)
    graph.add_edge("report_maker", "claim_verifier")
    add_labelled(
        graph, "claim_verifier", after_verify, {"tool_execution": "a tool call", "decide": "a verdict"}
    )
    graph.add_edge("tool_execution", "claim_verifier")
    ruled = {"refund_review": "a person approves", "perform_refund": "automatic", "record": "no refund"}
    add_labelled(graph, "decide", after_decide, ruled)
    graph.add_edge("record", "final_answer")
    add_labelled(graph, "final_answer", after_answer, {"review": "mail", END: "a chat"})
    add_reply(graph, parts, ClaimWork, first="intent_gatherer", rewrite="final_answer")
    return graph


def build(deps: AppDeps, **compile_options: Any) -> Any:
    """The graph of these settings, compiled and observed by the journal."""
    s = deps.settings
    parts = ClaimsDependencies.of(
        deps,
        "claims_desk",
        customers=Customers(deps.database),
        incidents=Incidents(deps.database),
        documents=Documents(deps.embedder),
        ticketing=Ticketing.of(deps),
        refunding=Refunding.of(deps),
        currency=s.currency,
        tenant=s.tenant,
        companies={s.tenant: ""} | s.tenant_names,
        ceiling=s.refund_ceiling,
        automatic=s.refund_automatic,
    )
    return observed(deps, claims_graph(parts), "claims_desk", snapshots=True, **compile_options)
