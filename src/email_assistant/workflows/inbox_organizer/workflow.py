"""The declaration of `inbox_organizer`."""

from collections.abc import Mapping
from typing import Any

from email_assistant.workflow_registry import CommandEntry, StatusPart, Workflow

COMMANDS = "email_assistant.workflows.inbox_organizer.commands"


def build(deps: Any, **compile_options: Any) -> Any:
    """The compiled graph, observed by the journal."""
    from email_assistant.workflows.inbox_organizer import graph

    return graph.build(deps, **compile_options)


async def settle(deps: Any, review_id: str, args: Mapping[str, str]) -> None:
    """See `Settle`."""
    from email_assistant.workflows.inbox_organizer import guesses

    await guesses.settle(deps, review_id, args)


def status_part() -> StatusPart:
    """The organizer's part of `status`, imported when it is asked for."""
    from email_assistant.workflows.inbox_organizer import status

    return status


WORKFLOW = Workflow(
    "inbox_organizer",
    build,
    last_node="finish",
    cards=("labelling", "unsubscribing.unsubscribing"),
    answers=False,
    takes_answered=True,
    settle=settle,
    status=status_part,
    heading="Sorting",
    commands=(
        CommandEntry(
            "organize",
            f"{COMMANDS}:organize",
            "Sort the inbox: a label for each mail.",
        ),
        CommandEntry(
            "mailings", f"{COMMANDS}:mailings", "Newsletters: left, asked, failed, kept.", is_group=True
        ),
        CommandEntry(
            "hints", f"{COMMANDS}:hints", "What you taught about categories: list, forget.", is_group=True
        ),
    ),
)
