"""The card that asks about a refund."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from email_assistant.kit.conversations import conversation_of
from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message
from email_assistant.review.action import Action, Problem
from email_assistant.review.card import title
from email_assistant.review.card_view import CardContext
from email_assistant.review.kinds import EVERY_ANSWER, CardKind, QueueSection, declare
from email_assistant.tools.concerns import Wording
from email_assistant.workflows.claims_desk.claims.claim import CENT, Customer, CustomerPolicy
from email_assistant.workflows.claims_desk.dependencies import ClaimsDependencies
from email_assistant.workflows.claims_desk.gathering import conversation_for
from email_assistant.workflows.claims_desk.records.refunds import RefundRecord, RefundState
from email_assistant.workflows.claims_desk.state import ClaimWork

REFUND = declare(
    CardKind(
        "refund",
        EVERY_ANSWER,
        "Refund ",
        "A refund waits for your approval.",
        noun="Refund",
        section=QueueSection.MONEY,
        confirm="twice",
        goes_with_mail=False,
        held=True,
        editable=("amount",),
        draws="money",
        button="Pay {amount} {currency}",
        confirmation="Pay {amount} {currency} to {from}, for good?",
        gist="Refund {amount} {currency} for {policy_id}",
        done="paid",
        underway="is paid",
    )
)
REFUNDED = Wording(
    "A refund for this message was made",
    "A refund for this message was begun, and nobody knows yet whether it was paid,",
    "go on with that one; nothing is paid twice",
    lambda row: f"{row.payload['amount']} {row.payload['currency']} for {row.payload['policy_id']}",
)
MAX_EARLIER = 5
SIGNED_IN = "yes, the application that passed the chat on has signed the customer in."


@dataclass(frozen=True, slots=True)
class RefundAccount:
    """The record of whom the refund is for."""

    customer: Customer | None
    policy: CustomerPolicy | None
    earlier: Sequence[RefundRecord]
    """Their other refunds, the latest first."""

    @property
    def before(self) -> Decimal:
        """The sum of what was refunded for the contract before."""
        counted = [r.refund for r in self.earlier if r.state is not RefundState.refused]
        ours = (r.amount for r in counted if self.policy and r.policy_id == self.policy.policy_id)
        return sum(ours, Decimal("0.00"))


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
    """The refund as the rules allow it; a person approves it, or less of it, or not at all."""
    ruling, decided = state["ruling"] or {}, state["verification"] or {}
    args = {"policy_id": ruling["policy_id"], "amount": ruling["refund"], "currency": currency}
    headline = f"A refund of {{amount}} {{currency}} to customer {state['user_id']} of {state['tenant_id']} waits for your approval."
    reasons = (
        f"Valid, {100 * float(decided['confidence']):.0f} % certain.",
        *(f"By {label}" for label in ruling["citations"]),
        "Within the contract's limit, what was paid for it, and the ceiling.",
        "“Not wanted”, or words to the assistant: nothing is paid, and a person gets a ticket.",
    )
    return Action(action_id, action_id, REFUND.name, _titled(args), args, reasons=reasons, headline=headline)


def _titled(args: Mapping[str, str]) -> str:
    return title(f"{REFUND.begins}{args['amount']} {args['currency']} for {args['policy_id']}")


async def lowered(action: Action, edited: Mapping[str, str]) -> Action | Problem:
    """The refund of the amount that a person has put in the place of the rules'."""
    try:
        amount, most = Decimal(edited["amount"].strip()), Decimal(action.args["amount"])
        is_less = 0 < amount <= most and amount == amount.quantize(CENT)
    except ArithmeticError:
        is_less = False
    if not is_less:
        return Problem(
            f"The edit was not taken: 'amount' may be lowered, to more than 0 and at most {action.args['amount']}, like 12.50."
        )
    changed = action.with_args({**action.args, "amount": format(amount, ".2f")})
    return replace(changed, title=_titled(changed.args))


def refund_context(
    action: Action, state: ClaimWork, parts: ClaimsDependencies, account: RefundAccount
) -> CardContext:
    """To whom, who vouches for it, what was refunded before and what is left; the message; and what the customer will be told."""
    context = parts.review.context(state, _conversation(state, account))
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


def _refund(
    action: Action, state: ClaimWork, parts: ClaimsDependencies, account: RefundAccount
) -> dict[str, Any]:
    """The refund as `CardView.refund` has it: how far it may go line by line, and what rules have checked."""
    policy = account.policy
    return {
        "amount": action.args["amount"],
        "currency": action.args["currency"],
        "customer": _customer(state, account),
        "policy": f"{policy.policy_id}, {policy.product}, {policy.status}"
        if policy
        else "not on record any more",
        "earlier": list(_earlier(account)),
        "working": list(_working(action, state, parts, policy, account.before)) if policy else [],
        "checks": list(_checks(Decimal(action.args["amount"]), parts, policy, account.before))
        if policy
        else [],
    }


def _working(
    action: Action, state: ClaimWork, parts: ClaimsDependencies, policy: CustomerPolicy, before: Decimal
) -> Iterator[dict[str, str]]:
    # By the rules of `RefundLedger.reserve`.
    left = max(Decimal("0.00"), min(policy.limit, parts.ceiling, policy.paid - before))
    cited = "; ".join((state["ruling"] or {}).get("citations") or [])
    lines = (
        ("Paid in for it", policy.paid, ""),
        ("Refunded before", before, ""),
        ("Limit of one claim", policy.limit, ""),
        ("Ceiling of one refund", parts.ceiling, ""),
        ("Left before this one", left, ""),
        ("Refund", action.args["amount"], cited),
    )
    yield from ({"label": label, "value": str(value), "source": source} for label, value, source in lines)


def _checks(
    amount: Decimal, parts: ClaimsDependencies, policy: CustomerPolicy, before: Decimal
) -> Iterator[str]:
    """The rules that hold for it now."""
    yield "The contract is this customer's own."
    if amount + before <= policy.paid:
        yield f"With what was refunded before it is not more than was paid for the contract ({policy.paid})."
    if amount <= policy.limit:
        yield f"It is not more than one claim may come to ({policy.limit})."
    if amount <= parts.ceiling:
        yield f"It is not more than one refund may come to ({parts.ceiling})."
    if not before:
        yield "Nothing was refunded for this contract before, here or waiting."


def _customer(state: ClaimWork, account: RefundAccount) -> str:
    who = account.customer
    named = f"{who.name}, {who.email}, since {who.since}" if who else "not on record any more"
    return f"{state['user_id']} ({named})"


def _earlier(account: RefundAccount) -> Iterator[str]:
    yield from map(_described, account.earlier[:MAX_EARLIER])
    if (more := len(account.earlier) - MAX_EARLIER) > 0:
        yield f"and {more} more"


def _described(one: RefundRecord) -> str:
    refund = one.refund
    return f"{refund.amount} {refund.currency} for {refund.policy_id} on {one.reserved_at:%Y-%m-%d} ({one.state})"
