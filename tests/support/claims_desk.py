"""What makes tickets and pays refunds in tests: real tables, and adapters that speak to a stand-in at once."""

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

from email_assistant.clock import FixedClock
from email_assistant.effects.outbox import Outbox
from email_assistant.journal.database import Database
from email_assistant.workflows.claims_desk.claims.claim import Customer, CustomerPolicy, Refund, TicketDraft
from email_assistant.workflows.claims_desk.jira import JiraTickets, jira_api
from email_assistant.workflows.claims_desk.records.customers import Customers
from email_assistant.workflows.claims_desk.records.incidents import TicketTable
from email_assistant.workflows.claims_desk.records.refunds import RefundLedger
from email_assistant.workflows.claims_desk.refund_endpoint import HttpRefunds, refund_api
from email_assistant.workflows.claims_desk.refunding import Refunding
from email_assistant.workflows.claims_desk.ticketing import Ticketing

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
DAY = date(2026, 1, 1)
KEY = "thread:message:1"
ANA = Customer("acme", "U1", "Ana", "ana@example.com", DAY)
BO = Customer("acme", "U2", "Bo", "bo@example.com", DAY)
HOME = CustomerPolicy(
    "acme", "HC-1", "U1", "Home", "active", DAY, DAY, DAY, Decimal("100.00"), Decimal("90.00")
)
BOS = replace(HOME, policy_id="HC-2", user_id="U2")
DRAFT = TicketDraft("acme", "U1", "tracking", "A burst pipe", "What was decided.")
REFUND = Refund("acme", "U1", "HC-1", Decimal("12.50"), "EUR")


async def no_wait(seconds: float) -> None:
    """Between attempts."""


async def with_customers(url: str) -> None:
    """Two customers with a policy each: 100.00 paid, at most 90.00 a claim."""
    await Customers(Database(url)).import_all([ANA, BO], [HOME, BOS])


def ticketing(url: str, service: str, now: datetime) -> Ticketing:
    """At a moment, with the Jira at an address or ("local") our own table."""
    database, clock = Database(url), FixedClock(now)
    table = TicketTable(database, clock)
    jira = JiraTickets(replace(jira_api(service, "", "t"), sleep=no_wait), "CLAIMS", "Task", clock)
    return Ticketing(table if service == "local" else jira, table, Outbox(database, clock), clock)


def refunding(
    url: str, service: str, now: datetime, *, ceiling: str = "80.00", automatic: str = "0"
) -> Refunding:
    """At a moment, with the endpoint at an address or ("local") our own ledger."""
    database, clock = Database(url), FixedClock(now)
    ledger = RefundLedger(database, clock)
    endpoint = HttpRefunds(replace(refund_api(service, None), sleep=no_wait))
    return Refunding(
        ledger if service == "local" else endpoint,
        ledger,
        Outbox(database, clock),
        clock,
        Decimal(ceiling),
        Decimal(automatic),
    )
