"""The verifier's tools. None takes a user or a tenant: whose data it is stands in the state, which no model writes.

Three look something up. Three only note a proposal: what happens is decided by `claims.ruling`, after the verdict.
"""

from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from typing import Any

from langgraph.store.base import BaseStore
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from email_assistant.errors import EmailAssistantError
from email_assistant.workflows.claims_desk.asking import CUSTOMER
from email_assistant.workflows.claims_desk.claims.claim import Incident
from email_assistant.workflows.claims_desk.dependencies import ClaimsDependencies, plain_json, who_of
from email_assistant.workflows.claims_desk.gathering import found_parts
from email_assistant.workflows.claims_desk.state import ClaimWork

NOTED = "Noted as a proposal. Nothing has been done: what happens is decided by the company's rules after your decision."
NOBODY = "The person who asks is not known as a customer; there is no data."
MAX_HISTORY = 20


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RetrieverTool(_Arguments):
    """Search the company's documents."""

    query: str = Field(min_length=1, max_length=500, description="English words.")


class GetUserData(_Arguments):
    """The customer's name, since when they are a customer, and what was decided for them before."""


class ListUserPolicies(_Arguments):
    """The customer's own contracts: dates, status, limits, what was paid, the excess."""


class CreateTicket(_Arguments):
    """Propose a ticket for a person."""

    title: str = Field(max_length=200)
    ticket_type: str = Field("human_review", max_length=40)


class CreateIncidentRecord(_Arguments):
    """Propose an entry in the record of incidents."""

    issue: str = Field(max_length=1_000)


class CallRefundApi(_Arguments):
    """Propose a refund."""

    policy_id: str = Field(max_length=100)
    amount: str = Field(max_length=40)


TOOLS: Mapping[str, type[_Arguments]] = {
    "retriever_tool": RetrieverTool,
    "get_user_data": GetUserData,
    "list_user_policies": ListUserPolicies,
    "create_ticket": CreateTicket,
    "create_incident_record": CreateIncidentRecord,
    "call_refund_api": CallRefundApi,
}
PROPOSALS = frozenset({"create_ticket", "create_incident_record", "call_refund_api"})


@cache
def schemas() -> list[dict[str, Any]]:
    """The tools as a model is told of them."""
    return [
        {
            "type": "function",
            "function": {"name": name, "description": kind.__doc__, "parameters": kind.model_json_schema()},
        }
        for name, kind in TOOLS.items()
    ]


async def call(
    parts: ClaimsDependencies, state: ClaimWork, store: BaseStore | None, name: str, args: object
) -> tuple[str, list[dict[str, Any]]]:
    """What the tool says, and the parts of documents that it found. A wrong call and a failure are told, never raised."""
    given = _arguments(name, args)
    if isinstance(given, str):
        return given, []
    if name in PROPOSALS:
        return NOTED, []
    try:
        if isinstance(given, RetrieverTool):
            return await _retrieved(parts, state, store, given.query)
        if not state.get("is_known"):
            return NOBODY, []
        return await (_user_data(parts, state) if name == "get_user_data" else _policies(parts, state)), []
    except EmailAssistantError as error:
        return f"It failed, so nothing is known: {' '.join(str(error).split())[:300]}", []


def _arguments(name: str, args: object) -> _Arguments | str:
    """The arguments, or what is wrong with the call."""
    kind = TOOLS.get(name)
    if kind is None:
        return f"There is no tool called {name[:60]!r}; there are {', '.join(TOOLS)}."
    try:
        return kind.model_validate(args)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc'])) or name}: {first['msg']}"[:300]


async def _retrieved(
    parts: ClaimsDependencies, state: ClaimWork, store: BaseStore | None, query: str
) -> tuple[str, list[dict[str, Any]]]:
    found = await found_parts(parts, store, who_of(state), [query])
    text = "\n\n".join(f"[{each['label']}]\n{each['text']}" for each in found)
    return text or "Nothing was found.", found


async def _user_data(parts: ClaimsDependencies, state: ClaimWork) -> str:
    customer = await parts.customers.customer(state["tenant_id"], state["user_id"])
    if customer is None:
        return NOBODY
    before = await parts.incidents.of_user(state["tenant_id"], state["user_id"], MAX_HISTORY)
    history = [_decided(each, state["user_role"]) for each in before]
    return plain_json({"name": customer.name, "customer_since": customer.since, "decided_before": history})


def _decided(one: Incident, user_role: str) -> dict[str, Any]:
    """What the role may know of an incident: what somebody with further documents was told may rest on them."""
    values = {
        "decided_on": one.created_at.date(),
        "policy_id": one.policy_id,
        "is_valid": one.is_valid,
        "amount": one.amount,
    }
    words = {"issue": one.issue[:300], "resolution": one.resolution[:300]}
    return values | (words if one.user_role in (CUSTOMER, user_role) else {})


async def _policies(parts: ClaimsDependencies, state: ClaimWork) -> str:
    own = await parts.customers.policies(state["tenant_id"], state["user_id"])
    return plain_json(
        [{k: v for k, v in asdict(p).items() if k not in ("tenant_id", "user_id")} for p in own]
    )
