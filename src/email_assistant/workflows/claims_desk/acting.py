"""refund_review, perform_refund, record: the refund that a person approves, the ticket, and the entry that every decision makes."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.types import Command

from email_assistant.effects.store import ActionChangedError, DoneElsewhereError
from email_assistant.errors import InputError, ProviderError, TransientError
from email_assistant.kit.conversations import run_thread_id
from email_assistant.kit.reply_state import step
from email_assistant.kit.review_loop import ask_card_again, pending_of
from email_assistant.review.action import ACCEPT, EDIT
from email_assistant.tools.concerns import ACCEPTED, accepted_in, sentence
from email_assistant.tools.tool import AskAgain
from email_assistant.workflows.claims_desk.claims.claim import (
    Incident,
    Refund,
    Ticket,
    TicketDraft,
    TicketType,
)
from email_assistant.workflows.claims_desk.dependencies import ClaimsDependencies, has_ticket
from email_assistant.workflows.claims_desk.refund_card import REFUNDED, account_of, lowered, refund_context
from email_assistant.workflows.claims_desk.refunding import doer, effect_key, refund_key
from email_assistant.workflows.claims_desk.state import ClaimWork

ReviewGoal = Literal["refund_review", "perform_refund", "record"]
NO_CUSTOMER = "unknown"


@dataclass(frozen=True)
class ActingNodes:
    """The nodes after the decision."""

    parts: ClaimsDependencies

    async def refund_review(self, state: ClaimWork) -> Command[ReviewGoal]:
        """Ask a person about the refund."""
        action = pending_of(state)
        account = await account_of(state, self.parts, action.id)
        context = refund_context(action, state, self.parts, account)
        answer = await self.parts.review.ask(state, context, lowered)
        if answer.decision is None:
            return Command(goto="refund_review", update=answer.update)
        if answer.decision.type in {ACCEPT, EDIT}:
            # From here on the rules have allowed what the person has approved.
            approved = {"ruling": {**(state["ruling"] or {}), "refund": answer.action.args["amount"]}}
            update = step(state, "refund_review", "approved")
            return Command(goto="perform_refund", update=answer.update | approved | update)
        refused = {
            "pending": None,
            "human_words": answer.decision.text,
            "ruling": _to_a_person(state, "A person did not approve the refund."),
        }
        update = step(state, "refund_review", "not approved")
        return Command(goto="record", update=answer.update | refused | update)

    async def perform_refund(self, state: ClaimWork) -> Command[ReviewGoal]:
        """Pay what was approved, once; what cannot be paid goes to a person."""
        ruling = state["ruling"] or {}
        refund = Refund(
            state["tenant_id"],
            state["user_id"],
            ruling["policy_id"],
            Decimal(ruling["refund"]),
            self.parts.currency,
        )
        approved, thread_id = ruling["route"] == "review", run_thread_id(get_config())
        key, by = await refund_key(state, thread_id, self.parts.refunding.ledger), doer(state, thread_id)
        accepted = accepted_in(state.get("acknowledged") or []) if approved else None
        try:
            receipt = await self.parts.refunding.perform_refund(
                refund, key, approved=approved, by=by, accepted=accepted
            )
        except DoneElsewhereError as error:
            return self._done_elsewhere(state, error)
        except TransientError as error:
            if not approved:
                raise
            problem = (
                f"It is not known yet whether it was paid: {error} Accept to find out and to pay it once."
            )
            again = ask_card_again(state, AskAgain(pending_of(state), problem))
            return Command(goto="refund_review", update=again)
        except (InputError, ProviderError, ActionChangedError) as error:
            ruled = _to_a_person(state, f"The refund was not made: {' '.join(str(error).split())[:300]}")
            update = step(state, "perform_refund", ruled["reasons"][-1])
            return Command(goto="record", update={"pending": None, "ruling": ruled, **update})
        paid = {
            "amount": str(refund.amount), "currency": refund.currency, "policy_id": refund.policy_id, "receipt": receipt.id,
            "is_due": self.parts.refunding.is_by_hand,
        }  # fmt: skip
        done = {
            "id": key,
            "name": "refund",
            "params": paid,
            "result": receipt.id,
            "success": True,
        }
        update = step(state, "perform_refund", f"{refund.amount} {refund.currency} for {refund.policy_id}")
        return Command(goto="record", update={"pending": None, "refund": paid, "performed": [done], **update})

    def _done_elsewhere(self, state: ClaimWork, error: DoneElsewhereError) -> Command[ReviewGoal]:
        timezone, rows = self.parts.user.timezone, error.rows
        text = " ".join(sentence(row, REFUNDED, timezone) for row in rows)
        again = AskAgain(
            pending_of(state),
            f"{text}. Accept again to {REFUNDED.again}.",
            tuple(f"{ACCEPTED}{row.action_id}" for row in rows),
        )
        return Command(
            goto="refund_review", update=ask_card_again(state, again) | step(state, "perform_refund", text)
        )

    async def record(self, state: ClaimWork) -> dict[str, Any]:
        """Make the ticket, where there is one, and the entry of the incident; each once for this message."""
        ruling, decided = state["ruling"] or {}, state["verification"] or {}
        ticket = None
        if has_ticket(state):
            made = await self._ticket(self._draft(state), self._key(state, "ticket"))
            ticket = {"key": made.key, "type": made.type, "url": made.url}
        paid = Decimal((state.get("refund") or {}).get("amount", "0.00"))
        incident = Incident(
            state["tenant_id"], self._key(state, "incident"), state["user_id"], ruling["policy_id"],
            str((state.get("report") or {}).get("issue", ""))[:1_000], ruling["is_valid"], str(decided["resolution"])[:4_000],
            tuple(ruling["citations"]), float(decided["confidence"]), paid, self.parts.sending.clock.now(), state["user_role"],
        )  # fmt: skip
        kept = await self.parts.incidents.record(incident)
        text = f"incident kept, ticket {ticket['key']}" if ticket else "incident kept"
        return {
            "ticket": ticket,
            "incident_id": kept.incident_id,
            "performed": [],
            **step(state, "record", text),
        }

    async def _ticket(self, draft: TicketDraft, key: str) -> Ticket:
        """The ticket; of a run that had to begin again, and that says it in other words, the one that was made before."""
        try:
            return await self.parts.ticketing.perform_ticket(draft, key)
        except ActionChangedError:
            made = await self.parts.ticketing.table.find(draft, key)
            if made is None:
                raise
            return made

    def _draft(self, state: ClaimWork) -> TicketDraft:
        ruling, report = state["ruling"] or {}, state.get("report") or {}
        kind: TicketType = ruling["ticket_type"]
        title = f"{kind.replace('_', ' ')}: {report.get('issue', '')}"
        return TicketDraft(state["tenant_id"], state["user_id"], kind, title, _body(state, ruling, report))

    def _key(self, state: ClaimWork, what: str) -> str:
        return effect_key(state, run_thread_id(get_config()), what)


def _to_a_person(state: ClaimWork, reason: str) -> dict[str, Any]:
    """The ruling when what it ruled does not happen."""
    ruling = dict(state["ruling"] or {})
    return ruling | {
        "route": "ticket", "refund": "0.00", "ticket_type": "human_review", "reasons": [*ruling.get("reasons", []), reason],
    }  # fmt: skip


def _body(state: ClaimWork, ruling: Mapping[str, Any], report: Mapping[str, Any]) -> str:
    """Everything that a person needs to take over."""
    decided, paid = state["verification"] or {}, state.get("refund")
    lines = [
        f"Customer: {state['user_id'] or NO_CUSTOMER} ({state['tenant_id']}), by {state.get('channel', '')}",
        f"Decision: {ruling['is_valid']}, {100 * float(decided['confidence']):.0f} % certain",
        *(f"Why a person: {reason}" for reason in ruling["reasons"]),
        *([f"A person said: {state['human_words']}"] if state.get("human_words") else []),
        *_money(paid),
        f"Issue: {report.get('issue', '')}",
        f"The customer wants: {report.get('user_demand', '')}",
        f"The customer gives: {report.get('support_info_from_user', '')}",
        f"Proposed answer: {decided['resolution']}",
        f"Documents: {', '.join(ruling['citations']) or 'none'}",
    ]
    return "\n".join(lines)


def _money(paid: Mapping[str, Any] | None) -> list[str]:
    """A line about what is refunded; none when nothing is."""
    if not paid:
        return []
    begun = "To be paid by hand" if paid.get("is_due") else "Refunded"
    return [
        f"{begun}: {paid['amount']} {paid['currency']} for {paid['policy_id']}, receipt {paid['receipt']}"
    ]
