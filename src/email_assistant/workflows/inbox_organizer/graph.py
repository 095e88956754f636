"""The organizer's graph: sort, ask, label, note, hand over to the response agent."""

from typing import Any

from langgraph.graph import END, START, StateGraph

from email_assistant.app.assistant import AppDeps
from email_assistant.app.graphs import observed
from email_assistant.kit.response.graph import response_agent
from email_assistant.kit.response.respond import RECURSION_LIMIT, ResponseNodes
from email_assistant.kit.response.toolbox import response_tools
from email_assistant.kit.response.transitions import add_labelled
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.guesses import LabelGuesses
from email_assistant.workflows.inbox_organizer.hub import HubNodes, LeavingNodes
from email_assistant.workflows.inbox_organizer.labelling import Labelling
from email_assistant.workflows.inbox_organizer.notes import ObsidianVault
from email_assistant.workflows.inbox_organizer.noting import NotingNodes
from email_assistant.workflows.inbox_organizer.offline.category import CATEGORIES
from email_assistant.workflows.inbox_organizer.records.hints import CategoryHints
from email_assistant.workflows.inbox_organizer.responding import RespondingNodes, after_response
from email_assistant.workflows.inbox_organizer.sorting import SortingNodes
from email_assistant.workflows.inbox_organizer.state import OrganizerInput, OrganizerState, OrganizerWork
from email_assistant.workflows.inbox_organizer.unsubscribing.unsubscribing import Unsubscribing


def organizer_graph(
    parts: OrganizerDependencies,
) -> StateGraph[OrganizerWork, None, OrganizerInput, OrganizerState]:
    """Categorize, weigh, label; ask about what is not certain, and learn from the answers; hand over what wants an answer."""
    sort, hub, respond = SortingNodes(parts), HubNodes(parts), RespondingNodes(parts)
    leave, noting = LeavingNodes(parts), NotingNodes(parts)
    graph: StateGraph[OrganizerWork, None, OrganizerInput, OrganizerState] = StateGraph(
        OrganizerWork, input_schema=OrganizerInput, output_schema=OrganizerState
    )
    for node in (
        sort.take_up, sort.categorize, sort.label, sort.categorize_again, leave.plan_unsubscribe, noting.note,
        respond.plan_invitation, hub.learn, hub.finish,
    ):  # fmt: skip
        graph.add_node(node.__name__, node)
    planned = {
        "interrupt_handler": "an important mail < 0.8, or another card",
        "hand_over": "≥ 0.8 or guessed, nothing left to ask",
    }
    graph.add_node("propose", hub.propose, destinations=planned)
    decided = {
        "perform": "approved or rejected", "categorize_again": "another category is meant", "propose": "reworded",
        "response_agent": "a reply is wanted", "interrupt_handler": "not understood",
    }  # fmt: skip
    graph.add_node("interrupt_handler", hub.interrupt_handler, destinations=decided)
    done = {"learn": "approved", "propose": "rejected", "interrupt_handler": "asked again"}
    graph.add_node("perform", hub.perform, destinations=done)
    wanted = {"response_agent": "respond", "interrupt_handler": "notify", "finish": "sorted"}
    graph.add_node("hand_over", respond.hand_over, destinations=wanted)
    graph.add_node("response_agent", response_agent(ResponseNodes(parts)).compile(name="response_loop"))
    graph.add_edge(START, "take_up")
    graph.add_edge("take_up", "categorize")
    graph.add_edge("categorize", "label")
    graph.add_edge("label", "plan_unsubscribe")
    graph.add_edge("label", "plan_invitation")
    graph.add_edge("label", "note")
    graph.add_edge(["note", "plan_unsubscribe", "plan_invitation"], "propose")
    graph.add_edge("categorize_again", "propose")
    graph.add_edge("learn", "propose")
    add_labelled(
        graph, "response_agent", after_response, {"interrupt_handler": "nothing was done", "finish": "done"}
    )
    graph.add_edge("finish", END)
    return graph


def build(deps: AppDeps, *, unsubscribing: Unsubscribing | None = None, **compile_options: Any) -> Any:
    """The graph of these settings, compiled and observed by the journal; `unsubscribing` in the place of its own."""
    s = deps.settings
    parts = OrganizerDependencies.of(
        deps,
        "inbox_organizer",
        hints=CategoryHints(deps.database, deps.clock),
        guesses=LabelGuesses(deps.trace),
        mail_log=deps.mail_log,
        labelling=Labelling(deps.mailbox, s.category_names or CATEGORIES),
        toolbox=response_tools(deps),
        meetings=deps.schedule_meeting.own_meetings,
        unsubscribing=unsubscribing or Unsubscribing.of(deps),
        vault=ObsidianVault(s.vault.expanduser(), s.timezone) if s.vault else None,
        vips=s.vip_list,
    )
    compiled = observed(deps, organizer_graph(parts), "inbox_organizer", **compile_options)
    return compiled.with_config({"recursion_limit": RECURSION_LIMIT})
