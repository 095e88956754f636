"""The card that asks about a refund."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from email_assistant.kit.conversations import conversation_of
from email_assistant.kit.reply.reply_workflow import review_of
from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message
from email_assistant.review.action import ACCEPT, IGNORE, RESPONSE, Action
from email_assistant.review.card import title
from email_assistant.review.card_view import CardContext
from email_assistant.review.kinds import CardKind, QueueSection, declare
from email_assistant.tools.earlier import Told
from email_assistant.workflows.claims_desk.claims.customer import Customer, CustomerPolicy
from email_assistant.workflows.claims_desk.dependencies import ClaimsDependencies
from email_assistant.workflows.claims_desk.gathering import conversation_for
from email_assistant.workflows.claims_desk.records.refunds import RefundRecord, RefundState
from email_assistant.workflows.claims_desk.refunding import Refunding, effect_id
from email_assistant.workflows.claims_desk.state import ClaimWork


def _effect_id(values: Mapping[str, Any]) -> str:
    return effect_id(str(values.get("tenant_id") or ""), str(values["pending"].get("id")))


REFUND = declare(
    CardKind(
        "refund",
        (IGNORE, RESPONSE, ACCEPT),
        "Refund ",
        "A refund waits for your approval.",
        noun="Refund",
        section=QueueSection.MONEY,
        confirm="twice",
        held=True,
        draws="money",
        button="Pay {amount} {currency}",
        confirmation="Pay {amount} {currency} to {from}, for good?",
        gist="Refund {amount} {currency} for {policy_id}",
        done="paid",
        effect=Refunding.kind,
        elsewhere="refunded",
        effect_id=_effect_id,
    )
)
REFUNDED = Told(
    "A refund for this message was made",
    "A refund for this message was begun, and nobody knows yet whether it was paid,",
    "go on with that one; nothing is paid twice",
    lambda row: f"{row.payload['amount']} {row.payload['currency']} for {row.payload['policy_id']}",
)
MAX_EARLIER = 5
SIGNED_IN = "yes, the application that passed the chat on has signed the customer in."


@dataclass(frozen=True, slots=True)
class RefundAccount:
    """What the record says of whom the refund is for."""

    customer: Customer | None
    policy: CustomerPolicy | None
    earlier: Sequence[RefundRecord]
    """Their other refunds, the latest first."""


async def account_of(state: ClaimWork, parts: ClaimsDependencies, idempotency_key: str) -> RefundAccount:
    """The customer, the contract, and the refunds besides the one that is asked about; one that is paid another run has paid."""
    tenant, user, wanted = state["tenant_id"], state["user_id"], (state["ruling"] or {})["policy_id"]
    policies = await parts.customers.policies(tenant, user)
    earlier = await parts.refunding.ledger.of_user(tenant, user)
    return RefundAccount(
        await parts.customers.customer(tenant, user),
        next((each for each in policies if each.policy_id == wanted), None),
        [
            r
            for r in earlier
            if r.idempotency_key != idempotency_key or r.state in (RefundState.paid, RefundState.due)
        ],
    )


def refund_action(state: ClaimWork, action_id: str, currency: str) -> Action:
    """The refund as the rules allow it; a person approves it or not, and changes nothing of it."""
    ruling, decided = state["ruling"] or {}, state["verification"] or {}
    args = {"policy_id": ruling["policy_id"], "amount": ruling["refund"], "currency": currency}
    name = f"{REFUND.begins}{ruling['refund']} {currency} for {ruling['policy_id']}"
    headline = f"A refund of {ruling['refund']} {currency} to customer {state['user_id']} of {state['tenant_id']} waits for your approval."
    reasons = (
        f"Valid, {100 * float(decided['confidence']):.0f}% sure.",
        *(f"By {label}" for label in ruling["citations"]),
        "Within the contract's limit, what was paid for it, and the ceiling.",
        "Ignore or an answer in words: nothing is paid, and a person gets a ticket.",
    )
    return Action(
        action_id,
        action_id,
        REFUND.name,
        title(name),
        args,
        {"user_id": state["user_id"]},
        reasons=reasons,
        headline=headline,
    )


def refund_context(
    action: Action, state: ClaimWork, parts: ClaimsDependencies, account: RefundAccount
) -> CardContext:
    """To whom, who vouches for it, what was refunded before and what is left; the message; and what the customer will be told."""
    context = review_of(parts).context(state, _conversation(state, account))
    report = state.get("report") or {}
    resolution = str((state["verification"] or {})["resolution"])[:2_000]
    return replace(
        context,
        verified=SIGNED_IN if state["channel"] == "chat" else context.verified,
        facts=(f"As the report has it: {report.get('issue', '')} Wanted: {report.get('user_demand', '')}",),
        refund=_refund(action, state, parts, account),
        sections=(("As the customer will be told", resolution),),
    )


def _conversation(state: ClaimWork, account: RefundAccount) -> Conversation:
    """The mail, or the chat's latest words as if they had been one."""
    if state["channel"] == "mail":
        return conversation_of(state.get("email_input"))
    said, who = conversation_for(state, None), account.customer
    sender = Address(who.email, who.name) if who else Address("", "")
    return Conversation(Message("", "", sender, "(a chat)", said[-1] if said else ""), ())


