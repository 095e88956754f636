"""The claims desk's own services, over the core's."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from email_assistant.app.container import Container
from email_assistant.workflows.claims_desk.records.customers import Customers
from email_assistant.workflows.claims_desk.records.incidents import Incidents
from email_assistant.workflows.claims_desk.records.refunds import RefundLedger
from email_assistant.workflows.claims_desk.records.tickets import TicketTable
from email_assistant.workflows.claims_desk.refunding import Refunding
from email_assistant.workflows.claims_desk.ticketing import Ticketing

if TYPE_CHECKING:  # Graphs are slow to import; commands do without.
    from email_assistant.workflows.claims_desk.adapters.jira import JiraTickets
    from email_assistant.workflows.claims_desk.adapters.refunds import HttpRefunds
    from email_assistant.workflows.claims_desk.dependencies import ClaimsDependencies


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
    def jira(self) -> "JiraTickets | None":
        """Where tickets are made, when Jira is configured."""
        s = self.core.settings
        if s.jira_url is None or s.jira_token is None:
            return None
        from email_assistant.workflows.claims_desk.adapters.jira import JiraTickets, jira_api

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
        from email_assistant.workflows.claims_desk.adapters.refunds import HttpRefunds, refund_api

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
        from email_assistant.tools.mail_tools import SendEmail
        from email_assistant.workflows.claims_desk.dependencies import ClaimsDependencies

        core, s = self.core, self.core.settings
        return ClaimsDependencies(
            models=core.models,
            senders=core.senders,
            customers=self.customers,
            incidents=self.incidents,
            documents=core.documents,
            ticketing=self.ticketing,
            refunding=self.refunding,
            send_email=SendEmail(core.sending),
            drafts=core.sending.drafts,
            user=core.user,
            clock=core.agenda_clock,
            currency=s.currency,
            tenant=s.tenant,
            companies={s.tenant: ""} | s.tenant_names,
            ceiling=s.refund_ceiling,
            automatic=s.refund_automatic,
            invitations=core.invitations,
        )

    def graph(self, **compile_options: Any) -> Any:
        """The compiled graph, observed by the journal."""
        from email_assistant.workflows.claims_desk.graph import claims_graph

        compiled = claims_graph(self.dependencies()).compile(name="claims_desk", **compile_options)
        return compiled.with_config({"callbacks": [self.core.observer("claims_desk", snapshots=True)]})
