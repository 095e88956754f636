"""The card that asks about a refund."""

from email_assistant.graphs.claims_desk.parts import Parts
from email_assistant.graphs.claims_desk.state import WorkState
from email_assistant.mail.text import clean, fence, one_line
from email_assistant.review.action import Action
from email_assistant.review.card import title

KIND = "refund"


def refund_action(state: WorkState, action_id: str, currency: str) -> Action:
    """The refund as the rules allow it; a person approves it or not, and changes nothing of it."""
    ruling, decided = state["ruling"] or {}, state["verification"] or {}
    args = {"policy_id": ruling["policy_id"], "amount": ruling["refund"], "currency": currency}
    name = f"Refund {ruling['refund']} {currency} for {ruling['policy_id']}"
    reasons = (
        f"Valid, {100 * float(decided['confidence']):.0f}% sure.",
        *(f"By {label}" for label in ruling["citations"]),
        "Within the contract's limit, what was paid for it, and the ceiling.",
        "Ignore or an answer in words: nothing is paid, and a person gets a ticket.",
    )
    return Action(
        action_id, action_id, KIND, title(name), args, {"user_id": state["user_id"]}, reasons=reasons
    )


def refund_card(action: Action, state: WorkState, parts: Parts) -> str:
    """Markdown: what is paid and why, and the customer's claim as data."""
    report, decided = state.get("report") or {}, state["verification"] or {}
    problem = state.get("problem") or ""
    lines = [
        *([f"**{title(problem)}**", ""] if problem else []),
        f"A refund to customer {title(state['user_id'])} of {title(state['tenant_id'])} waits for your approval.",
        "",
        *(f"- {title(name)}: {title(value)}" for name, value in action.args.items()),
        *(f"- {title(reason)}" for reason in action.reasons),
        *(
            ["- Decided by offline rules, which stand in for a language model."]
            if state.get("offline")
            else []
        ),
        "",
        "What the customer says, as the report has it:",
        fence(
            one_line(str(report.get("issue", "")), limit=600)
            + "\n"
            + one_line(str(report.get("user_demand", "")), limit=600),
            "text",
        ),
        "",
        "Why, as the customer will be told:",
        fence(clean(str(decided["resolution"]))[0][:2_000], "text"),
    ]
    return "\n".join(lines)
