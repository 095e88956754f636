"""The declaration of `reply_pipeline`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from email_assistant.workflow_registry import CommandEntry, Workflow

if TYPE_CHECKING:  # What commands need not import.
    from email_assistant.app.assistant import AppDeps


def build(deps: "AppDeps", **compile_options: Any) -> Any:
    """The compiled graph, observed by the journal."""
    from email_assistant.workflows.reply_pipeline import graph

    return graph.build(deps, **compile_options)


def email_input(inputs: Mapping[str, Any], user: Any) -> Any:
    """The mail of an input, given as `email` or as `email_input`."""
    from email_assistant.workflows.reply_pipeline.state import email_input_of

    return email_input_of(inputs, user)  # type: ignore[arg-type]


WORKFLOW = Workflow(
    "reply_pipeline",
    build,
    last_node="rejected",
    email_input=email_input,
    commands=(
        CommandEntry(
            "contacts",
            "email_assistant.workflows.reply_pipeline.contacts.commands:app",
            "People and their details: import, list, show, set, remove.",
            is_group=True,
        ),
        CommandEntry(
            "knowledge",
            "email_assistant.workflows.reply_pipeline.past_mail.commands:app",
            "What past mail can tell: index, search, forget.",
            is_group=True,
        ),
    ),
)
