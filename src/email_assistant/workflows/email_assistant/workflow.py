"""The declaration of `email_assistant`."""

from typing import Any

from email_assistant.workflow_registry import Workflow

RECURSION_LIMIT = 300
"""Steps of a run: as many turns as `MAX_MODEL_CALLS` allows, each with `MAX_CALLS` calls of two steps, and some."""


def dependencies(built: Any) -> Any:
    """The dependencies of the graph."""
    from email_assistant.memory.learner import Learner
    from email_assistant.tools.asking import Finish, Question
    from email_assistant.tools.check_calendar import CheckCalendar
    from email_assistant.tools.lookups import SearchMemory
    from email_assistant.tools.mail_tools import ComposeEmail, SendEmail
    from email_assistant.tools.tool import Toolbox
    from email_assistant.workflows.email_assistant.dependencies import AssistantDependencies

    tools = Toolbox(
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
    return AssistantDependencies(
        mailbox=built.mailbox,
        models=built.models,
        profiles=built.profiles,
        learner=Learner(built.profiles, built.models),
        toolbox=tools,
        sending=built.sending,
        meetings=built.schedule_meeting.own_meetings,
        senders=built.senders,
        clock=built.agenda_clock,
        user=built.user,
        invitations=built.invitations,
    )


def build(built: Any, **compile_options: Any) -> Any:
    """The compiled graph, observed by the journal."""
    from email_assistant.workflows.email_assistant.graph import assistant_graph

    compiled = assistant_graph(dependencies(built)).compile(name="email_assistant", **compile_options)
    return compiled.with_config(
        {"callbacks": [built.observer("email_assistant")], "recursion_limit": RECURSION_LIMIT}
    )


WORKFLOW = Workflow("email_assistant", build, last_node="mark_as_read_node")
