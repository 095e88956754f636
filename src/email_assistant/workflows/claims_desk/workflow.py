"""The declaration of `claims_desk`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from email_assistant.workflow_registry import Check, CommandEntry, Workflow

if TYPE_CHECKING:  # What commands need not import.
    from email_assistant.app.assistant import AppDeps
    from email_assistant.app.journal import JournalDeps

COMMANDS = "email_assistant.workflows.claims_desk.commands"


def build(deps: "AppDeps", **compile_options: Any) -> Any:
    """The compiled graph, observed by the journal."""
    from email_assistant.workflows.claims_desk import graph

    return graph.build(deps, **compile_options)


def brings_mail(inputs: Mapping[str, Any]) -> bool:
    """A chat brings messages and no mail."""
    return not inputs.get("messages")


def checks(deps: "JournalDeps") -> Sequence[tuple[str, Check]]:
    """Jira and the refund endpoint, when they are configured."""
    from email_assistant.workflows.claims_desk.jira import JiraTickets
    from email_assistant.workflows.claims_desk.refund_endpoint import HttpRefunds

    s = deps.settings
    jira, endpoint = JiraTickets.of(s, deps.clock), HttpRefunds.of(s)

    async def refunds() -> str:
        assert endpoint is not None  # noqa: S101 - see below
        text = f"{await endpoint.check()}; up to {s.refund_ceiling} {s.currency} each"
        alone = f", up to {s.refund_automatic} without review" if s.refund_automatic else ", each is reviewed"
        return text + alone

    return [*([("jira", jira.check)] if jira else []), *([("refunds", refunds)] if endpoint else [])]


WORKFLOW = Workflow(
    "claims_desk",
    build,
    last_node="rejected",
    cards=("refund_card",),
    brings_mail=brings_mail,
    checks=checks,
    heading="Claims",
    commands=(
        CommandEntry(
            "knowledge",
            "email_assistant.workflows.claims_desk.document_commands:app",
            "Documents of a company: import, documents, forget-documents.",
            is_group=True,
        ),
        CommandEntry(
            "customers",
            "email_assistant.workflows.claims_desk.customer_commands:customers",
            "Customers and their policies: import, list, show.",
            is_group=True,
        ),
        CommandEntry(
            "tickets", f"{COMMANDS}:tickets", "Tickets of claims: list, show, close.", is_group=True
        ),
        CommandEntry(
            "incidents", f"{COMMANDS}:incidents", "What was decided on claims: list.", is_group=True
        ),
        CommandEntry(
            "refunds", f"{COMMANDS}:refunds", "What was paid back, or is to be: list.", is_group=True
        ),
    ),
)
