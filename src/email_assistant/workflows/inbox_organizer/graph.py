"""The organizer's graph: sort, weigh, ask, label, reply, note."""

from langgraph.graph import END, START, StateGraph

from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.events import EventNodes
from email_assistant.workflows.inbox_organizer.hub import HubNodes, LeavingNodes
from email_assistant.workflows.inbox_organizer.noting import NotingNodes
from email_assistant.workflows.inbox_organizer.reply import ReplyNodes
from email_assistant.workflows.inbox_organizer.sorting import SortingNodes
from email_assistant.workflows.inbox_organizer.state import OrganizerInput, OrganizerState, OrganizerWork


def organizer_graph(
    parts: OrganizerDependencies,
) -> StateGraph[OrganizerWork, None, OrganizerInput, OrganizerState]:
    """Categorize, weigh, label, prepare a reply; ask about what is not certain, and learn from the answers."""
    sort, event, reply, hub = SortingNodes(parts), EventNodes(parts), ReplyNodes(parts), HubNodes(parts)
    leave, noting = LeavingNodes(parts), NotingNodes(parts)
    graph: StateGraph[OrganizerWork, None, OrganizerInput, OrganizerState] = StateGraph(
        OrganizerWork, input_schema=OrganizerInput, output_schema=OrganizerState
    )
    for node in (
        sort.take_up, sort.categorize, sort.weigh, sort.label, sort.categorize_again, leave.plan_unsubscribe, noting.note, event.plan_event,
        event.event_again,
        reply.plan_reply, reply.reply_after_event, reply.reply_again,
        hub.propose, hub.interrupt_handler, hub.perform, hub.learn, hub.finish,
    ):  # fmt: skip
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "take_up")
    graph.add_edge("take_up", "categorize")
    graph.add_edge("categorize", "weigh")
    graph.add_edge("weigh", "label")
    graph.add_edge("label", "plan_unsubscribe")
    graph.add_edge("label", "plan_event")
    graph.add_edge("label", "note")
    graph.add_edge(
        ["note", "plan_event"], "plan_reply"
    )  # Which reads what was noted, and waits for an event.
    graph.add_edge(["plan_unsubscribe", "plan_reply"], "propose")
    graph.add_edge("reply_after_event", "propose")
    graph.add_edge("event_again", "learn")
    graph.add_edge("reply_again", "learn")
    graph.add_edge("categorize_again", "propose")
    graph.add_edge("learn", "propose")
    graph.add_edge("finish", END)
    return graph
