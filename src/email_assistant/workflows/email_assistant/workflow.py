"""The declaration of `email_assistant`."""

from typing import TYPE_CHECKING, Any

from email_assistant.workflow_registry import Workflow

if TYPE_CHECKING:  # What commands need not import.
    from email_assistant.app.container import Container
    from email_assistant.workflows.email_assistant.dependencies import AssistantDependencies

RECURSION_LIMIT = 300
"""Steps of a run: as many turns as `MAX_MODEL_CALLS` allows, each with `MAX_CALLS` calls of two steps, and some."""


def dependencies(built: "Container") -> "AssistantDependencies":
    """The dependencies of the graph."""
    from email_assistant.meetings.check_calendar import CheckCalendar
    from email_assistant.tools.inquiries import Finish, Question, SearchMemory
    from email_assistant.tools.mail_tools import ComposeEmail, SendEmail
    from email_assistant.tools.tool import Toolbox
    from email_assistant.workflows.email_assistant.dependencies import AssistantDependencies

    toolbox = Toolbox(
        (
            SendEmail(built.sending),
            ComposeEmail(built.sending),
            built.schedule_meeting,
            CheckCalendar(built.calendar, built.agenda_clock),
            SearchMemory(built.profiles, built.mailbox),
            Question(),
            Finish(),
        ),
        own=(built.cancel_meeting,),
    )
    own_meetings = built.schedule_meeting.own_meetings
    return AssistantDependencies.of(built, "email_assistant", toolbox=toolbox, meetings=own_meetings)


def build(built: "Container", **compile_options: Any) -> Any:
    """The compiled graph, observed by the journal."""
    from email_assistant.workflows.email_assistant.graph import assistant_graph

    compiled = built.compiled(assistant_graph(dependencies(built)), "email_assistant", **compile_options)
    return compiled.with_config({"recursion_limit": RECURSION_LIMIT})


WORKFLOW = Workflow("email_assistant", build, last_node="mark_as_read_node")