@dataclass(frozen=True, slots=True)
class _Room:
    """What was refunded for a contract before, and what a refund may still come to, by the rules of `RefundLedger.reserve`."""

    before: Decimal
    left: Decimal


def _room(policy: CustomerPolicy, parts: ClaimsDependencies, earlier: Sequence[RefundRecord]) -> _Room:
    before = sum(
        (
            each.refund.amount
            for each in earlier
            if each.refund.policy_id == policy.policy_id and each.state is not RefundState.refused
        ),
        Decimal("0.00"),
    )
    left = max(Decimal("0.00"), min(policy.limit, parts.ceiling, policy.paid - before))
    return _Room(before, left)


def _refund(
    action: Action, state: ClaimWork, parts: ClaimsDependencies, account: RefundAccount
) -> dict[str, Any]:
    """The refund as `CardView.refund` has it: how far it may go line by line, and what rules have checked."""
    policy = account.policy
    room = _room(policy, parts, account.earlier) if policy else None
    return {
        "amount": action.args["amount"],
        "currency": action.args["currency"],
        "customer": _customer(state, account),
        "policy": _contract(policy) if policy else "not on record any more",
        "earlier": list(_earlier(account)),
        "working": list(_working(action, state, parts, policy, room)) if policy and room else [],
        "checks": list(_checks(Decimal(action.args["amount"]), parts, policy, room))
        if policy and room
        else [],
    }


def _working(
    action: Action, state: ClaimWork, parts: ClaimsDependencies, policy: CustomerPolicy, room: _Room
) -> Iterator[dict[str, str]]:
    cited = "; ".join((state["ruling"] or {}).get("citations") or [])
    lines = (
        ("Paid in for it", policy.paid, ""),
        ("Refunded before", room.before, ""),
        ("Limit of one claim", policy.limit, ""),
        ("Ceiling of one refund", parts.ceiling, ""),
        ("Left before this one", room.left, ""),
        ("Refund", action.args["amount"], cited),
    )
    yield from ({"label": label, "value": str(value), "source": source} for label, value, source in lines)


def _checks(amount: Decimal, parts: ClaimsDependencies, policy: CustomerPolicy, room: _Room) -> Iterator[str]:
    """What rules find true of it now."""
    yield "The contract is this customer's own."
    if amount + room.before <= policy.paid:
        yield f"With what was refunded before it is not more than was paid for the contract ({policy.paid})."
    if amount <= policy.limit:
        yield f"It is not more than one claim may come to ({policy.limit})."
    if amount <= parts.ceiling:
        yield f"It is not more than one refund may come to ({parts.ceiling})."
    if not room.before:
        yield "Nothing was refunded for this contract before, here or waiting."


def _customer(state: ClaimWork, account: RefundAccount) -> str:
    who = account.customer
    named = f"{who.name}, {who.email}, since {who.since}" if who else "not on record any more"
    return f"{state['user_id']} ({named})"


def _contract(policy: CustomerPolicy) -> str:
    return f"{policy.policy_id}, {policy.product}, {policy.status}"


def _earlier(account: RefundAccount) -> Iterator[str]:
    yield from map(_told, account.earlier[:MAX_EARLIER])
    if (more := len(account.earlier) - MAX_EARLIER) > 0:
        yield f"and {more} more"


def _told(one: RefundRecord) -> str:
    refund = one.refund
    return f"{refund.amount} {refund.currency} for {refund.policy_id} on {one.reserved_at:%Y-%m-%d} ({one.state})"
