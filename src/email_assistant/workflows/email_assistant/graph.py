"""The drawing of the two levels."""

from functools import partial

from langgraph.graph import END, StateGraph

from email_assistant.kit.invitations import InvitationNodes, add_invitations
from email_assistant.kit.response.dependencies import AssistantDependencies
from email_assistant.kit.response.done_so_far import begun
from email_assistant.kit.response.graph import response_agent
from email_assistant.kit.response.respond import ResponseNodes
from email_assistant.kit.response.state import AssistantWork, State
from email_assistant.kit.response.transitions import add_labelled, after_response
from email_assistant.workflows.email_assistant.state import StateInput
from email_assistant.workflows.email_assistant.triage import TriageNodes


def assistant_graph(parts: AssistantDependencies) -> StateGraph[AssistantWork, None, StateInput, State]:
    """The upper level: triage, the notification card, the response agent."""
    triage, respond = TriageNodes(parts), ResponseNodes(parts)
    graph: StateGraph[AssistantWork, None, StateInput, State] = StateGraph(
        AssistantWork, input_schema=StateInput, output_schema=State
    )
    verdicts = {"response_agent": "respond", "triage_interrupt_handler": "notify", END: "ignore"}
    graph.add_node("triage_router", triage.triage_router, destinations=verdicts)
    shown = {"learn_from_triage": "decided", "triage_interrupt_handler": "not understood"}
    graph.add_node("triage_interrupt_handler", triage.triage_interrupt_handler, destinations=shown)
    learned = {"response_agent": "a reply is wanted", END: "rejected"}
    graph.add_node("learn_from_triage", triage.learn_from_triage, destinations=learned)
    graph.add_node("response_agent", response_agent(respond).compile(name="response_loop"))
    graph.add_node("mark_as_read_node", respond.mark_as_read_node, destinations={END: "settled"})
    invitations = InvitationNodes(
        parts,
        partial(begun, user=parts.user),
        "triage_router",
        notify="triage_interrupt_handler",
        last="mark_as_read_node",
    )
    add_invitations(graph, invitations, AssistantWork)
    ends = {"triage_interrupt_handler": "nothing was done", "mark_as_read_node": "done", END: "settled"}
    add_labelled(graph, "response_agent", after_response, ends)
    return graph
