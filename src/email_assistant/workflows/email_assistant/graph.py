"""The drawing of the two levels."""

from langgraph.graph import END, START, StateGraph

from email_assistant.kit.invitations import InvitationNodes, add_invitations
from email_assistant.workflows.email_assistant.dependencies import AssistantDependencies
from email_assistant.workflows.email_assistant.respond import ResponseNodes
from email_assistant.workflows.email_assistant.state import AssistantWork, State, StateInput
from email_assistant.workflows.email_assistant.transitions import after_response, should_continue
from email_assistant.workflows.email_assistant.triage import TriageNodes


def response_agent(nodes: ResponseNodes) -> StateGraph[AssistantWork]:
    """The lower level: model turns, reviews, effects, learning."""
    graph = StateGraph(AssistantWork)
    graph.add_node("llm_call", nodes.llm_call)
    graph.add_node("interrupt_handler", nodes.interrupt_handler)
    graph.add_node("prepare", nodes.prepare)
    graph.add_node("perform", nodes.perform)
    graph.add_node("learn", nodes.learn)
    graph.add_node("say_nothing_was_done", nodes.say_nothing_was_done)
    graph.add_node("mark_as_read_node", nodes.mark_as_read_node)
    graph.add_edge(START, "llm_call")
    graph.add_conditional_edges("llm_call", should_continue)
    graph.add_edge("say_nothing_was_done", END)
    return graph


def assistant_graph(parts: AssistantDependencies) -> StateGraph[AssistantWork, None, StateInput, State]:
    """The upper level: triage, the notification card, the response agent."""
    triage, respond = TriageNodes(parts), ResponseNodes(parts)
    graph: StateGraph[AssistantWork, None, StateInput, State] = StateGraph(
        AssistantWork, input_schema=StateInput, output_schema=State
    )
    graph.add_node("triage_router", triage.triage_router)
    graph.add_node("triage_interrupt_handler", triage.triage_interrupt_handler)
    graph.add_node("learn_from_triage", triage.learn_from_triage)
    graph.add_node("response_agent", response_agent(respond).compile(name="response_loop"))
    graph.add_node("mark_as_read_node", respond.mark_as_read_node)
    invitations = InvitationNodes(
        parts, triage.begun, "triage_router", notify="triage_interrupt_handler", last="mark_as_read_node"
    )
    add_invitations(graph, invitations, AssistantWork)
    graph.add_conditional_edges("response_agent", after_response)
    return graph
