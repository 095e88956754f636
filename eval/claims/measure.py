"""What an outcome has of what was expected, field by field."""

from collections.abc import Callable, Mapping
from typing import Any

from eval.claims.running import Outcome

Check = Callable[[Mapping[str, Any], Outcome], bool | None]
_REVIEWED = ("review", "automatic")


def score(claim: Mapping[str, Any], outcome: Outcome) -> dict[str, bool]:
    """Field → whether it is right; fields that say nothing about this claim are left out."""
    found = {name: check(claim, outcome) for name, check in FIELDS.items()}
    return {name: right for name, right in found.items() if right is not None}


def route_of(outcome: Outcome) -> str:
    """Which way the claim went."""
    state = outcome.state
    if state.get("answer"):
        return "answered"
    ruling = state.get("ruling")
    if not ruling:
        return "declined"
    return "review" if ruling["route"] in _REVIEWED else str(ruling["route"])


def _intent(field: str) -> Check:
    return lambda claim, outcome: claim[field] == outcome.state["intent_result"][field]


def _route(claim: Mapping[str, Any], outcome: Outcome) -> bool | None:
    return claim["route"] == route_of(outcome)


def _validity(claim: Mapping[str, Any], outcome: Outcome) -> bool | None:
    return (
        (outcome.state.get("verification") or {}).get("is_valid") == claim["is_valid"]
        if claim["is_valid"]
        else None
    )


def _citations(claim: Mapping[str, Any], outcome: Outcome) -> bool | None:
    if not claim["citations"]:
        return None
    state = outcome.state
    cited = (state.get("answer") or state.get("ruling") or {}).get("citations", [])
    return all(any(label in cited for label in each) for each in claim["citations"])


def _found(claim: Mapping[str, Any], outcome: Outcome) -> bool | None:
    """Whether what is to be cited was found in the documents at all."""
    if not claim["citations"]:
        return None
    labels = {each[name] for each in outcome.state["kb_docs"] for name in ("label", "section")}
    return all(any(label in labels for label in each) for each in claim["citations"])


def _refund(claim: Mapping[str, Any], outcome: Outcome) -> bool | None:
    paid = outcome.state.get("refund") or {"amount": "0.00", "policy_id": ""}
    return (paid["amount"], paid["policy_id"]) == (claim["action"]["refund"], claim["action"]["policy_id"])


def _no_wrong_refund(claim: Mapping[str, Any], outcome: Outcome) -> bool | None:
    """No money goes back that is not owed: the error that costs most."""
    paid = (outcome.state.get("refund") or {"amount": "0.00"})["amount"]
    return paid in ("0.00", claim["action"]["refund"])


def _ticket(claim: Mapping[str, Any], outcome: Outcome) -> bool | None:
    made = (outcome.state.get("ticket") or {"type": ""})["type"]
    return bool(made == claim["action"]["ticket_type"])


def _record(claim: Mapping[str, Any], outcome: Outcome) -> bool | None:
    return bool(outcome.state.get("incident_id")) if claim["route"] not in ("answered", "declined") else None


def _says(claim: Mapping[str, Any], outcome: Outcome) -> bool | None:
    said = outcome.state["draft_response"].lower()
    return all(text.lower() in said for text in claim["final_must"]) if claim["final_must"] else None


def _says_not(claim: Mapping[str, Any], outcome: Outcome) -> bool | None:
    said = outcome.state["draft_response"].lower()
    return not any(text.lower() in said for text in claim["final_must_not"])


FIELDS: Mapping[str, Check] = {
    "intent": _intent("intent"),
    "urgency": _intent("urgency"),
    "sentiment": _intent("sentiment"),
    "out of scope": _intent("out_of_scope"),
    "route": _route,
    "validity": _validity,
    "documents found": _found,
    "citations": _citations,
    "refund": _refund,
    "no wrong refund": _no_wrong_refund,
    "ticket": _ticket,
    "incident kept": _record,
    "answer says": _says,
    "answer does not say": _says_not,
}
