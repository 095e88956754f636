"""The claims desk's own services, over the core's."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from email_assistant.app.container import Container
from email_assistant.workflows.claims_desk.records.customers import Customers
from email_assistant.workflows.claims_desk.records.incidents import Incidents, TicketTable
from email_assistant.workflows.claims_desk.records.refunds import RefundLedger
from email_assistant.workflows.claims_desk.refunding import Refunding
from email_assistant.workflows.claims_desk.ticketing import Ticketing

if TYPE_CHECKING:  # Graphs are slow to import; commands do without.
    from email_assistant.workflows.claims_desk.dependencies import ClaimsDependencies
    from email_assistant.workflows.claims_desk.document_import import DocumentImport
    from email_assistant.workflows.claims_desk.document_search import Documents
    from email_assistant.workflows.claims_desk.jira import JiraTickets
    from email_assistant.workflows.claims_desk.refund_endpoint import HttpRefunds


@dataclass(frozen=True)
class ClaimsDeskServices:
    """What the desk works with, built when it is asked for."""

    core: Container

    @classmethod
    def of(cls, core: Container) -> Self:
        """Those of these settings, the same every time."""
        return core.own(cls)

    @cached_property
    def customers(self) -> Customers:
        """The customers of all tenants, and their policies."""
        return Customers(self.core.database)

    @cached_property
    def incidents(self) -> Incidents:
        """What was decided on claims."""
        return Incidents(self.core.database)

    @cached_property
    def ticket_table(self) -> TicketTable:
        """All tickets, and copies of those that another system keeps."""
        return TicketTable(self.core.database, self.core.clock)

    @cached_property
    def documents(self) -> "Documents":
        """What the tenants' documents can tell."""
        from email_assistant.workflows.claims_desk.document_search import Documents

        return Documents(self.core.embedder)

    @cached_property
    def document_import(self) -> "DocumentImport":
        """Documents brought into the store, listed and removed."""
        from email_assistant.workflows.claims_desk.document_import import DocumentImport

        return DocumentImport(self.core.embedder)

    @cached_property
    def jira(self) -> "JiraTickets | None":
        """Where tickets are made, when Jira is configured."""
        s = self.core.settings
        if s.jira_url is None or s.jira_token is None:
            return None
        from email_assistant.workflows.claims_desk.jira import JiraTickets, jira_api

        api = jira_api(s.jira_url, s.jira_email, s.jira_token.get_secret_value())
        return JiraTickets(api, s.jira_project, s.jira_issue_type, self.core.clock)

    @cached_property
    def ticketing(self) -> Ticketing:
        """From a draft to a ticket."""
        return Ticketing(self.jira or self.ticket_table, self.ticket_table, self.core.outbox, self.core.clock)

    @cached_property
    def refund_ledger(self) -> RefundLedger:
        """What was paid back."""
        return RefundLedger(self.core.database, self.core.clock)

    @cached_property
    def refund_endpoint(self) -> "HttpRefunds | None":
        """Who pays refunds, when an endpoint is configured."""
        s = self.core.settings
        if s.refund_url is None:
            return None
        from email_assistant.workflows.claims_desk.refund_endpoint import HttpRefunds, refund_api

        return HttpRefunds(
            refund_api(s.refund_url, s.refund_token.get_secret_value() if s.refund_token else None)
        )

    @cached_property
    def refunding(self) -> Refunding:
        """From a decision to a receipt."""
        s, ledger = self.core.settings, self.refund_ledger
        return Refunding(
            self.refund_endpoint or ledger,
            ledger,
            self.core.outbox,
            self.core.clock,
            s.refund_ceiling,
            s.refund_automatic,
        )

    def dependencies(self) -> "ClaimsDependencies":
        """The dependencies of the graph."""
        from email_assistant.workflows.claims_desk.dependencies import ClaimsDependencies

        core, s = self.core, self.core.settings
        return ClaimsDependencies.of(
            core,
            "claims_desk",
            customers=self.customers,
            incidents=self.incidents,
            documents=self.documents,
            ticketing=self.ticketing,
            refunding=self.refunding,
            currency=s.currency,
            tenant=s.tenant,
            companies={s.tenant: ""} | s.tenant_names,
            ceiling=s.refund_ceiling,
            automatic=s.refund_automatic,
        )

    def graph(self, **compile_options: Any) -> Any:
        """The compiled graph, observed by the journal."""
        from email_assistant.workflows.claims_desk.graph import claims_graph

        return self.core.compiled(
            claims_graph(self.dependencies()), "claims_desk", snapshots=True, **compile_options
        )
