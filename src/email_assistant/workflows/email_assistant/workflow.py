"""The declaration of `email_assistant`."""

from typing import TYPE_CHECKING, Any

from email_assistant.workflow_registry import Workflow

if TYPE_CHECKING:  # What commands need not import.
    from email_assistant.app.assistant import AppDeps
    from email_assistant.kit.response.dependencies import AssistantDependencies


def dependencies(deps: "AppDeps") -> "AssistantDependencies":
    """The dependencies of the graph."""
    from email_assistant.kit.response.dependencies import AssistantDependencies
    from email_assistant.kit.response.toolbox import response_tools

    own_meetings = deps.schedule_meeting.own_meetings
    return AssistantDependencies.of(
        deps, "email_assistant", toolbox=response_tools(deps), meetings=own_meetings
    )


def build(deps: "AppDeps", **compile_options: Any) -> Any:
    """The compiled graph, observed by the journal."""
    from email_assistant.app.graphs import observed
    from email_assistant.kit.response.respond import RECURSION_LIMIT
    from email_assistant.workflows.email_assistant.graph import assistant_graph

    compiled = observed(deps, assistant_graph(dependencies(deps)), "email_assistant", **compile_options)
    return compiled.with_config({"recursion_limit": RECURSION_LIMIT})


WORKFLOW = Workflow("email_assistant", build, last_node="mark_as_read_node")
