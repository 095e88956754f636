"""The drawing of the response agent."""

from langgraph.graph import END, START, StateGraph

from email_assistant.kit.response.respond import ResponseNodes
from email_assistant.kit.response.state import AssistantWork
from email_assistant.kit.response.transitions import should_continue


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
