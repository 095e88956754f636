"""The drawing of the response agent."""

from langgraph.graph import END, START, StateGraph

from email_assistant.kit.response.respond import ResponseNodes
from email_assistant.kit.response.state import AssistantWork
from email_assistant.kit.response.transitions import add_labelled, should_continue

ENDS = ("say_nothing_was_done", "mark_as_read_node")
ONWARD = {
    "prepare": "next tool call", "llm_call": "next turn", "say_nothing_was_done": "done, without effect", "mark_as_read_node": "done",
}  # fmt: skip


def response_agent(nodes: ResponseNodes) -> StateGraph[AssistantWork]:
    """The lower level: model turns, reviews, effects, learning."""
    graph = StateGraph(AssistantWork)
    graph.add_node("llm_call", nodes.llm_call)
    asking = {"perform": "decided", "interrupt_handler": "not understood"}
    graph.add_node("interrupt_handler", nodes.interrupt_handler, destinations=asking)
    prepared = {"interrupt_handler": "needs approval", "perform": "needs none", **ONWARD}
    graph.add_node("prepare", nodes.prepare, destinations=prepared)
    performed = {
        "interrupt_handler": "asked again",
        "learn": "approved or rejected, and teaches",
        END: "settled",
    }
    graph.add_node("perform", nodes.perform, destinations={**performed, **ONWARD})
    graph.add_node("learn", nodes.learn, destinations={END: "rejected", **ONWARD})
    graph.add_node("say_nothing_was_done", nodes.say_nothing_was_done)
    graph.add_node("mark_as_read_node", nodes.mark_as_read_node, destinations={END: "settled"})
    graph.add_edge(START, "llm_call")
    called = {"prepare": "a tool call", **{goal: ONWARD[goal] for goal in ENDS}}
    add_labelled(graph, "llm_call", should_continue, called)
    graph.add_edge("say_nothing_was_done", END)
    return graph
