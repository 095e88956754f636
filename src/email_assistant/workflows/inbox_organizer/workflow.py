"""The declaration of `inbox_organizer`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from email_assistant.workflow_registry import CommandEntry, Workflow

COMMANDS = "email_assistant.workflows.inbox_organizer.commands"


def build(built: Any, **compile_options: Any) -> Any:
    """The compiled graph, observed by the journal."""
    from email_assistant.workflows.inbox_organizer.services import OrganizerServices

    return OrganizerServices.of(built).graph(**compile_options)


async def verify_unsubscribed(built: Any, read_until: datetime) -> None:
    """See which lists have fallen silent; mail that is counted after this reopens its list all the same."""
    from email_assistant.workflows.inbox_organizer.services import OrganizerServices

    await OrganizerServices.of(built).unsubscribing.subscriptions.verify(built.mailbox.name, read_until)


class Status:
    """See `status`, which is imported when it is asked for."""

    async def facts(self, built: Any) -> dict[str, Any]:
        """See `StatusPart`."""
        from email_assistant.workflows.inbox_organizer import status

        return await status.facts(built)

    def rows(self, facts: Mapping[str, Any]) -> dict[str, str]:
        """See `StatusPart`."""
        from email_assistant.workflows.inbox_organizer import status

        return status.rows(facts)

    def failures(self, facts: Mapping[str, Any]) -> Sequence[str]:
        """See `StatusPart`."""
        from email_assistant.workflows.inbox_organizer import status

        return status.failures(facts)


WORKFLOW = Workflow(
    "inbox_organizer",
    build,
    last_node="finish",
    cards=("labelling", "unsubscribing.unsubscribing"),
    answers=False,
    takes_answered=True,
    after_look=verify_unsubscribed,
    status=Status(),
    commands=(
        CommandEntry(
            "report",
            f"{COMMANDS}.report:report",
            "One page: who sorted the mail, its status, cost, failures.",
        ),
        CommandEntry(
            "organize", f"{COMMANDS}.organize:app", "Sort the inbox: a label for each mail.", is_group=True
        ),
        CommandEntry(
            "mailings", f"{COMMANDS}.mailings:app", "Newsletters: left, asked, failed, kept.", is_group=True
        ),
        CommandEntry(
            "hints", f"{COMMANDS}.hints:app", "What you taught about categories: list, forget.", is_group=True
        ),
    ),
)
