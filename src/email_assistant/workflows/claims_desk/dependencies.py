"""Documents, customers, tickets and refunds of the claims desk's nodes, and its side of the common reply."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from email_assistant.kit.reply_workflow import ReplyWorkflow
from email_assistant.workflows.claims_desk.document_search import Documents
from email_assistant.workflows.claims_desk.document_store import Who
from email_assistant.workflows.claims_desk.records.customers import Customers
from email_assistant.workflows.claims_desk.records.incidents import Incidents
from email_assistant.workflows.claims_desk.refunding import Refunding
from email_assistant.workflows.claims_desk.state import ClaimWork
from email_assistant.workflows.claims_desk.ticketing import Ticketing


@dataclass(frozen=True, slots=True)
class Company:
    """A tenant, to its customers."""

    name: str
    email: str = ""
    background: str = ""


@dataclass(frozen=True, kw_only=True)
class ClaimsDependencies(ReplyWorkflow):
    """Documents, customers, tickets and refunds of the nodes, and the desk's side of the common reply.

    It learns nothing, since it reads no preferences: what the company's documents say decides. Whatever becomes of the reply, ticket and
    incident stay on record, and what was refunded is refunded.
    """

    customers: Customers
    incidents: Incidents
    documents: Documents
    ticketing: Ticketing
    refunding: Refunding
    currency: str
    """ISO 4217."""
    tenant: str
    """Whose mail comes in."""
    companies: Mapping[str, str]
    """The tenants that settings name, with what they are called."""
    ceiling: Decimal
    automatic: Decimal
    checks_facts: ClassVar[bool] = True

    def company(self, tenant_id: str) -> Company:
        """The tenant as it signs: by the name that settings give, or by its id.

        The user's own name, address and background are those of the mailbox's tenant alone.
        """
        name = self.companies.get(tenant_id) or tenant_id.replace("-", " ").title()
        if tenant_id != self.tenant:
            return Company(name)
        user = self.user
        return Company(
            self.companies.get(tenant_id) or user.address.name or name, user.address.email, user.background
        )

    def review_reasons(self, state: ClaimWork) -> list[str]:
        """Always: the answer binds the company."""
        return ["A person approves what the claims desk writes."]

    def card_lines(self, state: ClaimWork) -> Sequence[str]:
        """How it was decided, and what was done."""
        return tuple(_described(state))

    def headline(self, state: ClaimWork) -> str:
        """Whose mail it is, and what it wants."""
        intent = (state.get("intent_result") or {}).get("intent", "mail")
        return f"{{who}} {{wants}} ({intent})"


def has_ticket(state: ClaimWork) -> bool:
    """Whether the ruling makes a ticket: a refusal does when somebody complains, as the letter of a refusal offers."""
    complains = (state.get("intent_result") or {}).get("intent") == "complaint"
    return complains or (state.get("ruling") or {}).get("route") != "refused"


def who_of(state: ClaimWork) -> Who:
    """Who asks, from the state that the first node has made from the run's context."""
    return Who(state["tenant_id"], state["user_id"], state["user_role"], state.get("email", ""))


def docs_of(state: ClaimWork) -> list[tuple[str, str]]:
    """Label and text of what was found."""
    return [(each["label"], each["text"]) for each in state.get("kb_docs") or []]


def labels_of(state: ClaimWork) -> frozenset[str]:
    """Everything that may be cited: the parts that were found, and the sections that they were cut from."""
    found = state.get("kb_docs") or []
    return frozenset(each[name] for each in found for name in ("label", "section"))


def plain_json(value: object) -> str:
    """For a model: one line of JSON."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _described(state: ClaimWork) -> Iterator[str]:
    decided, ruling = state.get("verification") or {}, state.get("ruling") or {}
    if decided:
        sure = 100 * float(decided["confidence"])
        yield f"Decision: {decided['is_valid']} ({sure:.0f} % certain), by {', '.join(decided['policy_citations']) or 'no document'}."
    yield from ruling.get("reasons", [])
    if refund := state.get("refund"):
        begun = "Due, to be paid by hand" if refund.get("is_due") else "Refunded"
        yield f"{begun}: {refund['amount']} {refund['currency']} for {refund['policy_id']} (receipt {refund['receipt']})."
    if ticket := state.get("ticket"):
        yield f"Ticket {ticket['key']} ({ticket['type'].replace('_', ' ')})."
    if answer := state.get("answer"):
        yield f"Answered from: {', '.join(answer['citations'])}."
    if not state.get("is_known"):
        yield f"The sender is no customer of {state['tenant_id']} that is known, not vouched for, or in doubt: no customer data was used."
